"""The line below the first one: a hairline, or the pending requests of agents. It never takes the focus."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive

from registry.engine import AgentRequest
from registry.text.readings import time_left
from tui.explorer.pane_head import BAR, Hairline
from tui.state.settings import key_of


class AgentLine(Hairline):
    """A hairline, or the oldest pending question and the key that opens all of them."""

    DEFAULT_CSS = "AgentLine.-asked { color: $text; padding: 0 1 0 0; }"

    waiting: reactive[tuple[AgentRequest, ...]] = reactive(())
    now: reactive[float] = reactive(0.0)

    def watch_waiting(self, waiting: tuple[AgentRequest, ...]) -> None:
        """Change the colours while a request is pending."""
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
