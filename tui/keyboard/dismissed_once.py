"""Screens that are dismissed only once, and never another screen in their place.

Textual's own `dismiss` closes any screen that is in front. A second click or Enter, or a worker that ends while the help is
open, would close another screen, or the last one, which ends the program.
"""

from typing import Any, Generic, TypeVar, cast

from textual.await_complete import AwaitComplete
from textual.screen import Screen

DialogResult = TypeVar("DialogResult")


class DismissedOnce(Generic[DialogResult]):
    """A mixin for a screen, as its first base class; no DOM node itself, as Textual takes bindings and styles from the first.

    It closes only itself: at once if it is in front, else as soon as it is; after that, never again.
    """

    _late: tuple[DialogResult | None] | None = None

    def dismiss(self, result: DialogResult | None = None) -> AwaitComplete:
        screen = cast(Screen[Any], self)
        if screen.is_active:
            return super().dismiss(result)  # type: ignore[misc, no-any-return]  # the screen's
        if self._late is None and screen in screen.app.screen_stack:
            self._late = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """Close the screen when it is in front again, if it was dismissed before."""
        if self._late is not None:
            (result,) = self._late
            self.dismiss(result)
