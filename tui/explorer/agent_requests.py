"""Polls the requests of agents and lets the user answer them: the line in the explorer, the list, the dialog."""

import asyncio
from typing import Any

from textual.content import Content
from textual.reactive import reactive

from registry.engine import AgentAnswer, AgentRequest
from registry.journal.store import JournalError
from registry.text.readings import time_left
from tui.dialogs.agent_request import AgentRequestDialog
from tui.dialogs.choose import Choice, ChooseDialog
from tui.explorer.pane_head import BAR, Hairline
from tui.state.settings import key_of

EVERY = 1.0
"""Seconds between two polls."""


class AgentWatch:
    """The pending requests, as of the last poll.

    Args:
        app: the application, with its session; it shows dialogs and notifications, and its explorer has the line.
    """

    def __init__(self, app: Any) -> None:
        self._app, self._session = app, app.session
        self._waiting: tuple[AgentRequest, ...] = ()
        self._failed = False

    async def watch(self) -> None:
        """Register as a place where requests are answered, and poll. A read-only run shows them too, but does not register."""
        await self._session.ready()
        engine = self._session.engine
        if not engine.policy.read_only:
            await asyncio.to_thread(engine.agent_requests.attend)
        while True:  # one poll after the other: a slow disk makes them rarer, but cancels none
            await self.look()
            await asyncio.sleep(EVERY)

    async def look(self) -> None:
        """Poll once, and show what has changed."""
        try:
            found = tuple(await asyncio.to_thread(self._session.engine.agent_requests.waiting))
        except JournalError as error:
            if not self._failed:
                self._failed = True
                self._app.notify(f"What agents ask for cannot be shown: {error}", severity="warning")
            return
        known = {one.id for one in self._waiting}
        new = [one for one in found if one.id not in known]
        self._waiting = found
        self._show()
        if new and self._app.screen is not self._app.explorer:  # the explorer has its line
            change = new[0].change
            words = f"{change.summary}: {change.subject}. {key_of(self._app, 'agents')} answers."
            self._app.notify(words, title=f"An agent asks ({change.client})", timeout=20)

    async def answer(self) -> None:
        """Show the pending request, or a list of several; store the answer."""
        app, engine = self._app, self._session.engine
        await self.look()
        waiting = self._waiting
        if not waiting:
            app.notify("No agent asks for anything now.")
            return
        request: AgentRequest | None = waiting[0]
        if len(waiting) > 1:
            rows = [Choice(one.change.summary, f"{one.change.subject} · {one.change.client}") for one in waiting]
            request = await app.push_screen_wait(ChooseDialog("What agents ask for", rows, waiting, "look"))
        if request is None:
            return
        dialog = AgentRequestDialog(request, lambda: self._left(request), read_only=engine.policy.read_only)
        answer: AgentAnswer | None = await app.push_screen_wait(dialog)
        if answer is None:
            return
        try:
            counts = await asyncio.to_thread(engine.agent_requests.answer, request.id, answer)
        except JournalError as error:
            app.notify(f"The answer could not be saved, so the request is refused: {error}", severity="error")
            return
        await self.look()
        if not counts:
            app.notify("Too late: it was answered elsewhere, withdrawn or expired.", severity="warning")
        elif answer.allowed:
            words = "Allowed once: it is sent now, or when the agent’s client returns. See the audit log."
            app.notify(words)
        else:
            app.notify("Refused. The agent gets this answer.")

    def _left(self, request: AgentRequest) -> float:
        return request.until - self._session.clock() if request in self._waiting else 0.0

    def _show(self) -> None:
        if not self._app.screen_stack:
            return  # the program is being left
        for line in self._app.explorer.query_children(AgentLine):
            if self._waiting:  # a hairline shows no time; redrawing it would redraw everything in front of it, too
                line.now = self._session.clock()
            line.waiting = self._waiting


class AgentLine(Hairline):
    """A hairline, or the oldest pending question and the key that opens all of them. It never takes the focus."""

    DEFAULT_CSS = "AgentLine.-asked { color: $text; padding: 0 1 0 0; }"

    waiting: reactive[tuple[AgentRequest, ...]] = reactive(())
    now: reactive[float] = reactive(0.0)

    def watch_waiting(self, waiting: tuple[AgentRequest, ...]) -> None:
        self.set_class(bool(waiting), "-asked")

    def render(self) -> Content:
        """The request, cut where there is no room; the remaining time and the key are never cut."""
        if not self.waiting:
            return super().render()
        one, others = self.waiting[0], len(self.waiting) - 1
        what = f"{one.change.summary}: {one.change.subject}" if one.change.subject else one.change.summary
        more = f" (+{others})" if others else ""
        left = f"{more}. {time_left(one.until - self.now)} left."
        key = f"{key_of(self.app, 'agents')} Look"
        live = any(each.change.mode == "live" for each in self.waiting)
        room = max(self.content_size.width - 4 - len(left) - len(key), 10)
        ways = [Content(f"An agent ({one.change.client}) asks: {what}"), Content(f"An agent asks: {what}")]
        words = next((way for way in ways if way.cell_length <= room), ways[-1].truncate(room, ellipsis=True))
        gap = room + 2 - words.cell_length
        bar = Content.styled(f"{BAR} ", "bold $live" if live else "bold $text-primary")
        return Content.assemble(bar, words, left, " " * gap, Content.styled(key, "bold $text-accent"))
