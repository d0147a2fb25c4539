"""What may come next in a query."""

from __future__ import annotations

import json

import pytest

from registry.results.jmespath_query.completion import QueryCancelled, complete
from registry.results.jmespath_query.json_values import JsonSource
from tests.results.jmespath_query.test_query import SOURCE

ITEM = ["id", "amount", "status", "customer", "tags"]


def shown(query: str, source: JsonSource = SOURCE) -> list[str]:
    return [choice.shown for choice in complete(source, query, len(query)).choices]


def accepted(query: str, source: JsonSource = SOURCE, *, cursor: int | None = None) -> str:
    place = len(query) if cursor is None else cursor
    completion = complete(source, query, place)
    return query[: completion.start] + completion.choices[0].text + query[place:]


@pytest.mark.parametrize(
    ("query", "choices"),
    [
        ("", ["data", "has_more", "total"]),
        ("da", ["data"]),
        ("DA", ["data"]),
        ("data[].", ITEM),
        ("data[*].cus", ["customer"]),
        ("data[0].customer.", ["name", "e-mail"]),
        ("data[].customer.", ["name", "e-mail"]),
        ("data[?", ITEM),
        ("data[?status == 'nothing' && am", ["amount"]),
        ("data[?status == 'paid'].{a: id, b: sta", ["status"]),
        ("data[].[id, am", ["amount"]),
        ("sort_by(data, &am", ["amount"]),
        ("data | [0].cu", ["customer"]),
        ("data[].id.", []),
        ("data[?status == 'pa", []),
        ("data[?amount > `1", []),
        ("data id", []),
        ("data[].nothing", []),
        ("sort_by(data, &amount)[].sta", ["status"]),
    ],
)
def test_names_of_the_document_at_this_place(query: str, choices: list[str]) -> None:
    names = [one for one in shown(query) if "(" not in one]
    assert names == choices


def test_a_filter_is_put_on_the_documents_own_list() -> None:
    assert accepted("[?") == "data[?"
    items = JsonSource(b'[{"id": "a", "amount": 1}]')
    assert accepted("data[?", items) == "[?"
    assert shown("[?", items) == ["id", "amount"]
    late = JsonSource(b'{"object": "list", "url": "/v1", "data": [{"id": "a"}]}')
    assert shown("", late) == ["data", "object", "url"], "the list comes first"


def test_functions() -> None:
    assert shown("sort") == ["sort(list)", "sort_by(list, &expression)"]
    assert shown("length(da") == ["data"]
    assert shown("data[?st") == ["status", "customer", "starts_with(text, text)"]
    assert shown("data[].so") == []
    assert accepted("sort_") == "sort_by("


def test_what_is_accepted() -> None:
    assert accepted("data[].cu") == "data[].customer"
    assert accepted("data[0].customer.e") == 'data[0].customer."e-mail"'
    assert accepted('data[0].customer."e') == 'data[0].customer."e-mail"'
    assert accepted("data[].{i") == "data[].{id: id"
    assert accepted("data.") == "data[]."
    assert accepted("data.am") == "data[].am"
    assert accepted("data[].am | [0]", cursor=9) == "data[].amount | [0]"
    assert accepted("", JsonSource(b"[{}]")) == "[]"


def test_of_many_objects_the_first_ones_tell() -> None:
    source = JsonSource(json.dumps([{f"name_{place}": 1} for place in range(5_000)]).encode())
    assert len(shown("[].n", source)) == 200


def test_nobody_waits() -> None:
    with pytest.raises(QueryCancelled):
        complete(JsonSource(json.dumps([[1]] * 5_000).encode()), "[].a", 4, lambda: True)
