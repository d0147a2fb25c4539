"""A result from the journal: the answer as it was then, in the form in which answers are shown."""

from __future__ import annotations

from dataclasses import dataclass

from registry.calling.result import Result


@dataclass(frozen=True)
class RecordedResult(Result):
    """The result of an earlier call, with secrets redacted.

    Attributes:
        entry: its number in the journal.
        kept: whether the answer was kept; where not, the body is empty although there was one.
    """

    entry: int = 0
    kept: bool = True
