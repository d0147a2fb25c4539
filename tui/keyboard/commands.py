"""Every command of the screens, once: its name, help, keys and place (``commands.json``); and keys as people write them.

Key bindings, the palette, the key bar, the help screen and `docs/keys.md` are all made from that file. A command's id
never changes, because users set keys by it. No command uses ctrl+h, ctrl+i, ctrl+j or ctrl+m, which terminals cannot
distinguish from other keys.

The ask line and the palette both list commands by typed words; the widget that runs a command is looked up on the present
screen.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from textual.app import App
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from registry.files.folders import served_folder

_MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper", "meta")
_NUL = "ctrl+@"


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.split())


_SPELLED = _pairs(
    "slash=/ minus=- plus=+ escape=Esc enter=Enter backspace=Backspace delete=Del tab=Tab space=Space @=Space "
    "pageup=PgUp pagedown=PgDn up=↑ down=↓ left=← right=→ home=Home end=End"
)
# Other ways to write a key: in the help and the key bar, and in other programs.
_ALSO = _pairs(
    "esc=escape return=enter ⏎=enter ⌫=backspace spacebar=space pgup=pageup page_up=pageup pgdn=pagedown pgdown=pagedown "
    "page_down=pagedown del=delete ins=insert ↑=up ↓=down ←=left →=right"
)


def spelled(key: str) -> str:
    """A key as people write it: ``^R``, ``Alt+←``, ``/``."""
    *modifiers, last = key.split("+")
    word = _SPELLED.get(last) or key_to_character(last) or (last.upper() if re.fullmatch(r"f\d+", last) else last)
    if modifiers and modifiers != ["shift"] and len(word) == 1:
        word = word.upper()
    if modifiers == ["ctrl"]:
        return f"^{word}"
    return "+".join([*(modifier.capitalize() for modifier in modifiers), word])


def written(keys: Iterable[str]) -> list[str]:
    """Keys as people write them, each once; without ``F13`` to ``F24``, which some terminals send for Shift+F1 and so on."""
    keys = list(keys)
    plain = [key for key in keys if not re.fullmatch(r"f(1[3-9]|2[0-4])", key)]
    return list(dict.fromkeys(spelled(key) for key in plain or keys))


def key_named(name: str) -> str | None:
    """Textual's name of a key; None for a key that does not exist. Characters may be used as names: ``/``, ``ctrl+e``."""
    *modifiers, last = _parts(name)
    names = [modifier.strip().lower() for modifier in modifiers]
    last = _ALSO.get(last.lower(), last)
    if not last or any(modifier not in _MODIFIERS for modifier in names) or len(set(names)) < len(names):
        return None
    if last == "@" and names == ["ctrl"]:
        return _NUL
    key = key_of_character(last.lower() if names else last) if len(last) == 1 else last.lower()
    if len(last) > 1 and key not in _names():
        return None
    return "+".join([*(modifier for modifier in _MODIFIERS if modifier in names), key])


def key_of_character(character: str) -> str:
    """The name of the key that types a character: the character if it is a letter or digit, else its name in Unicode."""
    name = character if character.isalnum() else unicodedata.name(character, character).lower()
    key = re.sub("[- ]", "_", name) if len(name) > 1 else name
    return KEY_NAME_REPLACEMENTS.get(key, key)


def as_sent(keys: Sequence[str]) -> list[str]:
    """Keys as terminals send them: most send ``ctrl+@`` for ``ctrl+space``, newer ones the key itself."""
    both = {_NUL: (_NUL, "ctrl+space"), "ctrl+space": (_NUL, "ctrl+space")}
    return list(dict.fromkeys(one for key in keys for one in both.get(key, (key,))))


def like(name: str) -> str:
    """The most likely key for a name that does not exist; empty if there is no similar one."""
    near = [get_close_matches(part.strip().lower(), [*_MODIFIERS, *sorted(_names())], 1, 0.5) for part in _parts(name)]
    whole = "+".join(one[0] for one in near if one)
    return whole if all(near) and key_named(whole) is not None else ""


def _parts(name: str) -> list[str]:
    """The modifiers and the key itself."""
    if name.startswith("^") and name != "^":
        return ["ctrl", name[1:]]
    return [name] if name.endswith("+") else name.split("+")


def _names() -> set[str]:
    """Textual's names of all keys."""
    return {one.value for one in Keys} | {key_of_character(chr(code)) for code in range(0x20, 0x180)}


def edits_a_line(key: str) -> bool:
    """Whether a key moves the cursor or deletes text in a text input."""
    return any(key in binding.key.split(",") for binding in Input.BINDINGS if not isinstance(binding, tuple))


def types(key: str) -> bool:
    """Whether a key changes the text in a text input."""
    base = key.removeprefix("shift+")
    character = len(base) == 1 or base not in {one.value for one in Keys}
    return "+" not in base and (character or base in ("space", "enter", "tab", "backspace", "delete"))


Scope = Literal["everywhere", "tools", "form", "result", "table", "bars", "compare", "lists", "page", "oncall"]

