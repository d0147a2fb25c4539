"""Choosing where each toolkit's calls go."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from registry.display.safe_text import visible
from tui.dialogs.dialog import Dialog
from tui.session import Session
from tui.widgets.mode_labels import COLOURS, MODES
from tui.widgets.scrolling import Rows


class ConnectionDialog(Dialog[None]):
    """Each toolkit's connection can be chosen until it is closed; a choice counts at once."""

    AUTO_FOCUS = "#connections"

    def __init__(self, session: Session, chosen: Callable[[], None]) -> None:
        super().__init__()
        self._session = session
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """All connections by toolkit, and how to get more."""
        with VerticalScroll(id="box", can_focus=False):
            yield Static(Content.styled("Choose accounts\n", "bold"))
            yield Rows(*self._options(), id="connections", compact=True)
            yield Static(Content("\n" + self._hints()), classes="quiet")
            yield self.keys_line(("↑ ↓", "Move"), ("Enter", "Choose"), ("Esc", "Close"))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A connection was chosen."""
        event.stop()
        toolkit, _, name = (event.option.id or "").partition("/")
        self._session.chosen[toolkit] = name
        for option in self._options():
            event.option_list.replace_option_prompt(option.id or "", option.prompt)
        self._chosen()

    def _options(self) -> list[Option]:
        options = []
        for toolkit in self._session.toolkits:
            for name, connection in self._session.connections.items():
                if toolkit.name not in connection.endpoints:
                    continue
                endpoint = connection.endpoints[toolkit.name]
                current = self._session.connection(toolkit.name).name == name
                words = Content.assemble(
                    Content(f"{'●' if current else '○'} {toolkit.title:<12} "),
                    Content.styled(f"{'embedded' if name == 'sandbox' else name:<11}", "bold"),
                    Content.styled(f"{MODES[endpoint.mode]:<11}", COLOURS[endpoint.mode]),
                    Content.styled("no account needed" if name == "sandbox" else endpoint.base_url, "$foreground-muted"),
                )
                options.append(Option(words, id=f"{toolkit.name}/{name}"))
        return options

    def _hints(self) -> str:
        lines = []
        if self._session.settings_error:
            lines.append(visible(self._session.settings_error))
        served = {kit for name, one in self._session.connections.items() if name != "sandbox" for kit in one.endpoints}
        for toolkit, service in self._session.catalog.toolkits.items():
            if toolkit not in served:
                lines.append(f"{service.title}: to add your account, set {service.needs} and restart Callboard.")
        return "\n".join(lines)
