"""One account's board as it is shown outside the terminal, and the worst of several.

Several accounts are read at the same time, each by itself: a failure of one does not affect the others, and the verdict of all
is that of the worst. Verdicts and exit codes come from the board; they are not computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from registry.oncall.board import Board
from registry.oncall.evidence import evidence
from registry.oncall.exit_code import WORST_FIRST, code_of
from registry.oncall.headline import counts_line, headline, trust_line
from registry.oncall.words import Line, default_zone, plain
from registry.text.safe_text import shortened, visible_line


@dataclass(frozen=True, slots=True)
class AccountView:
    """An account at one moment.

    Attributes:
        name: the account's name.
        mode: ``sandbox``, ``test`` or ``live``.
        board: its board.
        interval: seconds between two refreshes.
        clock_words: what is wrong with this machine's clock; empty if it is right.
        ends: a warning that its credential expires soon; otherwise empty.
    """

    name: str
    mode: str
    board: Board
    interval: float
    clock_words: str = ""
    ends: str = ""

    @property
    def code(self) -> int:
        """The board's exit code."""
        return code_of(self.board, self.interval)

    @property
    def verdict(self) -> Line:
        """The board's first line."""
        return headline(self.board, self.board.now, self.interval, self.zone).line

    @property
    def counts(self) -> Line:
        """The board's second line: counts of incidents, and of services by state."""
        return counts_line(self.board)

    @property
    def trust(self) -> Line:
        """How complete and how old the data is, in the board's words."""
        now = self.board.now
        return trust_line(self.board, evidence(self.board, now, self.interval), now, self.interval)

    @property
    def title(self) -> str:
        """The verdict in plain words, short and safe to show."""
        return shortened(" ".join(plain(self.verdict).split()), 120)

    @property
    def steady_title(self) -> str:
        """The counts and how certain they are, in words that change only when something has changed."""
        found = evidence(self.board, self.board.now, self.interval)
        counts = " ".join(plain(self.counts).split())
        sure = "" if found.trusted else f" ({'; '.join((*found.causes, *found.contradictions))})"
        return shortened(f"{found.kind}: {counts}{sure}", 160)

    @property
    def label(self) -> str:
        """The account's name, safe to show."""
        return shortened(visible_line(self.name), 40)

    @property
    def zone(self) -> tzinfo:
        """The zone of its times: the profile's, otherwise UTC."""
        me = self.board.mine.me
        return default_zone(me.zone if me is not None else "")


def worst(views: Sequence[AccountView]) -> AccountView:
    """The account with the worst verdict; the first of several equal ones."""
    return min(views, key=lambda view: WORST_FIRST.index(view.code))