SCOPES: dict[Scope, str] = {
    "everywhere": "Everywhere",
    "tools": "Tools",
    "form": "Form",
    "result": "Result",
    "table": "Table",
    "bars": "Bars",
    "compare": "Comparison",
    "lists": "Navigation",
    "page": "Page of an object",
    "oncall": "On call",
}
_WORDS = re.compile(r"\w+")
_SHORTEST, _MOST = 3, 5


class Command(Struct, frozen=True):
    """A command: its stable id, its keys (separated by commas), the action that it runs, and where it works.

    A command without a key is found by its name. `title` is its name in the palette (empty if the palette does not have it),
    `short` in the key bar (empty if it is not shown there).
    """

    id: str
    action: str
    help: str
    keys: str = ""
    title: str = ""
    short: str = ""
    scope: Scope = "everywhere"

    @property
    def usual(self) -> tuple[str, ...]:
        """Its keys, as long as the user has not changed them."""
        return tuple(filter(None, self.keys.split(",")))

    @property
    def shown(self) -> str:
        """The first key as people write it; empty without one."""
        return spelled(self.usual[0]) if self.usual else ""


_FILE = Path(__file__).with_name("commands.json")
_TABLE = msgspec.json.decode(_FILE.read_bytes(), type=dict[Scope, tuple[Command, ...]])

NOT_SERVED: Mapping[str, str] = {
    "add_toolkit": "it reads files of the serving machine, and addresses on its network",
    "own_toolkit": "reading a toolkit again does the same, and its MCP server is a program of that machine",
    "editor": "$EDITOR is a program of the serving machine, and most editors can open a shell",
    "pager": "$PAGER is such a program, too",
    "SavedCallsDialog.edit": "it opens $EDITOR",
    "ConnectionDialog.add": "the secret of an account may be a file or a command of the serving machine",
    "ConnectionDialog.profiles": "it reads files of that machine",
    "ConnectionDialog.change": "the same; and signing in waits for an address of that machine",
}
"""What a tab of ``callboard serve`` does not offer, and why: commands by their ids, and actions of dialogs.

All others it offers. They save into the tab's folder, from which the browser downloads, and read only from there
(`registry.files.folders`); programs and browsers are not started.
"""


def is_offered(name: str) -> bool:
    """Whether this run offers a command, by its id, or an action of a dialog, as `NOT_SERVED` names it."""
    return name not in NOT_SERVED or served_folder() is None


EVERY: tuple[Command, ...] = tuple(replace(one, scope=scope) for scope, rows in _TABLE.items() for one in rows)
COMMANDS = tuple(command for command in EVERY if is_offered(command.id))
"""The commands of this run."""

NAMED = tuple(command for command in COMMANDS if command.title)
"""The commands of the palette: what people look for by a name, and no key that they see all the time."""

IN_DIALOGS = ("jump", "help", "palette", "show_me", "quit")
"""The commands that work on every screen."""

_ANYWHERE = (
    *("find", "tools", "form", "result", "palette", "help", "history", "theme", "quit", "start"),
    *("connections", "requests", "agents", "saved", "oncall"),
)

BESIDE: dict[Scope, tuple[str, ...]] = {
    "compare": ("help", "theme", "quit", "requests", "start"),
    "page": _ANYWHERE,
    "oncall": (*_ANYWHERE, "maximise"),
}
"""For each scope with a screen of its own, the commands of other scopes that work there too."""

BROWSER_KEYS: Mapping[str, tuple[str, ...]] = {
    "run": ("alt+r",),
    "empty": ("alt+n", "ctrl+n"),
    "raw": ("alt+j", "ctrl+t"),
    "writing": ("alt+w",),
    "oncall": ("alt+o",),
    "back": ("alt+b", "alt+left"),
    "forward": ("alt+f", "alt+right"),
    "quit": ("alt+q", "ctrl+q"),
}
"""Keys in a browser, which uses some default ones itself (tabs, reloading, its history, full screen), by the commands' ids.

The first key of each works in every browser. The others work if the browser passes them on, as in a window without tabs.
Ctrl+W, which deletes a word, has an alternative in every text input anyway: Alt+Backspace.
"""

KEPT = ("f5", "f11", "f12", "ctrl+r")
"""The keys that the page leaves to the browser: reloading, full screen, its tools for developers."""

_ABOUT_JSON = {"search", "next_hit", "last_hit"}
_KEYS_OF_TABLES = {key for command in COMMANDS if command.scope == "table" for key in command.usual}


def on_tables(command: Command) -> bool:
    """Whether a command on results works on a table too, and does not use a key of the table."""
    on_any = command.scope == "result" and command.action.startswith("screen.") and command.id not in _ABOUT_JSON
    return on_any and _KEYS_OF_TABLES.isdisjoint(command.usual)


def works_in(command: Command, here: Scope) -> bool:
    """Whether a command works in a scope: in a table, commands whose keys the table itself uses do not."""
    if here != "table" or command.scope not in ("result", "lists"):
        return True
    return on_tables(command) if command.scope == "result" else _KEYS_OF_TABLES.isdisjoint(command.usual)


