"""Small questions: yes or no, and one line to type into."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Button, Input, Static

from registry.accounts.links import Link
from registry.catalog.model import Parameter
from registry.text.readings import whole
from registry.text.safe_text import visible_line
from tui.dialogs.dialog import BETWEEN_BUTTONS, Dialog, Keys, titled
from tui.keyboard.dismissed_once import DialogResult
from tui.widgets.text_line import Line

_STEP = 10_000


class YesNo(Dialog[bool]):
    """Returns True if the user agrees. Where that is dangerous, Cancel has the focus.

    Args:
        title: the question.
        lines: what the user should know.
        yes: the label of the button that agrees.
        danger: whether agreeing can do harm.
    """

    BINDINGS = [*BETWEEN_BUTTONS]
    AUTO_FOCUS = "#yes, .-danger #cancel"

    keys: Keys = (("← →", "Switch"), ("Enter", "Press"), ("Esc", "Cancel"))

    def __init__(self, title: str, lines: Sequence[Content], yes: str, *, danger: bool = False) -> None:
        super().__init__(classes="-danger" if danger else "")
        self._lines, self._yes, self._danger = lines, yes, danger
        self.heading = Content.styled(title, "bold $text-error" if danger else "bold")

    def _body(self) -> ComposeResult:
        yield Static(Content("\n").join(self._lines))

    def _buttons(self) -> Sequence[Button]:
        yes = Button(self._yes, id="delete" if self._danger else "yes", compact=True)
        return Button("Cancel", id="cancel", compact=True), yes

    @on(Button.Pressed)
    def _answer(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id != "cancel")


class AllowWriting(YesNo):
    """Asks before changes to live data are allowed."""

    def __init__(self, target: str, address: str, minutes: int) -> None:
        where = Content.assemble(Content.styled(" LIVE data ", "bold $text-error reverse"), Content(f" {address}"))
        words = f"\nFor {minutes} minutes, tools can change and delete live data. Callboard asks before each change."
        lines = [where, Content(words)]
        super().__init__(f"Allow changes in {target}?", lines, f"Allow for {minutes} minutes", danger=True)


class OpenLink(YesNo):
    """Asks before an address from a result is opened in the browser: shows the host first, then the whole address."""

    def __init__(self, link: Link) -> None:
        host = Content.styled(visible_line(link.host), "bold $text-accent")
        super().__init__("Open in the browser?", [host, Content.styled(visible_line(link.url), "$foreground-muted")], "Open")


class Prompt(Dialog[DialogResult]):
    """One line to type into.

    Args:
        title: what is asked for.
        about: what can be typed.
        text: the proposed text.
        hint: what an empty line means.
        does: what Enter does.
    """

    DEFAULT_CSS = """
    Prompt {
        #box { width: 64; }
        #title { margin: 0; }
        Line { margin: 1 0 0 0; padding: 0 1; background: $panel; }
        #said { color: $text-error; }
    }
    """

    AUTO_FOCUS = "Line"

    def __init__(self, title: str | Content, about: str = "", text: str = "", hint: str = "", does: str = "Apply") -> None:
        super().__init__()
        self.heading, self._about = title, about
        self._line = Line(text, placeholder=hint, compact=True, select_on_focus=True)
        self.keys = (("Enter", does), ("Esc", "Cancel"))

    def _body(self) -> ComposeResult:
        yield Static(Content(self._about), classes="quiet")
        yield self._line
        yield Static(id="said")

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            self.dismiss(self._read(event.value))
        except ValueError as error:
            self.say(str(error))

    @abstractmethod
    def _read(self, text: str) -> DialogResult:
        """What a text means; raises `ValueError` with what is wrong with it."""


class NoteDialog(Prompt[str]):
    """Asks for a note to an agent about a refusal; it may be empty."""

    def __init__(self) -> None:
        super().__init__("Refuse, and tell the agent", hint="what it should do instead", does="Refuse")
        self._line.max_length = 300

    def _read(self, text: str) -> str:
        """The note."""
        return text.strip()


class SavedName(Prompt["str | None"]):
    """Asks for the name of a saved call."""

    def __init__(self) -> None:
        super().__init__("Name of the saved call", does="Save")

    def _read(self, text: str) -> str:
        if not text.strip():
            raise ValueError("Type a name first.")
        return text.strip()


class PageSize(Prompt[int]):
    """Asks for the number of items in a page, within the tool's bounds."""

    def __init__(self, limit: Parameter, now: object) -> None:
        self._bounds = low, high = int(limit.minimum or 1), int(limit.maximum or 1_000)
        super().__init__("Items per page", f"From {low} to {high}. The first item stays the same.", str(now or ""))

    def _read(self, text: str) -> int:
        """The number."""
        low, high = self._bounds
        number = whole(text)
        if number is None or not low <= number <= high:
            raise ValueError(f"Enter a whole number from {low} to {high}.")
        return number


@dataclass(frozen=True, slots=True)
class Cap:
    """Where to stop: after `most` items; None only at the end of the list."""

    most: int | None


class FetchAll(Prompt[Cap]):
    """Asks for a maximum number of items; an empty line means no limit.

    Args:
        tool: name of the tool that lists.
        cap: the proposed maximum.
        there: how many items are fetched already, to continue a fetch; 0 for a new one.
    """

    def __init__(self, tool: str, cap: int | None, there: int) -> None:
        self._there = there
        proposed = there + (cap or _STEP) if there else cap
        words = f"Continue after item {there:,}" if there else "Fetch all pages"
        about = "Maximum number of items. Leave empty for no limit."
        super().__init__(titled(words, f" · {tool}"), about, f"{proposed:,}" if proposed else "", "no limit", "Fetch")

    def _read(self, text: str) -> Cap:
        """The number."""
        digits = "".join(letter for letter in text if letter not in " ,._'")
        most = whole(digits)
        if digits and (most is None or most <= self._there):
            above = f"greater than {self._there:,}, the number already fetched" if self._there else "from 1 on"
            raise ValueError(f"Enter a whole number {above}, or leave it empty.")
        return Cap(most)
