"""Three panes, side by side or one at a time where there is no room: which is present, how wide each is, and what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events, on
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from tui.explorer.tool_pane import Filter
from tui.explorer.top_bar import PaneTabs
from tui.keybar import KeyBar

if TYPE_CHECKING:
    from tui.json_view.view import JsonView
    from tui.table.view import TableView

_PANES = ("tools", "form", "result")
_TREE_WIDTH, _TREE_STEP, _TREE_RANGE = 36, 4, (20, 72)
_SHARE_STEP, _SHARE_RANGE = 0.2, (0.4, 3.0)
_WIDTH_FOR_THREE = 112


class PaneScreen(Screen[None]):
    """Moving between the panes, and giving them room. What is in them is the subclass's."""

    def __init__(self) -> None:
        super().__init__()
        self._widths = {"tools": float(_TREE_WIDTH), "form": 1.0, "result": 1.3}

    @property
    def furnished(self) -> bool:
        """Whether all panes are there."""
        raise NotImplementedError

    def focus_pane(self, name: str) -> None:
        """Put the keyboard into a pane."""
        raise NotImplementedError

    @property
    def here(self) -> str:
        """The pane that has, or last had, the keyboard."""
        return next((name for name in _PANES if any(pane.id == name for pane in self.query(".-here"))), "tools")

    def on_resize(self, event: events.Resize) -> None:
        """Show one pane at a time where there is no room for three."""
        self.set_class(event.size.width < _WIDTH_FOR_THREE, "-narrow")

    def action_find(self) -> None:
        """Go to the filter; what is typed next takes the place of what is there."""
        self.go_to_pane("tools")
        line = self.query_one(Filter)
        line.focus()
        line.action_select_all()

    def action_pane(self, name: str) -> None:
        """Go to a pane."""
        if name != "tools" and not self.furnished:
            return
        self.go_to_pane(name)
        self.focus_pane(name)

    def action_zoom(self) -> None:
        """Give the whole screen to the present pane, or back."""
        self.toggle_class("-zoomed")

    def action_resize(self, step: int) -> None:
        """Make the present pane wider or narrower."""
        name = self.here
        low, high = _TREE_RANGE if name == "tools" else _SHARE_RANGE
        change = step * (_TREE_STEP if name == "tools" else _SHARE_STEP)
        self._widths[name] = min(max(self._widths[name] + change, low), high)
        width = self._widths[name]
        self.query_one(f"#{name}", Widget).styles.width = int(width) if name == "tools" else f"{width:.1f}fr"

    @on(PaneTabs.Wanted)
    def _wanted(self, event: PaneTabs.Wanted) -> None:
        event.stop()
        self.action_pane(event.pane)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the keyboard is the present one."""
        for pane in event.widget.ancestors_with_self:
            if isinstance(pane, Widget) and pane.id in _PANES:
                self.go_to_pane(pane.id)
                return

    def go_to_pane(self, name: str) -> None:
        """Make a pane the present one."""
        for pane in self.query(".pane"):
            pane.set_class(pane.id == name, "-here")
        self.query_one(PaneTabs).here = name

    def on_screen_suspend(self) -> None:
        """A dialog stands in front."""
        self.query_one(KeyBar).refresh()

    def on_screen_resume(self) -> None:
        """The dialog has gone."""
        self.query_one(KeyBar).refresh()

    def on_json_view_copied(self, event: JsonView.Copied | TableView.Copied) -> None:
        """Tell what was copied."""
        event.stop()
        self.say(event.words, "$text-success" if event.done else "$text-error")

    on_table_view_copied = on_json_view_copied

    def say(self, words: str, colour: str = "$text-warning") -> None:
        """Say something in a few words where it is in nobody's way."""
        self.query_one(KeyBar).say(Content.styled(f" {words}", f"bold {colour}"))
