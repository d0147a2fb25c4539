"""The list in an answer, and the answers of several accounts as one: nothing is lost, renamed without need, or passed over."""

import json

import pytest

from registry.accounts.connection import ConnectionSettingsError
from registry.calling.listing import Listing, listing_in
from registry.calling.result import Failure, Result, ResultPage, id_of
from registry.calling.several_accounts import joined, refuse
from registry.catalog.loader import load
from registry.json_text import NotJson


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


TOOLS = load().tools
LIST = TOOLS["SearchPaymentsCustomers"]
DENIED = Failure("authentication", "Permission denied", "It lacks rak_customer_read.", "Use another key.")


def answer(account: str, body: bytes, at: str | None = "data", **more: object) -> Result:
    return Result(LIST.name, account, 200, body=body, items_at=at, at=7.0, **more)  # type: ignore[arg-type]


def test_items_keep_their_texts_and_say_whose_they_are() -> None:
    first = answer("A", b'{"data": [{"id": "1", "amount": 1.10}, 7], "x": 1}', page=ResultPage(2, has_more=True))
    second = answer("B", b'{"data": [{"account": "acct_1", "id": "2"}]}', notes=("a part is missing",))
    found = joined(LIST, [first, second])
    wanted = b'[{"account":"A","id":"1","amount":1.10},{"account":"A","value":7},{"account":"B","account_":"acct_1","id":"2"}]'
    assert found.body == b'{"data":' + wanted + b"}"
    assert [found.connection_of(place) for place in range(3)] == ["A", "A", "B"]
    assert found.words == "A 2, more available · B 1"
    assert found.notes == ("B: a part is missing",)
    assert (found.ok, found.failed, found.partial, found.items_at) == (True, (), ("A",), "data")
    assert first.connection_of(1) == "A", "any result says where its items came through"


def test_objects_stand_in_rows_and_deep_lists_where_the_tool_has_them() -> None:
    found = joined(LIST, [answer("A", b'{"id": "1"}', None), answer("B", b'{"id": "1"}', None)])
    assert json.loads(found.body) == [{"account": "A", "id": "1"}, {"account": "B", "id": "1"}]
    deep = joined(LIST, [answer("A", b'{"a": {"b": []}}', "a.b"), answer("B", b'{"a": {"b": [{"id": 1}]}}', "a.b")])
    assert json.loads(deep.body) == {"a": {"b": [{"account": "B", "id": 1}]}}
    assert deep.connection_of(0) == "B"


def test_what_fails_is_said_also_where_it_is_no_json() -> None:
    denied = Result(LIST.name, "Few", 403, failure=DENIED)
    found = joined(LIST, [answer("A", b'{"data": []}'), denied, answer("Odd", b"<html>")])
    assert found.ok
    assert [part.connection for part in found.failed] == ["Few", "Odd"]
    assert found.words == "A 0 · Few failed · Odd failed"
    nothing = joined(LIST, [denied, answer("Odd", b"<html>")])
    assert nothing.failure is not None
    assert nothing.failure.title == "All 2 accounts failed"
    assert nothing.failure.cause.startswith("Few: Permission denied. It lacks rak_customer_read.")
    assert nothing.failure.details[0].startswith("Odd: The response is not JSON.")
    assert nothing.body == b""
    deep = joined(LIST, [answer("A", b'{"data": []}'), answer("Deep", b"[" * 100_000, None)])
    assert [(part.connection, part.failure and part.failure.cause) for part in deep.failed] == [
        ("Deep", "It is nested too deeply to be read.")
    ]


def test_only_reads_and_each_account_once() -> None:
    refuse(LIST, ["A", "B"])
    with pytest.raises(ConnectionSettingsError, match="changes data"):
        refuse(TOOLS["DeletePaymentsCustomer"], ["A", "B"])
    with pytest.raises(ConnectionSettingsError, match="named twice"):
        refuse(LIST, ["A", "A"])
