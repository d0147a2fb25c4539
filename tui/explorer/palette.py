"""The command palette: the commands that are found by a name. Tools, objects and saved calls are found by the ask line."""

from __future__ import annotations

from functools import partial
from typing import cast

from textual import on
from textual.app import ComposeResult
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.widgets import Input

from tui.keyboard.calling_commands import carry_out, that_work
from tui.keyboard.commands import NAMED, SCOPES, Command
from tui.keyboard.dismissed_once import DismissedOnce
from tui.keyboard.started_work import MARK, none_left
from tui.state.settings import Configured
from tui.widgets.scrolling import MayBeGone


class _Rows(MayBeGone, CommandList):
    """What was found."""


class Palette(DismissedOnce[None], CommandPalette):
    """The command palette; Enter takes the best match at once."""

    DEFAULT_CSS = """
    Palette > Vertical { background: $surface; &:dark { background: $surface; } }
    Palette > .command-palette--help-text { color: $foreground-muted; text-style: none; }
    Palette SearchIcon { display: none; }
    Palette #--input { border: hkey $border; padding: 0 2; }
    """

    def compose(self) -> ComposeResult:
        """Textual's parts, with rows that may be replaced between a click and its handling."""
        for part in super().compose():
            yield _Rows() if isinstance(part, CommandList) else part

    @on(Input.Submitted)
    def _take_found(self, event: Input.Submitted) -> None:
        """Take the best match of the text, not one of an earlier text that is still on screen."""
        event.stop()
        event.prevent_default()
        self.run_worker(self._once_found(), group=MARK, exclusive=True, exit_on_error=False)

    async def _once_found(self) -> None:
        await none_left(lambda: [one for one in self.workers if one.node is self and one.group != MARK and not one.is_finished])
        if self.is_attached:
            found = self.query_one(CommandList)
            if found.highlighted is None and found.option_count:
                found.highlighted = 0
            found.action_select()


class Commands(Provider):
    """The commands with a name: those that work here first."""

    def _key(self, command: Command) -> str:
        # The help is parsed as markup, and a key may be a bracket.
        return cast(Configured, self.app).settings.shown(command).replace("[", "\\[")

    async def discover(self) -> Hits:
        for command in that_work(NAMED, self.screen):
            words = f"{self._key(command)}  {command.help}".lstrip()
            yield DiscoveryHit(command.title, partial(carry_out, command, self.screen), help=words)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        working = that_work(NAMED, self.screen)
        works, here = {command.id for command in working}, {command.title for command in working}
        for command in NAMED:
            score = max(matcher.match(command.title), matcher.match(command.help) / 2)
            if command.id not in works and command.title in here:
                continue  # another screen's command of that name; the one that works here is listed
            if score > 0:
                text = matcher.highlight(command.title)
                if command.id not in works:
                    score /= 2
                    text = Content.assemble(
                        text, Content.styled(f"  only in: {SCOPES[command.scope]}", "not bold $foreground-muted")
                    )
                words = f"{self._key(command)}  {command.help}".lstrip()
                yield Hit(score, text, partial(carry_out, command, self.screen), help=words)
