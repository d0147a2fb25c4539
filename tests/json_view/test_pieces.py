"""A text laid out piece by piece is what the library makes of it at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.json_text.layout import lay_out
from registry.json_text.reading import NotJson
from tests.sampled import examples
from tui.json_view import rows as pieces
from tui.json_view.rows import JsonRows, laid_out

# Letters of which places are made that look like the end of an object.
TEXTS = st.text('ab},{"id:[]\\ é', max_size=12)
VALUES = st.recursive(
    st.none() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "a", "data", '"},{']), inner, max_size=3)
    ),
    max_leaves=12,
)
OBJECTS = st.lists(st.fixed_dictionaries({"id": VALUES, "lines": st.lists(st.fixed_dictionaries({"id": TEXTS}))}), min_size=2)
LISTS = OBJECTS | st.fixed_dictionaries({"object": TEXTS, "data": OBJECTS, "more": st.fixed_dictionaries({"data": OBJECTS})})


@examples(50)
@given(LISTS | VALUES, st.sampled_from([(",", ":"), (", ", ": "), (" ,\n ", ":\t")]), st.integers(1, 80))
def test_it_is_laid_out_as_at_once(value: object, separators: tuple[str, str], piece: int) -> None:
    body = json.dumps(value, separators=separators).encode()
    assert laid_out(body, piece) == msgspec.json.format(body, indent=1)


@examples(50)
@given(LISTS, st.integers(1, 80), st.integers(0, 10_000), st.sampled_from([b"", b"}", b"]", b",", b'"', b"},{", b"1"]))
def test_what_is_no_json_is_refused_as_at_once(value: object, piece: int, place: int, odd: bytes) -> None:
    body = json.dumps(value).encode()
    place %= len(body)
    body = body[:place] + odd + body[place + 1 :]
    assert outcome(partial(laid_out, piece=piece), body) == outcome(partial(lay_out, indent=1), body)


def outcome(laid: Callable[[bytes], bytes | bytearray], body: bytes) -> bytes | str:
    """What a text becomes, or why it does not."""
    try:
        return bytes(laid(body))
    except NotJson as error:
        return str(error)


def test_a_large_text_is_never_laid_out_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    items = [{"id": f"cus_{number}", "note": '"},{"id":', "lines": [{"id": 1}, {"id": 2}]} for number in range(100_000)]
    body = json.dumps({"data": items, "has_more": False}).encode()
    taken: list[int] = []
    format_ = msgspec.json.format

    def counted(text: bytes, *, indent: int) -> bytes:
        taken.append(len(text))
        return format_(text, indent=indent)

    monkeypatch.setattr(pieces.msgspec.json, "format", counted)  # type: ignore[attr-defined]
    rows = JsonRows.of(body)
    assert rows.text == format_(body, indent=1)
    assert max(taken) < len(body) / 2
