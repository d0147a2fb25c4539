"""Which list an answer is about, and its items as they came."""

from __future__ import annotations

import json

import pytest

from registry.calling.result import Listing, id_of, listing_in
from registry.json_text.reading import NotJson


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


def test_what_is_no_json_is_said_to_be_none() -> None:
    body = json.dumps({"data": [{"id": "cus_0000001"}] * 150_000}).encode()
    for broken in (body[:-1], body[:-3] + b"?" + body[-2:], body + b"}", b'{"data": [', b'{"data":' + b"[" * 100_000):
        with pytest.raises(NotJson):
            listing_in(broken, "data")


def test_an_item_has_its_id_whatever_else_is_in_it() -> None:
    for item in (
        rb'{"id":"8","t":"\ud800"}',
        rb'{"t":{"x":"\ud800 \u0000"},"id":"8"}',
        rb'{"id":"8","t":"\ud800 \ud83d\ude00"}',
    ):
        assert id_of(item) == b'"8"'
