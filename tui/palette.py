"""What the command palette offers: every tool, and every command."""

from __future__ import annotations

from functools import partial
from typing import Protocol, cast

from textual import on
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.widgets import Input

from registry.catalog.matching import Match, Matcher
from registry.text import visible_line
from tui.commands import COMMANDS
from tui.explorer.toolkit_tree import SIGNS, WORDS

_MOST = 30


class Opener(Protocol):
    """Whoever knows all tools and can open one."""

    @property
    def matcher(self) -> Matcher:
        """Finds tools, as the filter does."""

    def open_tool(self, name: str) -> None:
        """Open a tool's form."""


class Palette(CommandPalette):
    """The command palette, where one Enter takes the best match."""

    @on(Input.Submitted)
    def _take_first(self) -> None:
        found = self.query_one(CommandList)
        if found.highlighted is None and found.option_count:
            found.highlighted = 0


class Tools(Provider):
    """Tools, found as the filter finds them."""

    async def search(self, query: str) -> Hits:
        """The best tools for a query."""
        app = cast(Opener, self.app)
        for match in app.matcher.find(query)[:_MOST]:
            told = f"{visible_line(match.reason)} · {match.tool.summary}" if match.reason else match.tool.summary
            yield Hit(match.score / 100, _marked(match), partial(app.open_tool, match.tool.name), help=told)


class Commands(Provider):
    """Everything that has a key."""

    async def discover(self) -> Hits:
        """All commands that work anywhere."""
        for command in COMMANDS:
            if command.scope == "everywhere":
                yield DiscoveryHit(command.title, partial(self._run, command.action), help=f"{command.shown}  {command.help}")

    async def search(self, query: str) -> Hits:
        """Commands by their titles."""
        matcher = self.matcher(query)
        for command in COMMANDS:
            score = max(matcher.match(command.title), matcher.match(command.help) / 2)
            if score > 0 and command.scope != "lists":
                text = matcher.highlight(command.title)
                yield Hit(score, text, partial(self._run, command.action), help=f"{command.shown}  {command.help}")

    async def _run(self, action: str) -> None:
        target = self.focused or self.screen
        for node in target.ancestors_with_self:
            if hasattr(node, f"action_{action.partition('(')[0]}"):
                await self.app.run_action(action, node)
                return


def _marked(match: Match) -> Content:
    content = Content(match.tool.name)
    for letter in match.letters:
        content = content.stylize("bold underline", letter, letter + 1)
    sign = "" if match.tool.effect == "read" else f"  {SIGNS[match.tool.effect]} {WORDS[match.tool.effect]}"
    return Content.assemble(content, Content(sign + ("  † deprecated" if match.tool.deprecated else "")))
