"""The user's choices between runs, in small JSON files that two programs may change: theme, tables, favourite tools.

Nothing here stops the program: a file that cannot be read or written is reported once, and changes last for this run. An
invalid file is renamed, so that a new one can be written and nothing in it is lost.
"""

import json
import threading
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace
from platformdirs import user_state_path

from registry.catalog.folders import converted
from registry.files.folders import file_lock, open_plain, put_aside, reason, replace_text
from registry.text.shown import visible_line

_MOST_BYTES = 10_000_000

Content = TypeVar("Content")


class JsonStore(Generic[Content]):
    """A value in a file. Each change is applied to what is there when it is saved, so programs keep each other's changes.

    Safe in any thread; do not load or save on the event loop.

    Args:
        file: the file.
        usual: the value without a file.
        what: the beginning of sentences about the file: “Favourites and recent tools”.

    Attributes:
        now: the value, with the changes of this program.
    """

    def __init__(self, file: Path, usual: Content, what: str) -> None:
        self.now = usual
        self._file, self._usual, self._what = file, usual, what
        self._changes: list[Callable[[Content], Content]] = []
        self._changing, self._saving = threading.Lock(), threading.Lock()
        self._notices: dict[str, bool] = {}

    def notices(self) -> str:
        """What the user should know about the file, each sentence only once; empty if there is nothing new."""
        new = [words for words, told in self._notices.items() if not told]
        self._notices.update(dict.fromkeys(new, True))
        return "\n".join(new)

    def change(self, change: Callable[[Content], Content]) -> None:
        """Change the value; `save` changes the file in the same way."""
        with self._changing:
            self.now = change(self.now)
            self._changes.append(change)

    def load(self) -> None:
        try:
            self._take(self._read())
        except OSError as error:
            self._tell(f"could not be read: {reason(error)}. Using defaults; make it readable, or move it away.")

    def save(self) -> bool:
        """Write the changes to the file; False if that fails: they last for this run, or until it can be written."""
        with self._saving:
            with self._changing:
                changes, self._changes = self._changes, []
            if not changes:
                return True
            try:
                with file_lock(self._file):
                    saved = reduce(lambda content, change: change(content), changes, self._read())
                    replace_text(self._file, json.dumps(msgspec.to_builtins(saved), indent=1))
                self._take(saved)
            except OSError as error:
                self._changes = changes + self._changes
                self._tell(f"could not be saved: {reason(error)}. They last until you quit.")
                return False
            return True

    def _take(self, content: Content) -> None:
        with self._changing:
            self.now = reduce(lambda content, change: change(content), self._changes, content)

    def _read(self) -> Content:
        try:
            with open_plain(self._file) as opened:
                raw = opened.read(_MOST_BYTES + 1)
            if len(raw) <= _MOST_BYTES:
                # msgspec's own reader refuses half a surrogate pair
                found: Content = converted(json.loads(raw), type(self._usual))
                return found
        except FileNotFoundError:
            return self._usual
        except (ValueError, RecursionError):
            pass
        aside = put_aside(self._file)
        self._tell(f"were damaged{f'; the old file is now {aside}' if aside is not None else ''}. Using defaults.")
        return self._usual

    def _tell(self, words: str) -> None:
        self._notices.setdefault(visible_line(f"{self._what} {words}"), False)


ColumnPath = tuple[str, ...]

_MOST_TOOLS = 200


class Appearance(Struct, frozen=True):
    """How one tool's lists should look.

    Attributes:
        as_table: whether they show as a table.
        columns: the columns to show, in order; empty for those that the data suggests.
        sorted_by: the column by which rows are sorted; None for the original order.
        descending: whether the greatest come first.
    """

    as_table: bool = True
    columns: tuple[ColumnPath, ...] = ()
    sorted_by: ColumnPath | None = None
    descending: bool = False


class _Looks(Struct, frozen=True):
    """The content of the file: the last choice for any tool, the theme and what the settings said then, and the tools."""

    as_table: bool = True
    theme: tuple[str, str] = ("", "")
    tools: dict[str, Appearance] = field(default_factory=dict)


def usual_folder() -> Path:
    """The system's folder for the state of programs."""
    return user_state_path("callboard")


class Preferences(JsonStore[_Looks]):
    """The remembered appearance of all tools. `folder` is the folder of the file."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "looks.json", _Looks(), "The saved table layouts")
        self.folder = folder

    @property
    def as_table(self) -> bool:
        """Whether lists show as tables for tools without a choice of their own: the last choice for any tool."""
        return self.now.as_table

    @as_table.setter
    def as_table(self, as_table: bool) -> None:
        self.change(lambda looks: replace(looks, as_table=as_table))

    def theme_chosen(self, by_settings: str) -> str:
        """The theme that was chosen on screen; empty if there is none, or the settings name another one since."""
        return self.now.theme[0] if self.now.theme[1] == by_settings else ""

    def of(self, tool: str) -> Appearance:
        return self.now.tools.get(tool) or Appearance(self.as_table)

    def look(self, tool: str, appearance: Appearance) -> None:

        def changed(looks: _Looks) -> _Looks:
            tools = {name: one for name, one in looks.tools.items() if name != tool} | {tool: appearance}
            return replace(looks, tools=dict(list(tools.items())[-_MOST_TOOLS:]))

        self.change(changed)


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
    """The content of the file; the favourite tools are in the order in which they were marked."""

    favourites: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    pages: tuple[RecentPage, ...] = ()


class Shortcuts(JsonStore[_Kept]):
    """Favourites and recent tools."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "shortcuts.json", _Kept(), "Favourites and recent tools")

    def mark(self, tool: str) -> None:
        """Make a tool a favourite, or stop that."""
        added = () if tool in self.now.favourites else (tool,)

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
