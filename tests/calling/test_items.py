"""Which list an answer is about, and its items as they came."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.calling import items
from registry.calling.items import Listing, cut, listing_in
from registry.json_text.pieces import ListOfObjects
from registry.json_text.reading import NotJson
from tests.calling.network import call
from tests.sampled import examples


@pytest.mark.parametrize(
    ("body", "at", "expected"),
    [
        (
            b'{"object":"list","data":[{"id": 1.10}, {"id":1e400}]}',
            "data",
            Listing(("data",), [b'{"id": 1.10}', b'{"id":1e400}']),
        ),
        (b'{"results": []}', "results", Listing(("results",), [])),
        (
            b'{"incidents":[{"a":1,"a":2}],"limit":1,"offset":0,"more":false}',
            "incidents",
            Listing(("incidents",), [b'{"a":1,"a":2}']),
        ),
        (b'{"incidents":[],"limit":1,"offset":0,"more":false}', "incidents", Listing(("incidents",), [])),
        (b' [1, "two", 12345678901234567890123]', "", Listing((), [b"1", b'"two"', b"12345678901234567890123"])),
        (b' {"page": {"n": 1, "rows" : [1] } }', "page.rows", Listing(("page", "rows"), [b"1"])),
        (b'{"rows": [1]}', None, Listing(("rows",), [b"1"])),
        (b'{"rows": {"of": 1}}', "rows", None),
        (b'{"rows": 7, "more": false}', "rows.of", None),
        (b'{"data": [], "results": []}', None, None),
        (b'{"id":"cus_1","tags":["a"]}', "data", None),
        (b'"text"', None, None),
        (b"", None, None),
    ],
)
def test_the_list_that_an_answer_is_about(body: bytes, at: str | None, expected: Listing | None) -> None:
    found = listing_in(body, at)
    assert (found and Listing(found.path, [*found.items])) == expected


def test_what_is_not_json_is_said_to_be_none() -> None:
    with pytest.raises(NotJson):
        listing_in(b'{"data": [')


# Letters of which places are made that look like the end of an object.
TEXTS = st.text('ab},{"id:[]\\ é', max_size=12)
INNER = st.none() | st.integers() | TEXTS | st.lists(st.fixed_dictionaries({"id": TEXTS}), max_size=3)
OBJECTS = st.lists(st.fixed_dictionaries({"id": INNER, "lines": INNER}), min_size=1)
MEMBERS = st.lists(
    st.tuples(st.sampled_from(["data", "", "more", "da\\ta", "a.b"]), OBJECTS | INNER), min_size=1, max_size=4
)  # a name may stand there twice


@examples(30)
@given(MEMBERS, st.sampled_from([(",", ":"), (", ", ": "), (" ,\n ", ":\t")]), st.integers(1, 80))
def test_a_large_answer_is_taken_apart_as_a_small_one(
    members: list[tuple[str, object]], separators: tuple[str, str], piece: int
) -> None:
    comma, colon = separators
    texts = [f"{json.dumps(name)}{colon}{json.dumps(value, separators=separators)}" for name, value in members]
    body = f" {{ {comma.join(texts)} }} ".encode()
    listing, apart = listing_in(body, "data"), cut(body, "data", piece)
    if apart is not None:
        assert listing is not None
        assert [*apart.items] == [*listing.items] == [apart.items[place] for place in range(len(apart.items))]
        assert json.loads(apart.rest) == {**json.loads(body), "data": [json.loads(apart.items[0]), json.loads(apart.items[-1])]}


@examples(30)
@given(OBJECTS, st.sampled_from([(",", ":"), (" ,\n ", ":\t")]), st.integers(1, 80))
def test_so_is_one_that_is_a_list(objects: list[object], separators: tuple[str, str], piece: int) -> None:
    body = f"\n{json.dumps(objects, separators=separators)} ".encode()
    listing, apart = listing_in(body), cut(body, "", piece)
    assert listing is not None
    assert apart is None or [*apart.items] == [*listing.items]


def test_a_large_answer_is_never_read_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    objects = [{"id": f"cus_{number}", "note": '"},{"id":', "lines": [{"id": 1}, {"id": 2}]} for number in range(60_000)]
    body = json.dumps({"object": "list", "data": objects, "has_more": False}).encode()
    taken: list[int] = []
    decode = msgspec.json.decode

    def counted(text: bytes, *, type: Any) -> Any:  # noqa: A002
        taken.append(len(text))
        return decode(text, type=type)

    monkeypatch.setattr(items.msgspec.json, "decode", counted)  # type: ignore[attr-defined]
    listing = listing_in(body, "data")
    assert listing is not None
    assert json.loads(listing.items[-1]) == objects[-1]
    assert len(listing.items[10:20]) == 10
    assert max(taken) < len(body) / 2


async def test_the_items_of_a_large_page_are_cut_once_for_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = {
        "object": "list",
        "data": [{"id": f"card_{number}", "note": "x" * 400} for number in range(6_000)],
        "has_more": False,
    }
    body, cuts = json.dumps(page).encode(), list[str]()
    whole = items._cut

    def counted(body: bytes, found: ListOfObjects, at: str, piece: int) -> items.Cut:
        cuts.append(at)
        return whole(body, found, at, piece)

    monkeypatch.setattr(items, "_cut", counted)
    result, _ = await call("GetCustomerCards", lambda request: httpx.Response(200, content=body), tmp_path, customer_id="cus_1")
    assert result.ok
    assert cuts == ["data"]
    assert (result.listing.path, [*result.listing.items]) == (("data",), [*listing_in(body, "data").items])  # type: ignore[union-attr]
    assert cuts == ["data", "data"], "the second time was the comparison above"


def test_what_is_no_json_behind_the_first_pieces_is_said_to_be_none() -> None:
    body = json.dumps({"data": [{"id": "cus_0000001"}] * 150_000}).encode()
    for broken in (body[:-1], body[:-3] + b"?" + body[-2:], body + b"}"):
        with pytest.raises(NotJson):
            listing_in(broken, "data")


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"data":' + b"[" * 100_000, b'{"a":' * 100_000])
def test_what_is_nested_too_deeply_is_told_in_plain_words(body: bytes) -> None:
    with pytest.raises(NotJson, match=r"^it is nested too deeply to be read$"):
        listing_in(body, "data")
