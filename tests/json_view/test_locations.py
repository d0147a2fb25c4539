"""A row's place is what the row says it is, in responses of every form, and costs little in large ones."""

import json
from typing import Any

import pytest

from registry.references.naming import ELEMENT, Branch, JsonLocation, Value
from tests.hostile import STRINGS
from tests.references.locations import locations
from tui.json_view.document import Document
from tui.json_view.links import Locations

RESPONSES = [
    {"object": "charge", "id": "ch_1", "amount": 42, "paid": True, "source": {"id": "card_1", "of": {"a": "b"}}, "tags": ["a"]},
    {"object": "list", "data": [{"id": "a", "refunds": {"object": "list", "data": []}}, {"id": "b", "none": None, "e": {}}]},
    [[{"id": "x"}], [], "text"],
    "alone",
    {text: [text, {text: text}] for text in STRINGS if len(text) < 400 and text.isascii()},
    [{"note": text} for text in STRINGS if len(text) < 400],
]


@pytest.mark.parametrize("response", RESPONSES)
def test_rows_and_values_give_the_same_places(response: Any) -> None:
    document = Document(json.dumps(response).encode())
    rows = [row for row in range(len(document.rows)) if not document.closes(row)]
    found = [Locations(document).at(row) for row in rows]
    assert found == [_plain(place) for place in locations(response)]


def test_a_closing_row_stands_where_the_opening_one_does() -> None:
    document = Document(b'{"a": {"id": "1"}, "b": 2}')
    kept = Locations(document)
    closing = next(row for row in range(len(document.rows)) if document.closes(row))
    assert kept.at(closing) == kept.at(1)
    assert kept.at(1) == JsonLocation("a", {"id": "1"}, (Branch("", {"a": {"id": "1"}, "b": "2"}),))


def test_only_the_members_around_a_row_are_read() -> None:
    items = [{"id": f"cus_{number}", "object": "customer", "lines": {"data": list(range(50))}} for number in range(500)]
    document = Document(json.dumps({"object": "list", "data": items, "url": "/v1/customers"}).encode())
    asked: list[int] = []
    read = document.rows.row
    document.rows.row = lambda number, most=4_000: asked.append(number) or read(number, most)  # type: ignore[method-assign,func-returns-value]
    middle = next(row for row in range(len(document.rows) // 2, len(document.rows)) if read(row).key == '"id"')
    place = Locations(document).at(middle)
    assert len(asked) < 60
    assert place.around[-1].members == {"object": "list", "url": "/v1/customers"}
    assert ELEMENT in [branch.step for branch in place.around]


def test_values_that_are_cut_or_cannot_be_sent_name_nothing() -> None:
    document = Document(b'{"long": "' + b"x" * 5_000 + b'", "half": "\\ud800", "id": "a"}')
    assert Locations(document).at(0).value == {"long": None, "half": None, "id": "a"}


def _plain(place: JsonLocation) -> JsonLocation:
    around = tuple(Branch(branch.step, _known(branch.members)) for branch in place.around)  # type: ignore[arg-type]
    return JsonLocation(place.step, _known(place.value), around)


def _known(value: Value) -> Value:
    """A value as rows give it: whole numbers as texts, which may be ids; text that no request could carry is left out."""
    if isinstance(value, dict):
        return {name: _known(one) for name, one in value.items()}
    if isinstance(value, str):
        try:
            value.encode()
        except ValueError:
            return None
        return value
    return value if isinstance(value, bool) else str(value) if isinstance(value, int) else None
