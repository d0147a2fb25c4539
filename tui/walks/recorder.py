"""Records a walk: the user's keys in the explorer become steps, and typed ids and emails become values.

Corrected typing errors and pauses are not recorded. A step waits for the title of the tool that appeared with it; names
and numbers in results cannot be used for that, because a walk is replayed with other ids.
"""

import re
from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct, field
from textual import events

from registry.references.knowledge import EMAIL, knowledge
from registry.text.shown import visible_line
from tui.keyboard.commands import COMMANDS
from tui.session import Session
from tui.state.settings import Settings, key_of
from tui.walks.caption import Caption, screen_text, show_caption
from tui.walks.walk import Step, Walk
from tui.walks.walk_app import EnclosedApp

_REPEATED = ("up", "down", "left", "right", "tab", "shift+tab", "pageup", "pagedown", "space", "backspace")
_AROUND = "\"'`()[]<>,;"
_EVERYWHERE = [command for command in COMMANDS if command.scope == "everywhere"]
_IDS = {command.id for command in COMMANDS}


class _Begun(Struct):
    """A step that is being recorded, and the tool titles on screen before it."""

    before: frozenset[str]
    text: str = ""
    keys: list[str] = field(default_factory=list)
    wait: tuple[str, ...] = ()


class Recording:
    """The steps so far.

    Args:
        titles: the titles of all tools; those on screen identify the present screen.
        type_of: returns the type of an id's object; empty if a text is not an id.
    """

    def __init__(self, titles: Sequence[str], type_of: Callable[[str], str]) -> None:
        self._titles, self._type_of = titles, type_of
        self._steps: list[_Begun] = []

    def type(self, text: str, screen: str) -> None:
        if not self._steps or self._steps[-1].keys:
            self._begin(screen)
        self._steps[-1].text += text

    def press(self, key: str, screen: str, *, in_line: bool = False) -> None:
        """Record a key: a name, or a command's id in braces; `in_line` says that it edits a text input."""
        last = self._steps[-1] if self._steps else None
        if key == "backspace" and in_line and last is not None and last.text:
            last.text = last.text[:-1]
            return
        if last is None or key not in _REPEATED or set(last.keys) != {key}:
            self._begin(screen)
        self._steps[-1].keys.append(key)

    def end(self, screen: str) -> None:
        """End the recording: the last step waits for the title that appeared with it."""
        if self._steps:
            last = self._steps[-1]
            new = self._on(screen) - last.before
            last.wait = (max(new, key=len),) if last.keys and new else ()

    def _begin(self, screen: str) -> None:
        self.end(screen)
        self._steps.append(_Begun(self._on(screen)))

    def _on(self, screen: str) -> frozenset[str]:
        return frozenset(title for title in self._titles if title in screen)

    def walk(self, begun: Walk, title: str) -> Walk | None:
        """The recorded walk; None if nothing was recorded. `begun` has the scenario and the world."""
        values: dict[str, str] = {}
        # Ids and emails are replaced by the names of values.
        steps = [
            Step(type=re.sub(r"\S+", lambda word: self._named(word[0], values), one.text), keys=tuple(one.keys), wait=one.wait)
            for one in self._steps
            if one.text or one.keys
        ]
        return msgspec.structs.replace(begun, title=title, name=title, values=values, steps=tuple(steps)) if steps else None

    def _named(self, word: str, values: dict[str, str]) -> str:
        """A word with an id or email in it replaced by the name of a value, which is added to `values`."""
        inner = word.strip(_AROUND)
        kind = "email" if EMAIL.fullmatch(inner) else self._type_of(inner)
        if not kind:
            return word
        base = f"{kind}_id" if kind in _IDS else kind
        number = sum(one.startswith(base) for one in values) + 1
        name = next((name for name, value in values.items() if value == inner), base if number == 1 else f"{base}_{number}")
        values[name] = inner
        return word.replace(inner, f"{{{name}}}")


class RecordingApp(EnclosedApp):
    """The explorer, recording every key."""

    def __init__(self, session: Session, settings: Callable[[], Settings], file: str) -> None:
        super().__init__(session, settings)
        toolkits = {one.toolkit for one in session.contents}
        titles = sorted({title for one in session.contents if len(title := one.title.text) > 5})
        self.recording = Recording(titles, lambda text: _type_of(text, toolkits))
        self._file = file

    def on_ready(self) -> None:
        super().on_ready()
        self.set_interval(0.2, self._show)

    async def _show(self) -> None:
        words = f"Recording keys for {visible_line(self._file)}"
        await show_caption(self.screen, Caption(words, controls=((key_of(self, "quit"), "Save and quit"),)))

    async def on_event(self, event: events.Event) -> None:
        """Ignore the mouse, because it could not be replayed."""
        if isinstance(event, events.MouseDown | events.MouseUp | events.Click) and not event.is_forwarded:
            return
        await super().on_event(event)

    async def _handle(self, event: events.Key | events.Paste) -> None:
        if isinstance(event, events.Key):
            self._note(event)
        elif event.text.isprintable():
            self.recording.type(event.text, screen_text(self.screen))
        await super()._handle(event)

    def _note(self, event: events.Key) -> None:
        command = next((one for one in _EVERYWHERE if event.key in self.settings.keys_of(one)), None)
        focused, screen = self.focused, screen_text(self.screen)
        takes = focused is not None and focused.check_consume_key(event.key, event.character)
        in_line = focused is not None and focused.check_consume_key("a", "a")
        if command is not None and command.id == "quit":
            self.recording.end(screen)
        elif event.is_printable and event.character and takes:
            self.recording.type(event.character, screen)
        else:
            named = command is not None and (command.id != "cancel" or event.key == "escape")
            self.recording.press(f"{{{command.id}}}" if command is not None and named else event.key, screen, in_line=in_line)


def _type_of(text: str, toolkits: set[str]) -> str:
    """The type of an id's object, in one word; empty if the text is not an id."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{6,}", text) or text.isalpha():
        return ""
    for toolkit in sorted(toolkits):
        known = knowledge(toolkit)
        if types := known.types_by_id(text) or known.types_by_shape(text):
            return re.sub(r"[^a-z0-9_]", "_", types[0].lower())
    return ""
