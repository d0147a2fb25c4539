"""A result from the history: the response as it was then, in the form in which results are shown."""

from __future__ import annotations

from dataclasses import dataclass

from registry.calling.result import Result


@dataclass(frozen=True)
class RecordedResult(Result):
    """The result of an earlier call, with secrets redacted.

    Attributes:
        entry: its number in the history.
        kept: whether the body was stored; if not, it is empty here although there was one.
    """

    entry: int = 0
    kept: bool = True
