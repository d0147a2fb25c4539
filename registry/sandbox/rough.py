"""The texts of the rough world: text that a screen, a terminal, a parser or a query must handle.

The usual world can be shown to anybody. The rough one is the same world, with the same ids, amounts and times, in which some
texts are replaced: markup, escape sequences, control characters, characters that turn the direction, quotes and backslashes,
emoji, names of 300 letters. A service passes its objects through `roughened` when it writes them, and knows nothing else
about this.
"""

import json
from pathlib import Path
from typing import Any

from registry.sandbox.world import World

_HELD = json.loads(Path(__file__).with_name("rough.json").read_text("utf-8"))
_ROUGH: dict[str, str] = _HELD["texts"]
ROUGH_NAMES: list[tuple[str, str]] = _HELD["names"]
"""First and last names of the newest people in the rough world's CRM; the last first name has 300 letters."""


def roughened(world: World, value: Any) -> Any:
    """A value as in this world: in the rough world, all its texts and property names that have a rough version are replaced."""
    return _rough(value) if world.rough else value


def _rough(value: Any) -> Any:
    if isinstance(value, dict):
        return {_ROUGH.get(name, name): _rough(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rough(one) for one in value]
    return _ROUGH.get(value, value) if isinstance(value, str) else value
