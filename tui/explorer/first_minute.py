"""What a new user sees where the form will be: three things to try on the sandbox, and where to put a key.

It is there until it is put away, once and for all, and makes room for the first form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.state.settings import key_of
from tui.widgets.scrolling import Rows


class Suggestion(NamedTuple):
    """Something to try: a question, and the call that answers it."""

    question: str
    tool: str
    raw: Mapping[str, object]


SUGGESTIONS = (
    Suggestion("Who is on call now?", "ListOncalls", {}),
    Suggestion("Which customers are called Ada?", "SearchPaymentsCustomers", {"search_query_string": 'name~"ada"'}),
    Suggestion("Which invoices are still open?", "SearchPaymentsInvoices", {"search_query_string": 'status:"open"'}),
)

_MOST_VARIABLES = 4

_WELCOME = Content.assemble(
    Content.styled("Welcome to Callboard\n\n", "bold $text-accent"),
    Content("Find a tool, fill its form, read the answer, follow any id to the next one. Everything goes to a sandbox "),
    Content("with made-up data until you choose otherwise.\n\n"),
)


def _further(connections: str, help_: str, variables: Sequence[str]) -> Content:
    """What else there is, with these keys, and with these variables for accounts of one's own."""
    names = [Content.styled(name, "$text-accent") for name in variables[:_MOST_VARIABLES]]
    listed = Content(", ").join(names[:-1]) + Content(" or ") + names[-1] if len(names) > 1 else Content("").join(names)
    return Content.assemble(
        Content.styled("Or type on the left", "bold"),
        Content(": words of what you need ("),
        Content.styled("refunds of a charge", "$text-accent"),
        Content("), or paste an id or an e-mail address.\n\n"),
        Content.styled("Your own account", "bold"),
        Content(": set "),
        listed,
        Content(" before you start, then press "),
        Content.styled(connections, "$text-accent"),
        Content(". "),
        Content.styled(help_, "$text-accent"),
        Content(" tells every key."),
    )


class FirstMinute(Vertical):
    """The guided start. Posts `Try` when a suggestion is chosen, `PutAway` when it is to be shown no more."""

    DEFAULT_CSS = """
    FirstMinute {
        height: auto;
        padding: 1 1;
        OptionList { height: auto; margin: 0 0 1 0; background: $background; border: none; padding: 0; }
        OptionList > .option-list--option-highlighted { background: $block-cursor-blurred-background; }
        OptionList:focus > .option-list--option-highlighted { background: $block-cursor-background; }
    }
    """

    class Try(Message):
        """A suggestion is to be run."""

        def __init__(self, suggestion: Suggestion) -> None:
            super().__init__()
            self.suggestion = suggestion

    class PutAway(Message):
        """The guided start is to be shown no more."""

    def __init__(self, variables: Sequence[str]) -> None:
        """Make it; `variables` of the environment hold the credentials of accounts."""
        super().__init__()
        self._variables = variables

    def compose(self) -> ComposeResult:
        """Welcome, suggestions, and what else there is."""
        start = Content.styled(f"Try one ({key_of(self.app, 'form')}, then Enter)", "$foreground-muted")
        yield Static(Content.assemble(_WELCOME, start))
        rows = [Option(Content(f"› {one.question}")) for one in SUGGESTIONS]
        yield Rows(*rows, Option(Content.styled("× Do not show this again", "$foreground-muted")), compact=True)
        yield Static(_further(key_of(self.app, "connections"), key_of(self.app, "help"), self._variables))

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(SUGGESTIONS):
            self.post_message(self.Try(SUGGESTIONS[event.option_index]))
        else:
            self.post_message(self.PutAway())
