"""One account's board as it is shown outside of the terminal, and the worst of several.

Several accounts are read one beside the other, each by itself: what one of them fails to tell changes nothing about the others,
and the verdict of all is that of the worst. Verdicts and exit codes come from the board; none is computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from registry.display.safe_text import shortened, visible_line
from registry.oncall.board import Board
from registry.oncall.exit_code import QUIET, TRIGGERED, WORST_FIRST, code_of
from registry.oncall.words import Line, default_zone, plain, verdict


@dataclass(frozen=True, slots=True)
class AccountView:
    """An account at one moment.

    Attributes:
        name: the account's name.
        mode: what its calls reach: ``sandbox``, ``test`` or ``live``.
        board: its board.
        interval: seconds between two refreshes.
        clock_words: what is wrong with this machine's clock; empty when nothing is.
    """

    name: str
    mode: str
    board: Board
    interval: float
    clock_words: str = ""

    @property
    def code(self) -> int:
        """What the board means to a script."""
        return code_of(self.board)

    @property
    def verdict(self) -> Line:
        """The board's own first line."""
        return verdict(self.board, self.board.now, self.interval)

    @property
    def title(self) -> str:
        """The verdict in plain words, short and safe to show."""
        return shortened(" ".join(plain(self.verdict).split()), 120)

    @property
    def steady_title(self) -> str:
        """The counts without how long anything has lasted: it changes only where something has changed."""
        counts = self.board.verdict
        parts = [f"{counts.triggered} triggered ({counts.high} high)", f"{counts.acknowledged} acknowledged"]
        parts += [f"{counts.mine} yours"] if self.board.mine.me is not None else []
        sure = "" if self.code in (QUIET, TRIGGERED) else ", not known for sure"
        return f"exit code {self.code}{sure}: {', '.join(parts)}"

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
    """The account with the worst verdict; of equals the first."""
    return min(views, key=lambda view: WORST_FIRST.index(view.code))
