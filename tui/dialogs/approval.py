"""Asks for the approval of somebody else's deletion of live data: who asks, what it is, what the check found.

*Refuse* has the focus, and accidental presses do not approve.
"""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from registry.team.approvals import Asked
from registry.text.safe_text import visible_line
from tui.dialogs.deliberate import DeliberateButton, DeliberateDialog

_AROUND = 11


class ApprovalDialog(DeliberateDialog[bool]):
    """Returns whether it is approved; None if the user answers later.

    Args:
        asked: the request.
        read_only: whether this run is read-only, so that nothing can be approved.
    """

    DEFAULT_CSS = """
    ApprovalDialog {
        #summary { margin: 1 0 0 0; }
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
        """Title, who asks, where, what is known, and the buttons, which are always visible."""
        asked = self._asked
        who = f"{asked.person} on {asked.machine}, database login {asked.login} · {max(int(asked.left // 60), 0)} min left"
        where = Content.assemble(
            Content.styled(_line(asked, "subject"), "bold"), Content(f"  in {_line(asked, 'account')}  "),
            Content.styled(" LIVE ", "$live reverse"),
        )  # fmt: skip
        found = [visible_line(str(one)) for one in asked.change.get("found", ())]
        with Vertical(id="box"):
            yield Static(Content.styled(f"Somebody asks: {_line(asked, 'summary')}?", "bold $text-error"))
            yield Static(Content(visible_line(who)), id="who")
            yield Static(where, id="where")
            with VerticalScroll(id="summary", can_focus=False):
                yield Static(Content.styled("What Callboard found there", "$foreground-muted"))
                yield Static(Content("\n".join(found) or "Nothing: the check failed."))
                yield Static(Content(f"\n{_line(asked, 'request')}"))
            yield Static(id="state")
            with Horizontal(id="buttons"):
                yield Button("Refuse", id="refuse", compact=True)
                approve = DeliberateButton(self.verb, id="delete")
                approve.display = not self._read_only  # from the first frame on
                yield approve
            yield self.keys_line(("↑ ↓", "scroll"), ("← →", "choose"), ("Enter", "do it"), ("Esc", "later"))

    def on_mount(self) -> None:
        """Focus Refuse, so that an accidental Enter approves nothing."""
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
            self._say("Once approved, exactly this call is sent, once, by the person who asks.", "$foreground-muted")

    @property
    def around(self) -> int:
        """Lines that do not scroll."""
        return _AROUND


def _line(asked: Asked, name: str) -> str:
    return visible_line(str(asked.change.get(name, "")))
