"""The application: theme, screens, and what they have in common."""

import asyncio
import gc
import os
import sys

# Shorter frames than the default 1/60 s: the effect of a key appears sooner. Textual reads this when it is imported.
os.environ.setdefault("TEXTUAL_FPS", "240")

from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast

from msgspec.structs import replace
from textual import events, work
from textual.app import App
from textual.binding import Binding
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.screen import ModalScreen, Screen

from registry.engine import Sandbox
from registry.files.crash_report import EXIT_CODE, catch_in_threads, put_down
from registry.journal.store import JournalError
from registry.oncall.model import TOOLKIT
from registry.pages.page import ObjectLink
from registry.pages.subjects import PageRequest
from registry.text.shown import visible_line
from tui.explorer.elicitation import AgentWatch
from tui.explorer.screen import ExplorerScreen
from tui.explorer.trail import FROM_BOARD, FROM_PAGE
from tui.keyboard.commands import IN_DIALOGS, bindings, carry_out, spelled
from tui.keyboard.key_bar import JumpScreen, WithKeyBar, spots
from tui.keyboard.key_order import KeyOrder
from tui.session import Session
from tui.state.settings import Settings, current, key_of
from tui.terminal.drivers import Ascii, OnTerminal
from tui.terminal.external_programs import NotOpened, copy_out, show_walks
from tui.theme import CALLBOARD, THEMES, roles_of

_ON_CALL = "oncall"
_PAGE = "page"
_WAYS = {_ON_CALL: FROM_BOARD, _PAGE: FROM_PAGE}
_SWITCH = 0.001
"""Seconds that a thread waits for a busy one, not Python's 5 ms: the one that writes frames waits for the event loop."""
_LONGEST_SETTLING = 15.0
"""Seconds after which the program exits even if the outcome of a change is unknown; the next start looks it up."""


