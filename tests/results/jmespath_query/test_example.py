"""The query that is shown before one is typed."""

from __future__ import annotations

import json

import pytest

from registry.results.jmespath_query.example import example
from registry.results.jmespath_query.json_values import JsonSource
from registry.results.jmespath_query.query import run_query

AMOUNTS = [{"id": "a", "amount": 100, "status": "paid"}, {"id": "b", "amount": 300}]


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ({"object": "list", "data": AMOUNTS}, "data[?amount > `100`]"),
        (AMOUNTS, "[?amount > `100`]"),
        ([{"amount": 1, "amount_due": 5}, {"amount": 2, "amount_due": 7}], "[?amount_due > `5`]"),
        ({"incidents": [{"id": "Q1", "status": "triggered"}], "more": False}, "incidents[?status == 'triggered']"),
        ([{"id": "x", "status": "it's \u202e"}], "[].id"),
        ({"id": "cus_1", "name": "Ada"}, "id"),
        ([], ""),
        ("text", ""),
    ],
)
def test_it_works_on_the_document_on_screen(value: object, query: str) -> None:
    source = JsonSource(json.dumps(value).encode())
    assert example(source.value) == query
    if query:
        assert json.loads(run_query(source, query).text), "it gives something"