def bindings(*scopes: Scope, also: Collection[str] = ()) -> list[BindingType]:
    """The key bindings of the commands in these scopes, and of others by their ids."""
    return [
        Binding(
            key,
            command.action,
            command.short,
            show=bool(command.short) and place == 0,
            key_display=command.shown,
            # Commands that work everywhere must work in a text input too, which handles all other keys; but letters and
            # signs are text there, and Escape belongs to each dialog.
            priority=command.scope == "everywhere" and key != "escape" and not types(key),
            id=command.id if place == 0 else f"{command.id}.{place + 1}",
            tooltip=command.help,
        )
        for command in COMMANDS
        if command.scope in scopes or command.id in also
        # A command without a key needs a binding too, by whose id users give it one.
        for place, key in enumerate(command.usual or (f"{command.id}_has_no_key",))
    ]


def clashes(changed: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str, str]]:
    """Commands whose new key another command in the same place has: the ids of both, and the key.

    Args:
        changed: the new keys, by the commands' ids.
    """
    commands = {command.id: command for command in COMMANDS}
    of = {scope: {command.id for command in COMMANDS if command.scope == scope} for scope in SCOPES}
    everywhere, lists = of["everywhere"], of["lists"]
    places = [  # for each place of the focus, the commands that work together
        of["tools"] | lists | everywhere,
        of["form"] | everywhere,
        of["result"] | lists | everywhere,
        of["bars"] | lists | everywhere,
        of["table"] | lists | everywhere | {command.id for command in COMMANDS if on_tables(command)},
        *(of[scope] | lists | set(beside) | set(IN_DIALOGS) for scope, beside in BESIDE.items()),
    ]
    for id_, keys in reversed(list(changed.items())):
        for other, command in commands.items():
            # Two commands with the same action, such as a table's arrows and those of every list, do not clash.
            if other == id_ or command.action == commands[id_].action or not any({id_, other} <= place for place in places):
                continue
            taken = changed.get(other) or command.usual
            yield from ((id_, other, key) for key in keys if key in taken)


def commands_named(text: str, screen: Screen[Any]) -> list[Command]:
    """The commands of a screen whose titles have words that begin with the typed ones, shortest title first.

    Without any, those that have them in title and help. After ``>`` only commands are meant: all of both.
    """
    typed, only = _WORDS.findall(text.lower()), text.startswith(">")
    if not only and len("".join(typed)) < _SHORTEST:
        return []
    named = [one for one in NAMED if _has_words(one.title, typed)]
    found = sorted(that_work(named, screen), key=lambda command: len(command.title) if typed else 0)
    if found and not only:
        return found[:_MOST]
    others = that_work((one for one in NAMED if one not in named and _has_words(f"{one.title} {one.help}", typed)), screen)
    if not only:
        return others[:_MOST]
    return [*found, *(one for one in themes_of(screen.app) if typed and _has_words(one.title, typed)), *others]


def _has_words(title: str, typed: Sequence[str]) -> bool:
    """Whether each typed word is the beginning of a word of a title."""
    words = _WORDS.findall(title.lower())
    return all(any(word.startswith(one) for word in words) for one in typed)


def themes_of(app: App[Any]) -> list[Command]:
    """Each theme as a command: > light theme."""
    return [
        Command("theme", f"app.use_theme('{name}')", "Use this theme.", "f7", f"Theme {name.replace('-', ' ')}")
        for name in sorted(app.available_themes)
    ]


async def carry_out(command: Command, screen: Screen[Any]) -> None:
    """Run a command of a screen where it works, and move the focus there."""
    panes: dict[str, Widget | None] = {}
    doer = doer_of(command, screen, panes)
    pane = panes[command.scope]
    if pane is not None and pane is not screen and not pane.has_focus_within:
        await screen.app.run_action(f"pane('{command.scope}')", screen)
    await screen.app.run_action(command.action, doer)


def that_work(commands: Iterable[Command], screen: Screen[Any]) -> list[Command]:
    """The commands that work on a screen."""
    panes: dict[str, Widget | None] = {}
    return [command for command in commands if doer_of(command, screen, panes) is not None]


def doer_of(command: Command, screen: Screen[Any], panes: dict[str, Widget | None]) -> DOMNode | None:
    """The node that runs a command: the focused widget or a parent if it can, else the first in its pane that can.

    `panes` are those found already, by their scopes: looking them up is slow.
    """
    if command.scope not in panes:
        is_whole = command.scope == "everywhere" or (command.scope == "compare" and not screen.query(".pane"))
        # An input line in a pane may have the id of another screen's pane; it is not a container.
        named = (one for one in screen.walk_children(Widget) if one.id == command.scope and one.is_container)
        panes[command.scope] = screen if is_whole else next(named, None)
    if (pane := panes[command.scope]) is None:
        return None
    whose, _, action = command.action.partition("(")[0].rpartition(".")
    name = f"action_{action}"
    if whose:
        holder: DOMNode = screen.app if whose == "app" else screen
        return holder if hasattr(holder, name) else None
    chain = screen.focused.ancestors_with_self if screen.focused is not None else []
    inside = [one for one in chain if pane in one.ancestors_with_self]
    return next((one for one in [*inside, *pane.walk_children(with_self=True)] if hasattr(one, name)), None)
