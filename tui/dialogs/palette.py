"""The command palette over a screen other than the explorer, whose ask line finds commands after ``>``."""

from typing import Any

from textual.screen import Screen

from tui.dialogs.choose import Choice, ChooseDialog
from tui.keyboard.calling_commands import that_work, themes_of
from tui.keyboard.commands import NAMED, Command
from tui.state.settings import Settings


class Palette(ChooseDialog[Command]):
    """Returns a command that works on a screen; each theme is a command, too."""

    def __init__(self, screen: Screen[Any], settings: Settings) -> None:
        found = [*that_work(NAMED, screen), *themes_of(screen.app)]
        choices = [Choice(one.title, f"{settings.shown(one):<8} {one.help}") for one in found]
        super().__init__("Commands", choices, found, "Run")
