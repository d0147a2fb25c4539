"""Who is on call: every policy with its levels, scrolled to the policy of the incident at the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from registry.oncall.duties import OnCallLevel, OnCallPolicy
from registry.oncall.words import Line, Piece, level_line, nothing, policy_title
from tui.oncall.pieces import PieceList, wrapped
from tui.oncall.watching import Watching

_NONE = ("", -1)


class PolicyList(PieceList):
    """Policies and their levels."""

    def __init__(self, watching: Watching) -> None:
        super().__init__(id="policy-list")
        self._watching = watching
        self._lines: list[tuple[OnCallPolicy, OnCallLevel | None, Line]] = []
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
    def on_call(self) -> OnCallPolicy | None:
        """The policy at the cursor."""
        return self._lines[self.cursor][0] if self.cursor < len(self._lines) else None

    @property
    def level(self) -> OnCallLevel | None:
        """The level at the cursor; None on a policy's name."""
        return self._lines[self.cursor][1] if self.cursor < len(self._lines) else None

    def show(self, policy: str) -> None:
        """Show changed levels or clocks; scroll to an incident's policy while the focus is elsewhere."""
        self._lay_out(policy)
        top = next((at for at, line in enumerate(self._lines) if line[0].policy.id == policy), 0)
        if (policy, top) != self._policy and not self.has_focus:
            self._policy = policy, top
            self.cursor = top
            # After the scrolling that follows the cursor, so that the policy's name is the first line.
            self.call_later(self.scroll_to, y=top, animate=False, force=True)

    def _lay_out(self, policy: str) -> None:
        """Show the levels, and mark the policy of an incident."""
        watching, width = self._watching, max(self.scrollable_content_region.width, 20)
        now = watching.clock()
        here = self._lines[self.cursor][:2] if self.cursor < len(self._lines) else None
        lines: list[tuple[OnCallPolicy, OnCallLevel | None, Line]] = []
        for on_call in watching.board.policies:
            mark = "▸" if on_call.policy.id == policy else " "
            lines.append((on_call, None, [Piece(mark, "mine"), *policy_title(on_call)]))
            for one in on_call.levels:
                pieces = [Piece("   "), *level_line(one, now, watching.zone, watching.me, watching.board.zones)]
                lines += [(on_call, one, line) for line in wrapped(pieces, width, 6)]
        same_place = [line[:2] for line in lines] == [line[:2] for line in self._lines]
        self._lines = lines
        if same_place:
            self.refresh_changed()
        else:
            cursor = next((at for at, line in enumerate(lines) if here is not None and _same(line, here)), self.cursor)
            self.lines_changed(cursor=cursor)

    def on_resize(self) -> None:
        """Wrap the lines again, and scroll to the policy again."""
        (policy, _), self._policy = self._policy, _NONE
        super().on_resize()
        self.show(policy)

    def line(self, number: int, width: int) -> Sequence[Piece]:
        """A policy's name, or a level."""
        if number < len(self._lines):
            return self._lines[number][2]
        hidden = len(self._watching.board.facts.policies)
        return [Piece(" "), nothing(self._watching.board, "on call", hidden, "escalation policies")]


def _same(line: tuple[OnCallPolicy, OnCallLevel | None, Line], here: tuple[OnCallPolicy, OnCallLevel | None]) -> bool:
    level = line[1].number if line[1] else 0
    return line[0].policy.id == here[0].policy.id and level == (here[1].number if here[1] else 0)
