"""A deletion of live data that somebody else asks for, as a second person is asked: who asks, what it is, what was found.

*Refuse* has the focus, and no press allows it that may be an accident.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from registry.display.safe_text import visible_line
from tui.dialogs.deliberate import DeliberateButton, DeliberateDialog

if TYPE_CHECKING:
    from registry.team.approvals import Asked

_AROUND = 11


class ApprovalDialog(DeliberateDialog[bool]):
    """Gives whether it is approved; nothing where that is put off.

    Args:
        asked: the request.
        read_only: nothing may be approved in this run.
    """

    DEFAULT_CSS = """
    ApprovalDialog {
        #told { margin: 1 0 0 0; }
        #who { color: $foreground-muted; height: auto; max-height: 2; }
        #where { height: auto; max-height: 2; }
    }
    """

    verb = "Approve once"

    def __init__(self, asked: Asked, *, read_only: bool = False) -> None:
        super().__init__("live", typed=False)
        self._asked = asked
        self._read_only = read_only

    def compose(self) -> ComposeResult:
        """Title, who asks, where, what is known, and the buttons, which are always in sight."""
        asked = self._asked
        who = f"{asked.person} on {asked.machine}, database login {asked.login} · {max(int(asked.left // 60), 0)} min left"
        where = Content.assemble(
            Content.styled(_line(asked, "subject"), "bold"), Content(f"  in {_line(asked, 'account')}  "),
            Content.styled(" LIVE ", "$live reverse"),
        )  # fmt: skip
        found = [visible_line(str(one)) for one in asked.told.get("found", ())]
        with Vertical(id="box"):
            yield Static(Content.styled(f"Somebody asks: {_line(asked, 'summary')}?", "bold $text-error"))
            yield Static(Content(visible_line(who)), id="who")
            yield Static(where, id="where")
            with VerticalScroll(id="told", can_focus=False):
                yield Static(Content.styled("What Callboard found there", "$foreground-muted"))
                yield Static(Content("\n".join(found) or "Nothing: it could not be looked at."))
                yield Static(Content(f"\n{_line(asked, 'request')}"))
            yield Static(id="state")
            with Horizontal(id="buttons"):
                yield Button("Refuse", id="refuse", compact=True)
                approve = DeliberateButton(self.verb, id="delete")
                approve.display = not self._read_only  # from the first frame on
                yield approve
            yield self.keys_line(("↑ ↓", "scroll"), ("← →", "choose"), ("Enter", "do it"), ("Esc", "later"))

    def on_mount(self) -> None:
        """Focus Refuse, so that a reflex approves nothing."""
        self._fit()
        self.query_one("#refuse", Button).focus()
        self._offer()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "delete" and not self._read_only)

    def _offer(self) -> None:
        self.query_one(DeliberateButton).offer(self.verb, ready=not self._read_only)
        if self._read_only:
            self._say("Callboard is read-only in this run, so nothing can be approved here.", "$text-warning")
        else:
            self._say("Approved, exactly this call is sent once, by whoever asks.", "$foreground-muted")

    @property
    def around(self) -> int:
        """Lines that do not scroll."""
        return _AROUND


def _line(asked: Asked, name: str) -> str:
    return visible_line(str(asked.told.get(name, "")))
