"""Who is on call: every policy with its levels, the policy of the incident at the cursor first in sight."""

from __future__ import annotations

from collections.abc import Sequence

from registry.oncall.duties import Ladder, Rung
from registry.oncall.words import Line, Piece, ladder_title, nothing, rung
from tui.oncall.pieces import PieceList, wrapped
from tui.oncall.watching import Watching

_NONE = ("", -1)


class LadderList(PieceList):
    """Policies and their levels."""

    def __init__(self, watching: Watching) -> None:
        super().__init__(id="ladder-list")
        self._watching = watching
        self._lines: list[tuple[Ladder, Rung | None, Line]] = []
        self._policy = _NONE

    def watch_over(self, watching: Watching) -> None:
        """Show another watch."""
        self._watching = watching
        self._policy = _NONE

    @property
    def line_count(self) -> int:
        """A line for each policy and each level; some take two."""
        return max(len(self._lines), 1)

    @property
    def ladder(self) -> Ladder | None:
        """The policy at the cursor."""
        return self._lines[self.cursor][0] if self.cursor < len(self._lines) else None

    @property
    def rung(self) -> Rung | None:
        """The level at the cursor; None on a policy's name."""
        return self._lines[self.cursor][1] if self.cursor < len(self._lines) else None

    def show(self, policy: str) -> None:
        """Levels or clocks have changed; bring the policy of an incident into sight while the keyboard is elsewhere."""
        watching, width = self._watching, max(self.scrollable_content_region.width, 20)
        here = self._lines[self.cursor][:2] if self.cursor < len(self._lines) else None
        now, zone = watching.clock(), watching.zone
        lines: list[tuple[Ladder, Rung | None, Line]] = []
        for ladder in watching.board.ladders:
            mark = "▸" if ladder.policy.id == policy else " "
            lines.append((ladder, None, [Piece(mark, "mine"), *ladder_title(ladder)]))
            for one in ladder.rungs:
                told = [Piece("   "), *rung(one, now, zone, watching.me, watching.board.zones)]
                lines += [(ladder, one, line) for line in wrapped(told, width, 6)]
        same_place = [line[:2] for line in lines] == [line[:2] for line in self._lines]
        self._lines = lines
        if same_place:
            self.refresh_changed()
        else:
            cursor = next((at for at, line in enumerate(lines) if here is not None and _same(line, here)), self.cursor)
            self.lines_changed(cursor=cursor)
        top = next((at for at, line in enumerate(lines) if line[0].policy.id == policy), 0)
        if (policy, top) != self._policy and not self.has_focus:
            self._policy = policy, top
            self.cursor = top
            # Behind the scrolling that follows the cursor: the policy's name is to be the first line.
            self.call_later(self.scroll_to, y=top, animate=False, force=True)

    def on_resize(self) -> None:
        """Lines are broken anew, and the policy comes into sight again."""
        (policy, _), self._policy = self._policy, _NONE
        super().on_resize()
        self.show(policy)

    def line(self, number: int, width: int) -> Sequence[Piece]:
        """A policy's name, or a level."""
        if number < len(self._lines):
            return self._lines[number][2]
        hidden = len(self._watching.board.facts.policies)
        return [Piece(" "), nothing(self._watching.board, "on call", hidden, "escalation policies")]


def _same(line: tuple[Ladder, Rung | None, Line], here: tuple[Ladder, Rung | None]) -> bool:
    level = line[1].level if line[1] else 0
    return line[0].policy.id == here[0].policy.id and level == (here[1].level if here[1] else 0)