def _in_front(group: str) -> Callable[[Callable[..., Coroutine[Any, Any, None]]], Callable[..., None]]:
    """An action that may open a dialog on the screen in front; keys that are pressed meanwhile wait for it."""

    def action(work: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
        def begin(self: "CallboardApp", *arguments: str) -> None:
            self.screen.run_worker(work(self, *arguments), group=group, exclusive=True)

        return begin

    return action


class CallboardApp(OnTerminal, KeyOrder):
    """Callboard on a terminal."""

    TITLE = "Callboard"
    CSS_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "theme.tcss")
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = bindings(also=IN_DIALOGS)

    def __init__(
        self,
        session: Session | None = None,
        settings: Callable[[], Settings] = Settings,
        *,
        oncall: bool = False,
        page: PageRequest | None = None,
        **board: Any,
    ) -> None:
        """Make the application.

        Args:
            session: the state shared by the screens.
            settings: reads the user's settings, in a thread after the first frame.
            oncall: start with the dashboard.
            page: start with the page of an object.
            board: what the dashboard is made with, as `OncallScreen` says.
        """
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        # Set without its watchers: a change of theme would parse every style twice before the first frame.
        self.set_reactive(App.theme, CALLBOARD.name)
        self.stylesheet.set_variables(self.get_css_variables())
        self.settings = Settings()
        self._read_settings = settings
        self._ascii: LineFilter | None = None
        self.session = session if session is not None else Session()
        self.session.tell = partial(self.notify, severity="warning")
        self._asked_by, self._page_from_board = 0, False
        self.parting_words: list[str] = []
        self._starts_on_call, self._starts_with, self._board = oncall, page, board
        self._agents = AgentWatch(self)

    def on_load(self) -> None:
        """Have threads wait less, and tasks run after `create_task` returned them: from Python 3.12 on, Textual does not."""
        asyncio.get_running_loop().set_task_factory(None)
        sys.setswitchinterval(_SWITCH)

    async def on_event(self, event: events.Event) -> None:
        """Pass an event on, except a mouse event on a widget just removed: Textual would look for its parent."""
        if self.is_ending and isinstance(event, events.InputEvent | events.Paste):
            return  # input after the key that quits has no widget to go to
        if isinstance(event, events.MouseEvent) and not event.is_forwarded:
            if not self.screen_stack:
                return
            widget, _ = self.screen.get_widget_and_offset_at(int(event.x), int(event.y))
            if widget is not None and not widget.is_attached:
                return  # still drawn, but removed
        await super().on_event(event)

    def on_key(self, event: events.Key) -> None:
        """Say that a letter means nothing here, and where words go."""
        screen, letter = self.screen, event.character or ""
        if letter.isalpha() and isinstance(screen, WithKeyBar) and event.key not in screen.active_bindings:
            screen.say(f"{letter} does nothing here. {key_of(self, 'find')} asks in words.")

    def get_css_variables(self) -> dict[str, str]:
        """The theme's colours, with our roles instead of the colours that Textual would compute."""
        self.theme_variables = {**super().get_css_variables(), **roles_of(self.current_theme)}
        return self.theme_variables

    def get_default_screen(self) -> Screen[None]:
        return ExplorerScreen(self.session)

    async def on_mount(self) -> None:
        """Open the dashboard or a page, if the program was started with it."""
        self.watch_loose_ends()
        if self._starts_on_call:
            self.action_oncall()
        if self._starts_with is not None:
            self.open_page(self._starts_with)

    def on_ready(self) -> None:
        """After the first frame: freeze the objects made for it, and switch the garbage collector on again."""
        gc.freeze()
        gc.enable()
        self._take_settings()
        self._settle()
        self.run_worker(self._agents.watch(), group="agents watch")

    @work(group="settings")
    async def _take_settings(self) -> None:
        self.settings = settings = await asyncio.to_thread(self._read_settings)
        if settings.keys:
            self.set_keymap(settings.keymap)
            self.screen.refresh_bindings()
        problems = list(settings.problems)
        if settings.theme in self.available_themes:
            self.theme = settings.theme
        elif settings.theme:
            known = ", ".join(sorted(self.available_themes))
            problems.insert(0, f"Unknown theme: {visible_line(settings.theme)}. Choose one of: {known}.")
        if settings.ascii:
            self.draw_in_ascii()
        if not settings.motion:
            self.animation_level = "none"
        for problem in problems:
            self.notify(problem, title="Settings", severity="warning", timeout=20)
        await self.session.ready()
        if (chosen := self.session.preferences.theme_chosen(settings.theme)) in self.available_themes:
            self.theme = chosen

    @work(group="settle")
    async def _settle(self) -> None:
        """Look up, by reading, the outcome of changes that an earlier run left unfinished."""
        await self.session.ready()
        try:
            settled = await self.session.engine.settle()
        except JournalError as error:
            self.notify(visible_line(str(error)), title="Audit log", severity="warning", timeout=20)
            return
        for change, outcome in settled:
            if change.state == "sent" or outcome.became != "unknown":
                severity: SeverityLevel = "warning" if outcome.became == "unknown" else "information"
                words = visible_line(f"{change.tool} {change.subject}: {outcome.words}")
                self.notify(words, title="Interrupted change", severity=severity, timeout=20)

    def draw_in_ascii(self) -> None:
        """From now on, show ASCII characters only."""
        self._ascii = Ascii()
        self.refresh_css(animate=False)

    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = super().get_line_filters()
        return filters if self._ascii is None else [*filters, self._ascii]

    async def on_unmount(self) -> None:
        await self.session.aclose()

    @property
    def explorer(self) -> ExplorerScreen:
        """The explorer, below all other screens."""
        screen = self.screen_stack[0]
        assert isinstance(screen, ExplorerScreen)
        return screen

    def open_tool(self, name: str, raw: Mapping[str, object] | None = None) -> None:
        """Open a tool in the explorer, with these values or, without any, as it was left."""
        self._show_explorer()
        if raw is None:
            self.explorer.open_tool(name)
        else:
            self.explorer.visit(name, raw, unlinked=True)

    @work(group="open page", exclusive=True)
    async def open_page(self, wanted: PageRequest | ObjectLink) -> None:
        """Open the page of an object, in front of the present screen; *back* returns there."""
        from tui.pages.screen import PageScreen

        await self.session.ready()
        if not self.is_screen_installed(_PAGE):
            self.install_screen(PageScreen(self.session), _PAGE)
        screen = self.get_screen(_PAGE, PageScreen)
        from_board = self.is_screen_installed(_ON_CALL) and self.screen is self.get_screen(_ON_CALL)
        is_open = screen in self.screen_stack and not from_board
        if problem := screen.open(wanted, new_trail=not is_open):
            self.notify(visible_line(problem), severity="warning")
            return
        if not is_open:
            self._page_from_board = from_board
            # Also from elsewhere: an incident's page has one time zone and one next step.
            screen.board = cast(Any, self.get_screen(_ON_CALL)) if self.is_screen_installed(_ON_CALL) else None
        self.action_page()

    def action_page(self) -> None:
        """Show the last opened page, in front of the dashboard if it was opened from there."""
        if not self.is_screen_installed(_PAGE) or self.screen is (page := self.get_screen(_PAGE)):
            return
        while page in self.screen_stack:
            self.screen.dismiss()
        if self._page_from_board:
            self.action_oncall()
        self.push_screen(_PAGE)

    def action_ask(self) -> None:
        """Go to the ask line in the explorer; from another screen, Escape goes back there until something is run."""
        way = self._way_back
        self._show_explorer()
        self.explorer.action_find()
        self.explorer.asked_from = way

    @property
    def _way_back(self) -> str:
        """The action that returns to the dashboard or to the page on screen; empty in the explorer."""
        ways = {self.get_screen(name): way for name, way in _WAYS.items() if self.is_screen_installed(name)}
        return next((ways[one] for one in reversed(self.screen_stack) if one in ways), "")

    def open_call(self, name: str, raw: Mapping[str, object], *, asks: bool = False) -> None:
        """Open and run a call of the dashboard or of a page; *back* returns there."""
        way = self._way_back
        self._show_explorer()
        self.explorer.action_pane("result")
        opening = self.explorer.visit(name, raw, origin=way)
        if asks:
            self.explorer.ask_once_open(opening)

    def action_home(self) -> None:
        """Go home from the screen in front."""
        self._show_explorer()
        self.explorer.action_start()

    def action_pane(self, name: str) -> None:
        """Go to a pane of the explorer from the screen in front."""
        self._show_explorer()
        self.explorer.action_pane(name)

    def action_oncall(self) -> None:
        """Open the dashboard. It is made once; closed, it reads only for its alarm."""
        if not self.is_screen_installed(_ON_CALL):
            from tui.oncall.screen import OncallScreen

            self.install_screen(OncallScreen(self.session, **self._board), _ON_CALL)
        board = self.get_screen(_ON_CALL)
        if board in self.screen_stack:
            while self.screen is not board:
                self.screen.dismiss()
        else:
            self.push_screen(_ON_CALL)

    def _show_explorer(self) -> None:
        """Close what is in front: each without a result, so that work waiting for it continues and blocks no keys."""
        while self.screen is not self.explorer:
            self.screen.dismiss()

    def copy_to_clipboard(self, text: str) -> None:
        """Copy text from Textual's own inputs like any other text."""
        copy_out(self.explorer, text, "it")

    @_in_front("history")
    async def action_history(self, search: str = "") -> None:
        from tui.explorer.past_calls import look_back

        await look_back(self.explorer, search)

    @_in_front("saved")
    async def action_saved(self) -> None:
        """Save the form, open, record, edit and run saved calls; on a page, run one for its object."""
        from tui.explorer.past_calls import Selection, saved_calls
        from tui.pages.screen import PageScreen

        await self.explorer.wait_for_form()
        screen, selection = self.screen, None
        page = screen.page if isinstance(screen, PageScreen) else None
        if page is not None and page.object is not None and page.head is not None:
            selection = Selection([page.object], page.head.tool)
        if not isinstance(screen, ModalScreen):
            await saved_calls(self.explorer, self.open_tool, selection)

    @_in_front("agents")
    async def action_agents(self) -> None:
        await self.session.ready()
        if not isinstance(self.screen, ModalScreen):
            await self._agents.answer()

    @_in_front("connections")
    async def action_accounts(self) -> None:
        """Choose an account for each toolkit, at first for that of the screen in front."""
        from tui.dialogs.accounts import ConnectionDialog

        await self.explorer.wait_for_panes()
        if not isinstance(self.screen, ModalScreen):
            toolkit = getattr(self.screen, "toolkit_here", "")
            await self.push_screen_wait(ConnectionDialog(self.session, self.explorer.targets_changed, toolkit))

    @_in_front("requests")
    async def action_requests(self) -> None:
        from tui.requests.screen import RequestsDialog

        await self.session.ready()
        if not isinstance(self.screen, RequestsDialog):
            self.push_screen(RequestsDialog(self.session.engine.traces))

    def leave(self, number: int) -> None:
        """Quit on a signal: a running change is dropped and its outcome looked up. A second signal quits at once."""
        if self.is_ending or self.last_words:
            return  # already quitting; a lost terminal changes nothing
        if self._asked_by or not self.is_running:
            self._end(number)
            return
        self._asked_by = number
        asyncio.get_running_loop().call_later(
            _LONGEST_SETTLING + 1, self._end, number
        )  # even if the outcome cannot be looked up
        self._leave()

    @work(group="leave", exclusive=True)
    async def _leave(self) -> None:
        if changing := self.explorer.running_calls.changing if self.screen_stack else ():
            self.parting_words = [f"{running.tool.name} was running." for running in changing]
            with suppress(TimeoutError):
                async with asyncio.timeout(_LONGEST_SETTLING):
                    await asyncio.gather(*(running.settle() for running in changing))
        self.parting_words = [running.became for running in changing]
        self._end(self._asked_by)

    def _end(self, number: int) -> None:
        self.exit(return_code=128 + number)

    async def action_quit(self) -> None:
        """Quit, or, while a change is running, the second time this is called."""
        if self.explorer.may_leave():
            self.parting_words = [running.became for running in self.explorer.running_calls.changing]
            self.exit()

    async def action_show_me(self) -> None:
        """Play walks in a separate explorer; this one waits, unchanged."""
        try:
            await show_walks(self)
        except NotOpened as problem:
            self.notify(visible_line(str(problem)), severity="warning")

    async def action_jump(self) -> None:
        if not isinstance(self.screen, JumpScreen):
            await self.push_screen(JumpScreen(spots(self.screen)))

    def action_help(self) -> None:
        from tui.help.screen import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(getattr(self.screen, "help_scope", "everywhere")))

    def get_key_display(self, binding: Binding) -> str:
        """A key, written as everywhere else."""
        return binding.key_display or spelled(binding.key)

    async def action_use_theme(self, name: str) -> None:
        """Use a theme, also at the next starts."""
        self.theme = name
        chosen = (name, self.settings.theme)
        self.session.preferences.change(lambda looks: replace(looks, theme=chosen))
        await asyncio.to_thread(self.session.preferences.save)

    @_in_front("theme")
    async def action_change_theme(self) -> None:
        """Choose a theme, which shows while the cursor is on it."""
        from tui.dialogs.choose import ThemeDialog

        before = self.theme
        chosen = await self.push_screen_wait(ThemeDialog(sorted(self.available_themes), before))
        self.theme = before
        if chosen:
            await self.action_use_theme(chosen)

    @_in_front("palette")
    async def action_command_palette(self) -> None:
        from tui.dialogs.choose import Palette

        below = self.screen
        if below is self.explorer:
            self.explorer.ask(">")
        elif not isinstance(below, Palette) and (command := await self.push_screen_wait(Palette(below, self.settings))):
            await carry_out(command, below)


