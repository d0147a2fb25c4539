"""Screens that are dismissed once, and never another one in their place.

Textual's own `dismiss` takes whatever screen is in front. A second click or Enter, or a worker that is done while the help is
open, would close another screen, or the last one, which ends the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

Answer = TypeVar("Answer")

if TYPE_CHECKING:

    class _Screen(Screen[Answer]):
        """The screen that the mixin needs."""

else:

    class _Screen(Generic[Answer]):
        """Not a node: Textual takes bindings and styles from the first base that is one."""


class DismissedOnce(_Screen[Answer]):
    """To be mixed into a screen, as its first base.

    It closes only itself: at once when it is in front, else as soon as it is; when it is gone, not again.
    """

    _late: tuple[Answer | None] | None = None

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close this screen with a result."""
        if self.is_active:
            return super().dismiss(result)
        if self._late is None and self in self.app.screen_stack:
            self._late = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """It is in front again."""
        if self._late is not None:
            (result,) = self._late
            self.dismiss(result)
