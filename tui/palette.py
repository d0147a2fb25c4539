"""What the command palette offers: every tool, and every command."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol, cast

from textual import on
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.widgets import Input

from registry.text import visible_line
from tui.commands import COMMANDS
from tui.explorer.finder import Finder, Found
from tui.explorer.toolkit_tree import SIGNS, WORDS

_MOST = 30


class Opener(Protocol):
    """Whoever knows all tools and can open one."""

    @property
    def finder(self) -> Finder:
        """Finds tools, as the filter does."""

    def open_tool(self, name: str, raw: Mapping[str, object] | None = None) -> None:
        """Open a tool's form, with these values or, without any, as it was left."""


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
        for found in app.finder.find(query)[:_MOST]:
            opening = partial(app.open_tool, found.tool.name, found.raw)
            # The help is read as markup, and a reason holds what was typed: it stands beside the name.
            yield Hit(found.score / 100, _marked(found), opening, help=found.tool.summary)


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


def _marked(found: Found) -> Content:
    content = Content(found.tool.name)
    for letter in found.letters:
        content = content.stylize("bold underline", letter, letter + 1)
    sign = "" if found.tool.effect == "read" else f"  {SIGNS[found.tool.effect]} {WORDS[found.tool.effect]}"
    reason = Content.styled(f"  {visible_line(found.reason)}" if found.reason else "", "not bold $foreground-muted")
    return Content.assemble(content, reason, Content(sign + ("  † deprecated" if found.tool.deprecated else "")))
