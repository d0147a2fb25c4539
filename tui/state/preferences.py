"""The user's choices of display: the theme, and for each tool whether its lists are tables, and their columns."""

from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace
from platformdirs import user_state_path

from tui.state.json_store import JsonStore

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

    def choose_theme(self, theme: str, by_settings: str) -> None:
        self.change(lambda looks: replace(looks, theme=(theme, by_settings)))

    def of(self, tool: str) -> Appearance:
        return self.now.tools.get(tool) or Appearance(self.as_table)

    def look(self, tool: str, appearance: Appearance) -> None:

        def changed(looks: _Looks) -> _Looks:
            tools = {name: one for name, one in looks.tools.items() if name != tool} | {tool: appearance}
            return replace(looks, tools=dict(list(tools.items())[-_MOST_TOOLS:]))

        self.change(changed)
