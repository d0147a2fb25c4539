"""The dashboard's present: an account that is read again and again, its alarms, its recording, and what is remembered of it.

Clocks update each second without a request. The watch continues while the explorer or a dialog is in front.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from textual import work

from registry.oncall.account import Account, AccountView
from registry.oncall.alarms import Alarm, AlarmCommand, Ring
from registry.oncall.headline import headline
from registry.oncall.model import TOOLKIT
from registry.oncall.recorder import recordings_folder
from registry.text.safe_text import visible_line
from tui.keyboard.key_bar import KeyBar
from tui.oncall.accounts_bar import AccountsBar, OtherAccounts
from tui.oncall.display import Display
from tui.oncall.memory import memory_file, store_settings, stored_settings
from tui.oncall.watching import Watching
from tui.session import Session
from tui.state.settings import key_of
from tui.terminal.drivers import OnTerminal
from tui.terminal.notifications import has_desktop, notification, shown_by_desktop


class LiveDisplay(Display):
    """A display whose watch is kept up to date.

    Args:
        session: accounts and catalogue, once they are ready.
        every: seconds between two refreshes.
        on_alarm: run when the board rings, also while the bell is off.
        accounts: the names of all accounts, if there are several; the first one is in the panels.
    """

    def __init__(
        self, session: Session, every: float = 15.0, on_alarm: AlarmCommand | None = None, accounts: Sequence[str] = ()
    ) -> None:
        super().__init__(session, every)
        self.others = OtherAccounts(self._account, accounts)
        self._every = every
        self._wanted = ""
        self._facts_changed = asyncio.Event()
        self._finished = False
        self._on_alarm = on_alarm
        if on_alarm is not None:
            on_alarm.tell = self._command_failed

    def on_screen_suspend(self) -> None:
        """Another screen opened in front."""
        self.query_one(KeyBar).refresh()

    def on_screen_resume(self) -> None:
        """The screen in front closed."""
        self.query_one(KeyBar).refresh()
        self.tick()

    async def on_unmount(self) -> None:
        """End the alarm command, and stop reading other accounts."""
        await self.others.aclose()
        if self._on_alarm is not None:
            await self._on_alarm.aclose()

    def _account(self, name: str) -> Account:
        connection = self.session.connections[name]
        mode = connection.endpoint(TOOLKIT).mode
        call = self.session.engine.refreshing(lambda: connection)
        folder = recordings_folder(self.session.environment)
        return Account(name, mode, call, self._every, folder, self.session.clock)

    @work(group="oncall begin", exclusive=True, exit_on_error=False)
    async def begin(self) -> None:
        """Watch the account in use for the toolkit."""
        await self.session.ready()
        name = self._wanted = self.session.connection(TOOLKIT).name
        kept = await asyncio.to_thread(stored_settings, memory_file(self.session.environment), name)
        # No await from here on: the account and its watch must change together.
        self._finished = False
        self.live = Watching(self._account(name))
        teams, zone = kept.get("teams"), kept.get("zone")
        if isinstance(teams, list):
            self.live.narrow(teams=frozenset(str(one) for one in teams))
        if zone in ("profile", "here", "UTC"):
            self.live.zone_name = zone
        self.alarm_on = kept.get("alarm") is True
        self.others.watch(name, self._ring_other, self._command_failed)
        self.change_watch(self.live)
        self._refresh_facts()

    def remember(self) -> None:
        """Save scope, zone and alarm for the next run."""
        teams = sorted(self.watching.scope.teams)
        self._write_down({"teams": teams, "zone": self.watching.zone_name, "alarm": self.alarm_on})

    @work(group="oncall memory", exit_on_error=False)
    async def _write_down(self, values: dict[str, object]) -> None:
        file = memory_file(self.session.environment)
        if not await asyncio.to_thread(store_settings, file, self.live.account.name, values):
            self.say("This choice could not be saved. It lasts until you quit.")

    @work(group="oncall refresh", exclusive=True, exit_on_error=False)
    async def _refresh_facts(self) -> None:
        live = self.live
        await live.account.refresh()
        if live is self.live:
            self._finished = True
            self._facts_changed.set()

    @work(group="oncall board", exclusive=True, exit_on_error=False)
    async def rebuild_when_changed(self) -> None:
        """Build the board again whenever facts have changed; several changes at once make one board."""
        while True:
            await self._facts_changed.wait()
            self._facts_changed.clear()
            finished, self._finished = self._finished, False
            live = self.live
            await live.rebuild(finished=finished)
            self.ring(live.alarms())
            if finished:
                await live.account.record()
            self.show()

    def refresh_now(self) -> None:
        """Read again now, unless a refresh is running."""
        if self.live.account.name and not self.live.refresher.under_way:
            self._refresh_facts()

    def tick(self) -> None:
        """Update the clocks each second, and start a refresh that is due."""
        shown = self.live.account.name
        if not shown:
            return
        if (name := self.session.connection(TOOLKIT).name) != shown:
            if name != self._wanted:
                self.begin()
            return
        if self.live.refresher.wait() <= 0:
            self.refresh_now()
        if self.live.facts is not self.live.board.facts:
            self._facts_changed.set()
        self.ring(self.live.alarms())
        if self.is_current:
            self.show_clocks()
            if self.others.names:
                self._show_accounts()

    def ring(self, alarms: list[Alarm]) -> None:
        """Run the alarm command; bell and notification if the alarm is on."""
        if not alarms:
            return
        live = self.live
        verdict = headline(live.board, live.clock(), live.interval, live.zone).words
        self._command(Ring(live.account.name, verdict, live.clock(), tuple(alarms)))
        if self.alarm_on:
            words = alarms[0].words + (f" (and {len(alarms) - 1} more)" if len(alarms) > 1 else "")
            self._tell(words)
            self._notify(words)

    @work(group="oncall notice", exit_on_error=False)
    async def _notify(self, words: str) -> None:
        """Notify by the desktop, or by the terminal if there is none, or that does not work."""
        environment = self.session.environment
        if not (has_desktop(environment) and await shown_by_desktop(words)):
            assert isinstance(self.app, OnTerminal)
            self.app.write_to_terminal(notification(words, environment))

    def _ring_other(self, ring: Ring) -> None:
        """Ring for an account that is not in the panels."""
        self._command(ring)
        if self.alarm_on:
            self._tell(f"{visible_line(ring.account)}: {ring.alarms[0].words}")

    def _command(self, ring: Ring) -> None:
        if self._on_alarm is not None:
            self._on_alarm.ring(ring)

    def _tell(self, words: str) -> None:
        self.app.bell()
        self.app.notify(words, title="Alarm", severity="warning", markup=False)

    def _command_failed(self, words: str) -> None:
        self.app.notify(visible_line(words), title="Alarm command", severity="error", markup=False)

    @work(group="oncall accounts", exclusive=True, exit_on_error=False)
    async def _show_accounts(self) -> None:
        live = self.live
        own = AccountView(live.account.name, live.account.mode, replace(live.board, now=live.clock()), live.interval)
        views = [own, *await self.others.views()]
        self.query_one(AccountsBar).show(views, own.name, key_of(self.app, "board_account"))

    def action_next_account(self) -> None:
        """Show the next account in the panels."""
        self.session.chosen[TOOLKIT] = self.others.next_to(self.live.account.name)
        self.tick()
