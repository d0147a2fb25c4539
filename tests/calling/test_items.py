"""Which list an answer is about, and its items as they came."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.calling.items import Listing, cut, listing_in
from registry.json_text.reading import NotJson
from tests.sampled import examples


@pytest.mark.parametrize(
    ("body", "at", "expected"),
    [
        (b'{"data":[{"id": 1.10}, {"id":1e400}]}', "data", Listing(("data",), [b'{"id": 1.10}', b'{"id":1e400}'])),
        (b'{"results": []}', "results", Listing(("results",), [])),
        (b'{"rows":[{"a":1,"a":2}],"limit":1,"more":false}', "rows", Listing(("rows",), [b'{"a":1,"a":2}'])),
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


def test_what_is_no_json_behind_the_first_pieces_is_said_to_be_none() -> None:
    body = json.dumps({"data": [{"id": "cus_0000001"}] * 150_000}).encode()
    for broken in (body[:-1], body[:-3] + b"?" + body[-2:], body + b"}", b'{"data": [', b'{"data":' + b"[" * 100_000):
        with pytest.raises(NotJson):
            listing_in(broken, "data")
