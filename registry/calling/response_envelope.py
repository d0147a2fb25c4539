"""The envelope of a response: the properties that describe a page, without decoding every item in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from registry.calling.items import cut, raw_at
from registry.catalog.service import Paging
from registry.json_text.reading import read_json
from registry.json_text.values import dumps


class ListEnds(list[Any]):
    """A list in which only the first and the last item are decoded; its length is that of the whole list.

    `texts` has all items as raw JSON. It keeps the whole body in memory.
    """

    def __init__(self, texts: Sequence[msgspec.Raw] | Sequence[bytes]) -> None:
        super().__init__(read_json(bytes(text)) for text in (texts if len(texts) <= 2 else (texts[0], texts[-1])))
        self.texts = texts

    def __len__(self) -> int:
        return len(self.texts)


def envelope(body: bytes, paging: Paging | None = None) -> Any:
    """A response as Python values; the lists directly inside it, and a page's items, become `ListEnds`.

    From a page only the items and the paging properties are read, so that it is read once and not twice.

    Args:
        body: the response.
        paging: the paging of the list that it should be; None if it is not a list.

    Raises:
        NotJson: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    try:
        if paging is not None and (page := _page(body, paging)) is not None:
            return page
    except msgspec.MsgspecError:
        pass  # not a page of this form; tried as other JSON below
    try:
        members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        return {name: _value(bytes(raw)) for name, raw in members.items()}
    except msgspec.MsgspecError:
        return _slowly(body)  # not an object, or JSON that msgspec refuses: a lone surrogate


def _page(body: bytes, paging: Paging) -> Any:
    if (large := cut(body, paging.items)) is not None:
        found = _page(large.rest, paging)
        (found[paging.items] if paging.items else found).texts = large.items
        return found
    if not paging.items:
        return ListEnds(msgspec.json.decode(body, type=list[msgspec.Raw]))
    if "." not in paging.items:
        decode, names = _reader(paging)
        page = decode(body)
        found = {name: value for name, field in names.items() if (value := getattr(page, field)) is not msgspec.UNSET}
        return {**found, paging.items: ListEnds(found[paging.items])} if paging.items in found else None
    *above, last = paging.items.split(".")
    if (raw := raw_at(body, paging.items)) is None:
        return None
    texts = msgspec.json.decode(raw, type=list[msgspec.Raw])
    whole = holder = read_json(body)
    for name in above:
        holder = holder[name]
    holder[last] = ListEnds(texts)
    return whole


@cache
def _reader(paging: Paging) -> tuple[Callable[[bytes], Any], Mapping[str, str]]:
    """A decoder for a page's items and paging properties, and the field name of each of these properties."""
    paths = (paging.more, paging.next, paging.total, paging.position, paging.size)
    others = dict.fromkeys(path.partition(".")[0] for path in paths if path)
    names = {name: f"field_{number}" for number, name in enumerate(dict.fromkeys([paging.items, *others]))}
    items = list[msgspec.Raw] | msgspec.UnsetType
    fields = [(field, items if name == paging.items else Any, msgspec.UNSET) for name, field in names.items()]
    form = msgspec.defstruct("Page", fields, rename={field: name for name, field in names.items()})
    return msgspec.json.Decoder(form).decode, names


def _value(raw: bytes) -> Any:
    if not raw.startswith(b"["):
        return read_json(raw)
    return ListEnds(msgspec.json.decode(raw, type=list[msgspec.Raw]))


def _slowly(body: bytes) -> Any:
    """The same with a reader that accepts everything."""
    whole, exact = read_json(body), read_json(body, exact=True)
    if not isinstance(whole, dict):
        return whole
    return {name: _ends(exact[name]) if isinstance(value, list) else value for name, value in whole.items()}


def _ends(items: list[Any]) -> ListEnds:
    # A lone surrogate, which UTF-8 cannot encode, is written as its escape.
    return ListEnds([dumps(item).encode("utf-8", "backslashreplace") for item in items])
