"""Draws accounts: a heading for each toolkit, a line for each account, and details of the one at the cursor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from textual.content import Content

from registry.accounts.account import Account
from registry.accounts.connection import SANDBOX, Connection
from registry.accounts.ending import Ending, ending_words
from registry.accounts.memory import Known
from registry.catalog.listing import ToolkitTitle
from registry.text.readings import short_distance
from registry.text.safe_text import shortened, visible_line
from tui.widgets.mode_labels import mode_word

_STATE = 17
"""Columns for an account's state: states are aligned, and the longest fits."""

_DAY = 86_400.0
_FAINT = "$foreground-muted"


@dataclass(frozen=True, slots=True)
class AccountRow:
    """One account of one toolkit.

    Attributes:
        toolkit: the toolkit.
        connection: the account as calls go through it.
        known: the result of its last test.
        in_use: whether the toolkit's calls use it.
        account: the account in the settings; None for the sandbox and accounts from the environment.
        testing: whether it is being tested now.
        ending: when its credential expires; None if unknown.
    """

    toolkit: ToolkitTitle
    connection: Connection
    known: Known
    in_use: bool
    account: Account | None = None
    testing: bool = False
    ending: Ending | None = None

    @property
    def id(self) -> str:
        """Its id in the list."""
        return f"{self.toolkit.name}/{self.connection.name}"

    @property
    def mode(self) -> str:
        """Its mode: what kind of data it reaches."""
        return self.connection.endpoints[self.toolkit.name].mode

    @property
    def is_sandbox(self) -> bool:
        """Whether it is the built-in sandbox."""
        return self.connection.name == SANDBOX

    def line(self, width: int, now: float) -> Content:
        """Its line in so many columns; `now` is the present in Unix seconds."""
        colour, mode = f"${self.connection.colour}" if self.connection.colour else "", mode_word(self.mode)
        facts = [mode, " " * (8 - mode.cell_length), f"{self._rule:<11}"]
        left = Content.assemble(
            Content.styled(" !" if self.known.problem else "  ", "bold $text-error"),
            "(•) " if self.in_use else "( ) ",
            Content.styled("▌" if colour else " ", colour),
            Content.styled(f"{shortened(visible_line(self.connection.name), 17):<18}", "bold" if self.in_use else ""),
            *([Content.styled("made-up data", _FAINT)] if self.is_sandbox else facts),
        )
        return Content.assemble(left, " " * max(width - left.cell_length - _STATE, 1), self._state(now))

    @property
    def _rule(self) -> str:
        """The account's rule, in two or three words."""
        if self.connection.rule == "read-only":
            return "read only"
        return "typed id" if self.connection.rule == "typed-id" or self.mode == "live" else "full access"

    def _state(self, now: float) -> Content:
        in_use = Content.styled("in use" if self.in_use else "", "$text-accent")
        if self.is_sandbox:
            return in_use
        if self.testing:
            return Content.styled("testing …", _FAINT)
        if self.ending is not None and not self.ending.renews and self.ending.at - now < _DAY:
            return Content.styled(ending_words(self.ending, now), "$text-warning")
        if self.known.problem:
            cure = "s Sign in" if self.account is not None and self.account.signs_in else "t Test"
            return Content.styled(f"failed  {cure}", "$text-error")
        ago = f", {short_distance(self.known.at, now)} ago".replace("now ago", "just now") if not self.in_use else ""
        words = Content.styled(f"ok{ago}" if self.known.at else "not tested", _FAINT)
        return Content.assemble(in_use, " ", words) if self.in_use else words

    def about(self, now: float) -> Content:
        """The account's details in two or three lines; `now` is the present in Unix seconds."""
        endpoint = self.connection.endpoints[self.toolkit.name]
        if self.is_sandbox:
            return Content.styled("The sandbox needs no account, and everything in it is made up.", _FAINT)
        place = endpoint.source or f"the environment variable {endpoint.variable}"
        facts = [self.connection.name, self.known.who, self.known.where, urlsplit(endpoint.base_url).netloc]
        facts = [*filter(None, facts), f"credential in {place}"]
        facts += [f"{name}: {value}" for name, value in endpoint.own_headers]
        facts += [words] if (words := ending_words(self.ending, now)) else []
        lines = [Content.styled(visible_line(" · ".join(facts)), _FAINT)]
        if self.known.problem:
            lines.append(Content.styled(visible_line(self.known.problem), "$text-error"))
        elif self.known.lacking:
            lines.append(Content.styled(missing(self.known.lacking), "$text-warning"))
        return Content("\n").join(lines)


def heading(toolkit: ToolkitTitle) -> Content:
    """The heading of a toolkit's accounts."""
    return Content.assemble(
        Content.styled(toolkit.sign, f"${toolkit.hue}" if toolkit.hue else ""), Content.styled(f" {toolkit.title}", "bold")
    )


def missing(lacking: Mapping[str, str]) -> str:
    """Which permissions are missing, and how many tools are greyed because of that."""
    names = list(dict.fromkeys(lacking.values()))
    some = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    count = len(lacking)
    tools = "1 tool is" if count == 1 else f"{count} tools are"
    return visible_line(f"Missing permission{'s' if len(names) > 1 else ''}: {some}. {tools} greyed in the tree.")
