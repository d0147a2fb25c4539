"""The dialog for choosing what to compare a result with."""

from __future__ import annotations

from collections.abc import Sequence

from tui.compare.sides import Candidate
from tui.dialogs.choose import Choice, Chooser


class CompareWith(Chooser[Candidate]):
    """Returns the chosen candidate.

    Args:
        what: what will be compared, in a few words.
        candidates: at least one.
    """

    def __init__(self, what: str, candidates: Sequence[Candidate]) -> None:
        choices = [Choice(one.title, one.subtitle) for one in candidates]
        super().__init__(f"Compare {what} with", choices, candidates, "Compare")
