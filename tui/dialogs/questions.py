"""Small dialogs: yes or no, one line to type into, and texts to read, whole and unescaped."""

from collections.abc import Callable, Mapping, Sequence

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from registry.catalog.model import Parameter
from registry.results.snippets import Snippet
from registry.text.shown import visible_line, whole
from tui.dialogs.dialog import BETWEEN_BUTTONS, Dialog, Keys, lines_left, titled
from tui.keyboard.key_order import DialogResult
from tui.terminal.external_programs import copy
from tui.widgets.line_list import Scroll
from tui.widgets.texts import Line, Options

_STEP = 10_000


class Question(Dialog[str]):
    """Returns the id of the answer that was pressed; None for Cancel. Where an answer is dangerous, Cancel has the focus.

    Args:
        title: the question.
        lines: what the user should know.
        answers: the labels of the answers by their ids; ``delete`` is the id of one that can do harm.
    """

    BINDINGS = [*BETWEEN_BUTTONS]
    AUTO_FOCUS = None

    keys: Keys = (("← →", "Switch"), ("Enter", "Press"), ("Esc", "Cancel"))

    def __init__(self, title: str, lines: Sequence[Content], answers: Mapping[str, str]) -> None:
        self._danger = list(answers) == ["delete"]
        super().__init__(classes="-danger" if self._danger else "")
        self._lines, self._answers = lines, answers
        self.heading = Content.styled(title, "bold $text-error" if self._danger else "bold")

    def _body(self) -> ComposeResult:
        yield Static(Content("\n").join(self._lines))

    def _buttons(self) -> Sequence[Button]:
        answers = [Button(label, id=id_, compact=True) for id_, label in self._answers.items()]
        return Button("Cancel", id="cancel", compact=True), *answers

    def on_mount(self) -> None:
        self.query_one(f"#{'cancel' if self._danger else next(iter(self._answers))}").focus()

    @on(Button.Pressed)
    def _answer(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id if event.button.id != "cancel" else None)


class YesNo(Question):
    """Returns the id of its only answer if the user agrees; `danger` says that agreeing can do harm."""

    def __init__(self, title: str, lines: Sequence[Content], yes: str, *, danger: bool = False) -> None:
        super().__init__(title, lines, {"delete" if danger else "yes": yes})


class AllowWriting(YesNo):
    """Asks before changes to live data are allowed."""

    def __init__(self, target: str, address: str, minutes: int) -> None:
        where = Content.assemble(Content.styled(" LIVE data ", "bold $text-error reverse"), Content(f" {address}"))
        words = f"For {minutes} minutes, this explorer can change and delete data of this account. It asks before each change."
        ends = "To end it sooner, use Allow changes again, or quit."
        lines = [where, Content(f"\n{words}\n{ends}")]
        super().__init__(f"Allow changes in {target}?", lines, f"Allow for {minutes} minutes", danger=True)


class OpenLink(YesNo):
    """Asks before an address from a result is opened in the browser: shows the host first, then the whole address."""

    def __init__(self, address: str, host: str) -> None:
        lines = [Content.styled(visible_line(host), "bold $text-accent")]
        lines.append(Content.styled(visible_line(address), "$foreground-muted"))
        super().__init__("Open in the browser?", lines, "Open")


class Prompt(Dialog[DialogResult]):
    """One line to type into.

    Args:
        title: what is asked for.
        does: what Enter does.
        read: what a text means; raises `ValueError` with what is wrong with it.
        about: what can be typed.
        text: the proposed text.
        hint: what an empty line means.
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

    def __init__(
        self,
        title: str | Content,
        does: str,
        read: Callable[[str], DialogResult],
        *,
        about: str = "",
        text: str = "",
        hint: str = "",
    ) -> None:
        super().__init__()
        self.heading, self._about, self._read = title, about, read
        self._line = Line(text, placeholder=hint, compact=True, select_on_focus=True)
        self.keys = (("Enter", does), ("Esc", "Cancel"))

    def _body(self) -> ComposeResult:
        yield Static(Content(self._about), classes="quiet")
        yield self._line
        yield Static(id="said")

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        try:
            self.dismiss(self._read(event.value.strip()))
        except ValueError as error:
            self.say(str(error))


def ask_name() -> Prompt[str | None]:
    """Asks for the name of a saved call."""

    def read(text: str) -> str:
        if not text:
            raise ValueError("Type a name first.")
        return text

    return Prompt("Name of the saved call", "Save", read)


def ask_page_size(limit: Parameter, now: object) -> Prompt[int]:
    """Asks for the number of items in a page, within the tool's bounds."""
    low, high = int(limit.minimum or 1), int(limit.maximum or 1_000)

    def read(text: str) -> int:
        number = whole(text)
        if number is None or not low <= number <= high:
            raise ValueError(f"Enter a whole number from {low} to {high}.")
        return number

    about = f"From {low} to {high}. The first item stays the same."
    return Prompt("Items per page", "Apply", read, about=about, text=str(now or ""))


