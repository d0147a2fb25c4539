"""Draws a screen like Textual's compositor, with less work.

Textual makes every widget inside the rectangle around all changes draw itself, also where others hide it, and cuts each of its
lines. Here a widget draws only lines with something to paint that no widget in front of it has painted. For most changes
that is one widget of thirty.

It does not depend on Callboard's widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import cast

from textual._compositor import ChopsUpdate, Compositor, ReflowResult
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Button, Static

_Line = Mapping[int, Strip | None]
"""The parts of a line by their first column; None for parts that are not painted."""


class ScreenCompositor(Compositor):
    """A compositor that draws nothing that is hidden or has not changed."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """The changes since the last update; None if there are none."""
        regions = self._dirty_regions.copy()
        self._dirty_regions.clear()
        if not regions:
            return None
        cuts, spans = self.cuts, list(self._regions_to_spans(regions))
        wanted: dict[int, set[int]] = {}
        for y, left, right in spans:
            changed = {begins for begins, ends in pairwise(cuts[y]) if begins < right and ends > left}
            wanted.setdefault(y, set()).update(changed)
        return ChopsUpdate(self._paint(wanted), spans, [line[1:] for line in cuts])

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out the screen.

        The screen tells each widget its size afterwards, and for each new size Textual lays out everything once more. Only two
        kinds of widgets need that: one whose scroll bar appears or disappears, which asks for it, and one that chooses its
        content by its size.
        """
        changes = super().reflow(parent, size)
        for widget, (region, _, _, virtual_size, container_size, _, _) in self.layers:
            again = widget._size != region.size and _chooses(widget)
            widget._size_updated(region.size, virtual_size, container_size, layout=again)
        return changes

    def _render_chops(self, crop: Region, is_rendered_line: Callable[[int], bool]) -> Sequence[Mapping[int, Strip]]:
        cuts = self.cuts
        whole = self._paint({y: set(cuts[y][:-1]) for y in crop.line_range if is_rendered_line(y)})
        return cast("Sequence[Mapping[int, Strip]]", whole)

    def _paint(self, wanted: dict[int, set[int]]) -> Sequence[_Line]:
        """The wanted parts of each line, by their first columns. Painted parts are removed from `wanted`."""
        cuts = self.cuts
        painted: list[dict[int, Strip | None]] = [
            dict.fromkeys(line[:-1]) if y in wanted else {} for y, line in enumerate(cuts)
        ]
        for widget, (region, clip) in self.visible_widgets.items():  # the front ones first
            left, top, width, height = region.intersection(clip)
            right = left + width
            lines = [
                y for y in range(top, top + height) if (missing := wanted.get(y)) and any(left <= x < right for x in missing)
            ]
            if not lines:
                continue
            above, below = lines[0], lines[-1] + 1
            strips = widget.render_lines(Region(left - region.x, above - region.y, width, below - above))
            for y in lines:
                places, missing, strip = [x for x in cuts[y] if left <= x <= right], wanted[y], strips[y - above]
                is_one = len(places) > 1 and strip.cell_length == places[1] - left
                parts = [strip] if is_one else strip.divide([place - left for place in places[1:]])
                for x, part in zip(places, parts, strict=False):
                    if x in missing:
                        missing.remove(x)
                        painted[y][x] = part
        return painted


def _chooses(widget: Widget) -> bool:
    """Whether a widget has as much space as its content needs, and may choose that content by its size."""
    if isinstance(widget, Static | Button) or widget.is_container or not widget.styles.auto_dimensions:
        return False
    kind = type(widget)
    return kind.get_content_width is Widget.get_content_width and kind.get_content_height is Widget.get_content_height
