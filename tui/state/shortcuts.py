"""The tools at the top of the tree: favourites and recent ones, kept between runs as names, without arguments."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from tui.state.json_store import JsonStore

_MOST_FAVOURITES, _MOST_RECENT = 30, 8


class _Kept(Struct, frozen=True):
    """The content of the file."""

    favourites: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()


class Shortcuts(JsonStore[_Kept]):
    """Favourites and recent tools."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "shortcuts.json", _Kept(), "Favourites and recent tools")

    @property
    def favourites(self) -> tuple[str, ...]:
        """The favourite tools, in the order in which they were marked."""
        return self.now.favourites

    @property
    def recent(self) -> tuple[str, ...]:
        return self.now.recent

    def mark(self, tool: str) -> None:
        """Make a tool a favourite, or stop that."""
        added = () if tool in self.favourites else (tool,)

        def marked(kept: _Kept) -> _Kept:
            others = tuple(name for name in kept.favourites if name != tool)
            return replace(kept, favourites=(others + added)[-_MOST_FAVOURITES:])

        self.change(marked)

    def use(self, tool: str) -> None:
        self.change(lambda kept: replace(kept, recent=tuple(dict.fromkeys((tool, *kept.recent)))[:_MOST_RECENT]))