def ask_most(tool: str, cap: int | None, there: int) -> Prompt[int | None]:
    """Asks for a maximum number of items to fetch; returns 0 for an empty line, which means no limit.

    Args:
        tool: name of the tool that lists.
        cap: the proposed maximum.
        there: how many items are fetched already, to continue a fetch; 0 for a new one.
    """

    def read(text: str) -> int:
        digits = "".join(letter for letter in text if letter not in " ,._'")
        most = whole(digits)
        if digits and (most is None or most <= there):
            above = f"greater than {there:,}, the number already fetched" if there else "from 1 on"
            raise ValueError(f"Enter a whole number {above}, or leave it empty.")
        return most or 0

    proposed = there + (cap or _STEP) if there else cap
    title = titled(f"Continue after item {there:,}" if there else "Fetch all pages", f" · {tool}")
    about = "Maximum number of items. Leave empty for no limit."
    return Prompt(title, "Fetch", read, about=about, text=f"{proposed:,}" if proposed else "", hint="no limit")


_MOST = 200_000
CODE_TITLES = {"curl": "curl", "httpx": "Python (httpx)", "callboard": "callboard"}


class Reader(Dialog[str]):
    """Shows a text, which the caller has made safe to show. The keys stay visible while it scrolls.

    Args:
        title: what it is.
        text: the text.
        copies: what ``y`` copies, in words; empty if it is not copied from here.
    """

    DEFAULT_CSS = """
    Reader {
        #box { width: 96%; }
        Scroll { height: auto; scrollbar-size-vertical: 1; }
        #text { height: auto; }
    }
    """

    BINDINGS = [Binding("y", "copy", show=False)]
    AUTO_FOCUS = "Scroll"

    box = Vertical
    beside = 8
    """Lines taken by everything but the text."""
    ends_by_copying = False
    """Whether it closes once it was copied, and returns that in words."""

    def __init__(self, title: str, text: str, copies: str = "") -> None:
        super().__init__()
        self._about, self._text, self._copies = title, text, copies
        self.heading = self._counted()
        copying = (("y", "Copy"),) if copies else ()
        self.keys = (("↑ ↓", "Scroll"), *copying, ("Esc", "Close"))

    def _body(self) -> ComposeResult:
        length = len(self._text)
        more = f"\n… and {length - _MOST:,} characters more; copying it takes all of them." if length > _MOST else ""
        with Scroll():
            yield Static(self._drawn(self._text[:_MOST] + more), id="text")

    def _drawn(self, text: str) -> Content:
        return Content(text)

    def _counted(self) -> str:
        return f"{self._about} · {len(self._text):,} characters"

    def on_resize(self) -> None:
        """Give the text the height that title and keys leave."""
        self.query_one(Scroll).styles.max_height = lines_left(self.app.size.height, self.beside)

    @work(group="clipboard", exclusive=True)
    async def action_copy(self) -> None:
        if not self._copies:
            return
        outcome = await copy(self.app, self._text)
        if self.ends_by_copying and outcome.done:
            self.dismiss(outcome.about(self._copies))
        else:
            self.query_one(".keys-here", Static).update(Content.styled(outcome.about(self._copies), outcome.style))


class ShowAs(Reader):
    """Shows a call in one form at a time; returns the outcome of copying, if the user copied one.

    Args:
        tool: the name of the tool.
        forms: the call in each form.
    """

    DEFAULT_CSS = """
    ShowAs {
        #box { width: 96; }
        Options { width: 1fr; height: auto; }
        Options:focus { background: $panel; }
        Scroll { margin: 1 0; padding: 0 1; background: $background; }
    }
    """

    BINDINGS = [
        Binding("enter", "copy", "Copy"),
        Binding("pagedown", "scroll_text(1)", show=False),
        Binding("pageup", "scroll_text(-1)", show=False),
    ]
    AUTO_FOCUS = "Options"

    beside = 14
    ends_by_copying = True

    def __init__(self, tool: str, forms: Sequence[Snippet]) -> None:
        super().__init__("", "")
        self.heading, self._forms = f"Show {tool} as", forms
        others = (("← →", "Format"),) if len(forms) > 1 else ()
        self.keys = (*others, ("Enter", "Copy"), ("PgUp PgDn", "Scroll"), ("Esc", "Close"))

    def _body(self) -> ComposeResult:
        yield Options([CODE_TITLES[form.kind] for form in self._forms], all_count=True, id="form")
        yield from super()._body()
        yield Static(id="notes", classes="quiet")

    def on_mount(self) -> None:
        self._show()

    @on(Options.Chosen)
    def _show(self) -> None:
        form = self._forms[self.query_one(Options).chosen]
        self._text, self._copies = form.text, f"the call as {CODE_TITLES[form.kind]}"
        self.query_one("#text", Static).update(Content(form.text.rstrip()))
        self.query_one(Scroll).scroll_home(animate=False)
        self.query_one("#notes", Static).update(Content("\n".join(form.notes)))

    def action_scroll_text(self, direction: int) -> None:
        self.query_one(Scroll).action_move_page(direction)
