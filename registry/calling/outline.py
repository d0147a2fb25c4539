"""A large answer, looked at from outside: enough to tell which page it is, without a Python object for everything inside."""

from __future__ import annotations

import json
from typing import Any

import msgspec


class Ends(list[Any]):
    """A list of which only the first and the last item are there; its length is that of the whole."""

    def __init__(self, first: Any, last: Any, count: int) -> None:
        super().__init__([first, last])
        self._count = count

    def __len__(self) -> int:
        return self._count


def outline(body: bytes) -> Any:
    """An answer as Python values, in which long lists directly inside are `Ends`.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    try:
        members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        return {name: _value(bytes(raw)) for name, raw in members.items()}
    except msgspec.MsgspecError:
        return json.loads(body)  # no object, or of a form that this reader refuses


def _value(raw: bytes) -> Any:
    if not raw.startswith(b"["):
        return json.loads(raw)
    items = msgspec.json.decode(raw, type=list[msgspec.Raw])
    if len(items) <= 2:
        return json.loads(raw)
    return Ends(json.loads(bytes(items[0])), json.loads(bytes(items[-1])), len(items))
