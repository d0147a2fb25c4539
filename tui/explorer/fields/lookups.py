"""Lets a key that marks an offered value wait while values are being looked up.

Until then the field offers nothing, or what fitted an earlier text; a mark would be lost when the values come, and Enter right
after it would run the tool instead of taking a value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from textual.worker import Worker
from textual.worker_manager import WorkerManager

from tui.explorer.fields.text import TextField
from tui.keyboard.started_work import MARK, none_left

LOOKUP = "offers"
"""The group of a field's workers that look up values."""


def once_looked_up(field: TextField, mark: Callable[[], None]) -> None:
    """Mark a value at once or, while values for the field are being looked up, as soon as they are offered."""
    if _lookups(field, field.app.workers):
        # The screen's, not the field's: keys ask where it belongs, and a field removed meanwhile belongs nowhere.
        field.screen.run_worker(_mark_later(field, field.app.workers, mark), group=MARK, exit_on_error=False)
    else:
        mark()


async def _mark_later(field: TextField, workers: WorkerManager, mark: Callable[[], None]) -> None:
    await none_left(lambda: _lookups(field, workers))
    if field.is_in_form:
        mark()


def _lookups(field: TextField, workers: WorkerManager) -> Sequence[Worker[Any]]:
    """What looks up values now: the field, or its line to complete what is typed."""
    running = (one for one in workers if not one.is_finished)
    return [one for one in running if one.node is field.line or (one.node is field and one.group == LOOKUP)]
