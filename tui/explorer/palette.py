"""The entries of the command palette: tools, commands, saved calls and drafts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol, cast

from textual import on
from textual.app import ComposeResult
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.widgets import Input

from registry.catalog.listing import EFFECT_SIGNS
from registry.saved.saved_call import SavedCall
from registry.text.safe_text import visible_line
from tui.explorer.finder import Finder, Found
from tui.explorer.toolkit_tree import WORDS
from tui.keyboard.calling_commands import carry_out, that_work
from tui.keyboard.commands import COMMANDS, SCOPES, Command
from tui.keyboard.dismissed_once import DismissedOnce
from tui.keyboard.started_work import MARK, none_left
from tui.session import Session
from tui.state.settings import Configured
from tui.widgets.scrolling import MayBeGone

_MOST = 30


class Opener(Protocol):
    """An application that has a finder and can open a tool."""

    @property
    def finder(self) -> Finder:
        """Finds tools, as the filter does."""

    def open_tool(self, name: str, raw: Mapping[str, object] | None = None) -> None:
        """Open a tool's form, with these values or, without values, as it was left."""


class Recoverer(Protocol):
    """An application that has drafts of an earlier run."""

    @property
    def drafts_left(self) -> Sequence[str]:
        """The tools of the drafts, newest first."""

    def recover(self, tool: str) -> None:
        """Open a tool's form with its draft."""


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


class Tools(Provider):
    """Tools, found as the filter finds them."""

    async def search(self, query: str) -> Hits:
        """The best tools for a query."""
        app = cast(Opener, self.app)
        for found in app.finder.find(query)[:_MOST]:
            opening = partial(app.open_tool, found.tool.name, found.raw)
            # The help is parsed as markup, and a reason contains typed text: it is shown beside the name instead.
            yield Hit(found.score / 100, _marked(found), opening, help=found.tool.summary)


class Commands(Provider):
    """Every command."""

    def _key(self, command: Command) -> str:
        # The help is parsed as markup, and a key may be a bracket.
        return cast(Configured, self.app).settings.shown(command).replace("[", "\\[")

    async def discover(self) -> Hits:
        """All commands that work anywhere."""
        for command in that_work((one for one in COMMANDS if one.scope == "everywhere"), self.screen):
            yield DiscoveryHit(
                command.title, partial(carry_out, command, self.screen), help=f"{self._key(command)}  {command.help}"
            )

    async def search(self, query: str) -> Hits:
        """Commands by their titles."""
        matcher = self.matcher(query)
        working = that_work(COMMANDS, self.screen)
        works, here = {command.id for command in working}, {command.title for command in working}
        for command in COMMANDS:
            score = max(matcher.match(command.title), matcher.match(command.help) / 2)
            if command.id not in works and command.title in here:
                continue  # another screen's command of that name; the one that works here is listed
            if score > 0 and command.scope != "lists":
                text = matcher.highlight(command.title)
                if command.id not in works:
                    score /= 2
                    text = Content.assemble(
                        text, Content.styled(f"  only in: {SCOPES[command.scope]}", "not bold $foreground-muted")
                    )
                yield Hit(score, text, partial(carry_out, command, self.screen), help=f"{self._key(command)}  {command.help}")


class SavedOpener(Protocol):
    """An application that can open saved calls."""

    session: Session

    def open_saved(self, call: SavedCall) -> object:
        """Fill the form of a single call; run a chain."""


class Saved(Provider):
    """The saved calls, by their names."""

    async def startup(self) -> None:
        """Read them."""
        session = cast(SavedOpener, self.app).session
        await session.ready()
        self._kept = (await asyncio.to_thread(session.saved.all)).calls

    async def search(self, query: str) -> Hits:
        """The saved calls whose names match."""
        app, matcher = cast(SavedOpener, self.app), self.matcher(query)
        for one in self._kept:
            text = f"Saved call: {visible_line(one.name)}"
            if (score := matcher.match(text)) > 0:
                # The help is parsed as markup: its own description is not put there.
                help_ = f"{len(one.steps)} {'step' if len(one.steps) == 1 else 'steps'}"
                yield Hit(score, matcher.highlight(text), partial(app.open_saved, one), help=help_)


class Left(Provider):
    """Drafts of an earlier run."""

    async def discover(self) -> Hits:
        """All of them."""
        for text, opening in self._offers():
            yield DiscoveryHit(text, opening, help="Unsent draft from an earlier run.")

    async def search(self, query: str) -> Hits:
        """The drafts whose entry matches: by the name of the tool, or all for “restore” and “draft”."""
        matcher = self.matcher(query)
        for text, opening in self._offers():
            if (score := matcher.match(text)) > 0:
                yield Hit(score, matcher.highlight(text), opening)

    def _offers(self) -> list[tuple[str, Callable[[], None]]]:
        app = cast(Recoverer, self.app)
        return [(f"Restore draft: {tool}", partial(app.recover, tool)) for tool in app.drafts_left]


def _marked(found: Found) -> Content:
    content = Content(found.tool.name)
    for letter in found.letters:
        content = content.stylize("bold underline", letter, letter + 1)
    sign = "" if found.tool.effect == "read" else f"  {EFFECT_SIGNS[found.tool.effect]} {WORDS[found.tool.effect]}"
    words = found.title or found.reason
    reason = Content.styled(f"  {visible_line(words)}" if words else "", "not bold $foreground-muted")
    return Content.assemble(content, reason, Content(sign + ("  † deprecated" if found.tool.deprecated else "")))
