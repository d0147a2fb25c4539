"""Offers the drafts of an earlier run: at the start, and again when their tool is opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from registry.journal.drafts import Draft
from registry.text.readings import local_moment
from registry.text.safe_text import shortened, visible_line
from tui.session import Session
from tui.widgets.scrolling import PlainRows

_MOST = 5


class DraftRecovery(Vertical):
    """Offers drafts, the newest first; Enter recovers one, or deletes all of them. Posts `Settled`."""

    DEFAULT_CSS = """
    DraftRecovery {
        height: auto;
        &.-start { padding: 1 1 0 1; }
        Static { color: $text-warning; }
        OptionList { height: auto; max-height: 8; margin: 0 0 1 0; background: $background; border: none; padding: 0; }
        OptionList > .option-list--option-highlighted { background: $block-cursor-blurred-background; }
        OptionList:focus > .option-list--option-highlighted { background: $block-cursor-background; }
    }
    """

    @dataclass
    class Settled(Message):
        """The draft of a tool was restored; or, without a tool, the offered drafts were discarded."""

        offer: DraftRecovery
        tool: str = ""

    def __init__(self, session: Session, tool: str = "") -> None:
        super().__init__(classes="" if tool else "-start")
        self._session = session
        self._tool = tool
        self._drafts = _drafts(session, tool)

    def compose(self) -> ComposeResult:
        one = f"Unsent draft, {_time(self._drafts[0])} (Shift+Tab, Enter to restore)"
        yield Static(Content(one if self._tool else "Unsent drafts (Enter to restore)"))
        rows = [Option(Content(f"› {self._words(draft)}")) for draft in self._drafts]
        forget = "× Discard draft" if len(rows) == 1 else "× Discard drafts"
        yield PlainRows(*rows, Option(Content.styled(forget, "$foreground-muted")), compact=True)

    def _words(self, draft: Draft) -> str:
        given = ", ".join(f"{name} {_value(value)}" for name, value in draft.values.items())
        about = f"Restore {given}" if self._tool else f"{draft.tool}, {_time(draft)}: {given}"
        return shortened(visible_line(about), 120)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        tools = [draft.tool for draft in self._drafts]
        if event.option_index >= len(tools):
            self._session.forget(tools)
            self.post_message(self.Settled(self))
        elif self._session.recover(tool := tools[event.option_index]):
            self.post_message(self.Settled(self, tool))


def draft_recovery(session: Session, tool: str = "") -> Iterator[DraftRecovery]:
    """Yields the widget that offers the drafts of an earlier run, of all tools or of one; nothing if there are no drafts."""
    if _drafts(session, tool):
        yield DraftRecovery(session, tool)


def notice_of(drafts: Sequence[Draft], key: str) -> str:
    """The drafts in one line, for a user on a screen without the form."""
    more = f" and {len(drafts) - 1} more" if len(drafts) > 1 else ""
    return f"{drafts[0].tool}{more}, {_time(drafts[0])}. Press {key} to see {'them' if more else 'it'}."


def _drafts(session: Session, tool: str) -> list[Draft]:
    return [draft for draft in session.left if tool in ("", draft.tool)][:_MOST]


def _time(draft: Draft) -> str:
    """When a draft was typed, to the minute."""
    words = local_moment(draft.at)
    return words.rpartition(":")[0] if words.count(":") > 1 else words


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