def run(
    sandbox: Sandbox | None = None, *, read_only: bool = False, oncall: str | None = None, account: str = "", **shown: Any
) -> int:
    """Open the screens and return the exit code.

    Args:
        sandbox: makes the embedded sandbox; None for the usual one.
        read_only: refuse every change.
        oncall: start with the dashboard, on the account of that name, or on a recording.
        account: the name of the account to start with, for the toolkits that it serves.
        shown: what `CallboardApp` starts with.
    """
    session = Session(sandbox=sandbox, read_only=read_only, account=account)
    if oncall:
        session.chosen[TOOLKIT] = oncall
    return present(CallboardApp(session, current, oncall=oncall is not None, **shown))


def present(app: CallboardApp) -> int:
    """Run an application on the terminal until it quits, and return the exit code."""
    if os.environ.get("CALLBOARD_ASCII"):
        app.draw_in_ascii()
    catch_in_threads(app.tell_unforeseen, lambda: app.commands_used)
    try:
        app.run()
    except Exception as error:
        sys.stderr.write(put_down(error, "the screens", app.commands_used) + "\n")
        return EXIT_CODE
    with suppress(OSError):
        sys.stderr.writelines(f"{words}\n" for words in [*filter(None, [app.last_words]), *app.parting_words])
    return EXIT_CODE if app.last_words else app.return_code or 0
