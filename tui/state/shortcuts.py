"""Favourite and recent tools, kept between runs as names, without arguments; and the pages that were opened last."""

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from tui.state.json_store import JsonStore

_MOST_FAVOURITES, _MOST_RECENT = 30, 8


class RecentPage(Struct, frozen=True):
    """The page of an object, with its title, the account from which it was read, and when, in Unix seconds."""

    toolkit: str
    type: str
    id: str
    title: str
    account: str
    at: float


class _Kept(Struct, frozen=True):
    """The content of the file."""

    favourites: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    pages: tuple[RecentPage, ...] = ()


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

    def visit(self, page: RecentPage) -> None:
        def visited(kept: _Kept) -> _Kept:
            others = [one for one in kept.pages if (one.id, one.account) != (page.id, page.account)]
            return replace(kept, pages=(page, *others)[:_MOST_RECENT])

        self.change(visited)
