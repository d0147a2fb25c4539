"""Rows and folds of JSON texts: nothing is lost, paths lead to rows, rows say where they are, and what is copied of one."""

import gc
import json
import random
from typing import Any
from weakref import ref

import pytest

from registry.json_text import NotJson
from registry.references.naming import ELEMENT, Branch, JsonLocation, Value
from tests.hostile import STRINGS
from tests.references.locations import locations
from tui.json_view.document import Document, Locations, Step
from tui.json_view.rows import UNFOLDED, Folds, JsonRows

LEAVES = [0, -1.5, 10**30, "", "x{", "]", "[", ",", "a\nb", 'q"', "\\", None, True, "é😀\u202e\ud800", {}, [], "}", "\x7f\x9b"]


def value(dice: random.Random, depth: int = 0) -> Any:
    """Any JSON value."""
    kind = dice.random()
    if depth > 5 or kind < 0.4:
        return dice.choice(LEAVES)
    if kind < 0.7:
        return [value(dice, depth + 1) for _ in range(dice.randrange(5))]
    names = (f"k{number}{dice.choice(['', ': ', chr(34), '{', 'é'])}" for number in range(dice.randrange(5)))
    return {name: value(dice, depth + 1) for name in names}


@pytest.mark.parametrize("seed", range(20))
def test_folding_is_what_it_would_be_by_hand(seed: int) -> None:
    dice = random.Random(seed)
    rows = JsonRows(json.dumps([value(dice) for _ in range(6)]).encode())
    folds = Folds(rows)
    for _ in range(40):
        row = dice.randrange(len(rows))
        match dice.choice(("toggle", "toggle", "reveal", "depth", "all")):
            case "toggle":
                folds.toggle(row)
            case "reveal":
                folds.reveal(row)
                assert folds.row(folds.place(row)) == row
            case "depth":
                folds.fold_to(dice.randrange(4))
            case _:
                folds.fold_to(UNFOLDED)
        seen, expected = 0, []
        while seen < len(rows):
            expected.append(seen)
            seen = rows.closer(seen) + 1 if folds.is_folded(seen) else seen + 1
        assert [folds.row(place) for place in range(len(folds))] == expected


@pytest.mark.parametrize("width", [3, 2_000])
def test_rows_of_a_large_text_know_what_is_around_them(width: int) -> None:
    dice = random.Random(width)
    body = json.dumps({"all": [[value(dice) for _ in range(width)] for _ in range(6_000 // width)], "last": {"a": []}}).encode()
    rows = JsonRows(body)
    lines = rows.text.split(b"\n")
    assert len(rows) == len(lines)
    assert rows.row_at(len(rows.text) - 1) == len(rows) - 1
    open_, places, closed = list[int](), list[int](), dict[int, int]()
    for number, line in enumerate(lines):
        if line.strip(b" ,") in (b"}", b"]"):
            closed[open_.pop()] = number
            places.pop()
            continue
        places[-1:] = [place + 1 for place in places[-1:]]
        if number % 101 == 0:
            above = open_[-1] if open_ else None
            assert (rows.depth(number), rows.parent(number), rows.place(number)) == (
                len(open_),
                above,
                sum(places[-1:]) - bool(open_),
            )
        if line.endswith((b"{", b"[")):
            open_.append(number)
            places.append(0)
    for opener in [*list(closed)[::101], *sorted(closed)[:3]]:
        closer = closed[opener]
        assert (rows.closer(opener), rows.opener(closer)) == (closer, opener)
        assert rows.items(opener) == len(json.loads(rows.value(opener)))
    for depth in range(6):
        branches = sorted(opener for opener in closed if rows.depth(opener) == depth)
        assert list(rows.branches(depth)) == [(opener, closed[opener]) for opener in branches]


def test_a_document_that_is_not_shown_any_more_takes_no_memory() -> None:
    gc.disable()
    try:
        document = Document(b'{"a": {"id": "x"}}')
        Locations(document).at(2)
        document.folds.fold_to(1)
        rows = ref(document.rows)
        del document
        assert rows() is None
    finally:
        gc.enable()


def test_numbers_and_members_that_occur_twice_stay() -> None:
    body = b'{"a": 12345678901234567890123, "a": 1.10, "b": 1e400, "c": -0.0}'
    rows = JsonRows(body)
    assert [rows.row(number).value for number in range(1, 5)] == ["12345678901234567890123", "1.10", "1e400", "-0.0"]
    assert [rows.row(number).key for number in range(1, 5)] == ['"a"', '"a"', '"b"', '"c"']


def test_parents_places_and_ends() -> None:
    document = Document(b'{"data": [{"id": 1}, {"id": 2, "x y": [3, {}, []]}], "more": false}')
    rows = document.rows
    told = {rows.row(number).value: document.shown_path(number) for number in range(len(rows))}
    assert told["2"] == "data[1].id"
    assert told["3"] == 'data[1]["x y"][0]'
    assert told["{}"] == 'data[1]["x y"][1]'
    assert told["false"] == "more"
    assert rows.items(0) == 2
    assert rows.items(1) == 2
    for number in range(len(rows)):
        assert rows.opener(rows.closer(number)) == rows.opener(number)


def test_bytes_that_are_no_text() -> None:
    rows = JsonRows(b'["\xff\xfe", 1]')
    assert rows.value(1) == b'"\xff\xfe"'
    assert rows.row(1).value == '"\udcff\udcfe"'


def test_a_value_is_cut_and_says_by_how_much() -> None:
    rows = JsonRows(json.dumps({"long": "x" * 100_000}).encode())
    row = rows.row(1, 100)
    assert (len(row.value), row.cut) == (100, 100_002 - 100)
    assert len(rows.value(1)) == 100_002


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[1 2]", b"[1,]", b'{"a"}', b'{"a":1,}', b"nul", b"[01]", b"]", b"[}", b"{1:2}", b"1 2", b'"\n"', b"\xff"],
)
def test_what_is_not_json(body: bytes) -> None:
    with pytest.raises(NotJson):
        JsonRows(body)


DOCUMENT = Document(rb'{"data":[{"id":1,"a":{"b":[[],{"c":2}]}},{"\u0069d":3,"x":1,"x":2}],"data2":{}}')


@pytest.mark.parametrize("row", range(len(DOCUMENT.rows)))
def test_every_row_is_at_its_path(row: int) -> None:
    path = DOCUMENT.path(row)
    last_of_two = 1 if DOCUMENT.rows.row(row, 9).value == "1" and path[-1] == '"x"' else 0
    assert DOCUMENT.row_at(path) == DOCUMENT.rows.opener(row) + last_of_two


@pytest.mark.parametrize(
    "path",
    [['"q"'], ['"data"', 2], ['"data"', '"id"'], ['"data"', 0, '"id"', 0], [0, 0, 0], ['"data2"', '"x"'], ["no \\ JSON"]],
)
def test_paths_that_lead_nowhere(path: list[Step]) -> None:
    assert DOCUMENT.row_at(path) is None


def test_names_are_the_same_however_they_are_written() -> None:
    assert DOCUMENT.row_at(['"data"', 1, '"id"']) == DOCUMENT.row_at(['"data"', 1, '"\\u0069d"']) is not None


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


def test_a_closing_row_stands_where_the_opening_one_does() -> None:
    document = Document(b'{"a": {"id": "1"}, "b": 2}')
    kept = Locations(document)
    closing = next(row for row in range(len(document.rows)) if document.closes(row))
    assert kept.at(closing) == kept.at(1)
    assert kept.at(1) == JsonLocation("a", {"id": "1"}, (Branch("", {"a": {"id": "1"}, "b": "2"}),))
