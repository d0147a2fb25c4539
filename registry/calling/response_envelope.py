"""The envelope of a response: the properties that describe a page, without decoding every item in it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec

_LISTS = ("data", "results")
_SPACE = re.compile(r"[ \t\r\n]*")


class ListEnds(list[Any]):
    """A list in which only the first and the last item are decoded; its length is that of the whole list.

    `texts` are all its items as raw JSON. They keep the whole body in memory.
    """

    def __init__(self, texts: Sequence[msgspec.Raw | bytes]) -> None:
        super().__init__(json.loads(bytes(text)) for text in (texts if len(texts) <= 2 else (texts[0], texts[-1])))
        self.texts = texts

    def __len__(self) -> int:
        return len(self.texts)


class _Page(msgspec.Struct):
    """What tells of a page whose list has one of the two usual names."""

    data: list[msgspec.Raw] | msgspec.UnsetType = msgspec.UNSET
    results: list[msgspec.Raw] | msgspec.UnsetType = msgspec.UNSET
    has_more: Any = msgspec.UNSET
    next_page: Any = msgspec.UNSET
    total_count: Any = msgspec.UNSET
    paging: Any = msgspec.UNSET
    offset: Any = msgspec.UNSET
    limit: Any = msgspec.UNSET
    more: Any = msgspec.UNSET
    total: Any = msgspec.UNSET


_READ_PAGE = msgspec.json.Decoder(_Page).decode


def envelope(body: bytes) -> Any:
    """A body as Python values, in which lists at the top level are `ListEnds`.

    Of a body with a list called ``data`` or ``results`` only that list and the paging properties are decoded, so that it is
    read once and not twice.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    try:
        page = _READ_PAGE(body)
        if page.data is not msgspec.UNSET or page.results is not msgspec.UNSET:
            found = {name: value for name in _Page.__struct_fields__ if (value := getattr(page, name)) is not msgspec.UNSET}
            return {name: ListEnds(value) if name in _LISTS else value for name, value in found.items()}
    except msgspec.MsgspecError:
        pass  # no page of this form; what else it may be is seen below
    try:
        members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        return {name: _value(bytes(raw)) for name, raw in members.items()}
    except msgspec.MsgspecError:
        return _slowly(body)  # no object, or of a form that this reader refuses: half a surrogate pair


def _value(raw: bytes) -> Any:
    if not raw.startswith(b"["):
        return json.loads(raw)
    return ListEnds(msgspec.json.decode(raw, type=list[msgspec.Raw]))


def _slowly(body: bytes) -> Any:
    """The same by the reader that takes everything, one value after the other."""
    whole = json.loads(body)
    if not isinstance(whole, dict):
        return whole
    text = body.decode(json.detect_encoding(body), "surrogatepass")
    members: dict[str, Any] = {}
    place = _skip(text, 0) + 1
    while text[place := _skip(text, place)] != "}":
        name, place = _read(text, place + (text[place] == ","))
        place = _skip(text, _skip(text, place) + 1)
        if text[place] == "[":
            members[name], place = _list(text, place + 1)
        else:
            members[name], place = _read(text, place)
    return members


def _list(text: str, place: int) -> tuple[ListEnds, int]:
    texts = []
    while text[place := _skip(text, place)] != "]":
        start = _skip(text, place + (text[place] == ","))
        _, place = _read(text, start)
        texts.append(text[start:place].encode("utf-8", "surrogatepass"))
    return ListEnds(texts), place + 1


def _read(text: str, place: int) -> tuple[Any, int]:
    return json.JSONDecoder().raw_decode(text, _skip(text, place))


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place
