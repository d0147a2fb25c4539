"""The services by state, worst first, with the number of open incidents on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from registry.oncall.model import ACKNOWLEDGED, Service
from registry.oncall.words import Piece, Tone, nothing
from registry.text.safe_text import visible_line
from tui.oncall.pieces import PieceList, cell
from tui.oncall.watching import Watching

_TONES: dict[str, Tone] = {"critical": "bad", "warning": "warn", "active": "quiet", "disabled": "quiet", "maintenance": "plain"}
_SIGNS = {"critical": "✗", "warning": "!", "active": "✓", "disabled": "–", "maintenance": "⚒"}


class ServiceList(PieceList):
    """The services."""

    def __init__(self, watching: Watching) -> None:
        super().__init__(id="service-list")
        self._watching = watching
        self._open: Counter[tuple[str, bool]] = Counter()

    def watch_over(self, watching: Watching) -> None:
        """Show another watch."""
        self._watching = watching

    @property
    def line_count(self) -> int:
        """A line for each service."""
        return max(len(self._watching.board.services), 1)

    @property
    def service(self) -> Service | None:
        """The service at the cursor."""
        services = self._watching.board.services
        return services[self.cursor] if self.cursor < len(services) else None

    def show(self) -> None:
        """Show changed services."""
        incidents = self._watching.board.facts.incidents
        self._open = Counter((one.service.id, one.status == ACKNOWLEDGED) for one in incidents)
        self.lines_changed()

    def line(self, number: int, width: int) -> Sequence[Piece]:
        """Its state as a sign and a word, its name, and how many incidents are open."""
        board = self._watching.board
        if number >= len(board.services):
            return [Piece(" "), nothing(board, "services", len(board.facts.services), "services")]
        one = board.services[number]
        tone = _TONES.get(one.state, "warn")
        state = "ok" if one.state == "active" else visible_line(one.state)
        states = 12 if width >= 44 else 9
        counts = ((self._open[one.id, False], "TRIG"), (self._open[one.id, True], "ACK"))
        words = " ".join(f"{count} {word}" for count, word in counts if count)
        # The name gets the width that the counts of its line leave.
        name = max(width - 3 - states - max(len(words) + 1, 2), 10)
        return [
            Piece(f" {_SIGNS.get(one.state, '?')} ", tone),
            cell(state, states, tone),
            cell(visible_line(one.name), name, "quiet" if one.state == "active" else "plain"),
            Piece(f" {words}"),
        ]
