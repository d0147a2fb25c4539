"""The names of keys: in Textual, as people write them; and what keys do in a text input."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character
from textual.widgets import Input

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
