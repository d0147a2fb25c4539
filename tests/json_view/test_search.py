"""Finding text in a document."""

from __future__ import annotations

import json
import random

import pytest

from tests.json_view.test_rows import value
from tui.json_view import search
from tui.json_view.document import Document
from tui.json_view.rows import JsonRows
from tui.json_view.search import BadPattern, SearchFailed, TextSearch, Where, hits, insides

ANSWER = {
    "name": "Zoë Name",
    "email": "zoe@name.example",
    "tags": ["name", {"Name": 1}],
    "note": 'she said "name"\n(.*)',
    "face": "😀",
}
AS_SENT = [json.dumps(ANSWER).encode(), json.dumps(ANSWER, ensure_ascii=False).encode()]


def found(body: bytes, text: str, *, is_regex: bool = False, where: Where = "everywhere") -> list[str]:
    rows = JsonRows.of(body)
    return [rows.row(int(row)).key or rows.row(int(row)).value for row in hits(rows, TextSearch(text, is_regex, where))]


@pytest.mark.parametrize("body", AS_SENT, ids=["escaped", "spelled"])
def test_text(body: bytes) -> None:
    assert found(body, "name") == ['"name"', '"email"', '"name"', '"Name"', '"note"']
    assert found(body, "Name") == ['"name"', '"Name"']
    assert found(body, "name", where="keys") == ['"name"', '"Name"']
    assert found(body, "name", where="values") == ['"name"', '"email"', '"name"', '"note"']
    assert found(body, "zoë") == found(body, "Zoë") == ['"name"']
    assert found(body, "😀") == ['"face"']
    assert found(body, "(.*)") == ['"note"']
    assert found(body, "nothing") == []


def test_regular_expressions() -> None:
    assert found(AS_SENT[0], "^x|na.e", is_regex=True, where="keys") == ['"name"', '"Name"']
    assert found(AS_SENT[0], r"\(\.\*", is_regex=True) == ['"note"']
    with pytest.raises(BadPattern, match="missing \\) at position 1"):
        found(AS_SENT[0], "(", is_regex=True)


ROWS = json.dumps(
    {
        "id": "in_1",
        "invoice": "in_12",
        "begin in_1": "x in_1",
        "amount": 4200,
        "empty": "",
        "list": [],
        "a, b": " in",
        "n": None,
    }
).encode()


@pytest.mark.parametrize(
    ("pattern", "rows"),
    [
        ("^in_", ['"id"', '"invoice"']),
        ("_1$", ['"id"', '"begin in_1"']),
        ("^in_1$", ['"id"']),
        ("^i", ['"id"', '"invoice"']),
        (r"\Aid\Z", ['"id"']),
        ("^4200$", ['"amount"']),
        ("^$", ['"empty"']),
        ("^ in$", ['"a, b"']),
        ("^b", ['"begin in_1"']),
        ("(^|x )in_1$", ['"id"', '"begin in_1"']),
        (r"^[^\d]*$", ['"id"', '"invoice"', '"amount"', '"empty"', '"list"', '"a, b"', '"n"', "{", "}"]),
        ("4200[^x]*null", []),
        (r"4200\W+empty", []),
        ("(?s)4200.*null", []),
        ("in[^x]*", ['"id"', '"invoice"', '"begin in_1"', '"a, b"']),
        ("(?s)in.*", ['"id"', '"invoice"', '"begin in_1"', '"a, b"']),
        (r"[\s\S]+_12", ['"invoice"']),
        ("[^]]+_12", ['"invoice"']),
        ("^null$", ['"n"']),
        ('id"', ['"id"']),
    ],
)
def test_regular_expressions_are_about_a_key_or_a_value(pattern: str, rows: list[str]) -> None:
    assert sorted(found(ROWS, pattern, is_regex=True)) == sorted(rows)


@pytest.mark.parametrize("seed", range(30))
def test_regular_expressions_find_what_a_look_at_every_row_finds(seed: int) -> None:
    dice = random.Random(seed)
    rows = JsonRows.of(json.dumps([value(dice) for _ in range(6)]).encode())
    for pattern in (
        "^k",
        "k1$",
        "^.$",
        "[^a]+",
        r"\W",
        "(?s).*x",
        "^$",
        "b|^-",
        r"\s",
        "(?<!k)1",
        "k(?=0)",
        r"\b0",
        "[]]",
        "n*",
    ):
        query = TextSearch(pattern, is_regex=True)
        expected = []
        for number in range(len(rows)):
            line = rows.text.split(b"\n")[number]
            inside = [rows.text[start:stop] for start, stop in insides(rows, number)] if query.is_anchored else [line]
            matches = [match for text in inside for match in query.pattern().finditer(text)]
            if any(query.is_anchored or match.group() for match in matches):
                expected.append(number)
        assert hits(rows, query).tolist() == expected, pattern


def test_capitals() -> None:
    assert TextSearch("abc").ignores_case
    assert not TextSearch("aBc").ignores_case
    assert not TextSearch(r"\D").ignores_case
    assert TextSearch(r"\D+\Wx", is_regex=True).ignores_case


def test_long_texts_are_searched_in_parts() -> None:
    body = json.dumps(["x" * 1_000 + str(number) for number in range(12_000)]).encode()
    assert len(hits(JsonRows.of(body), TextSearch("x"))) == 12_000
    assert hits(JsonRows.of(body), TextSearch("x11999$", is_regex=True)).tolist() == [12_000]


def test_nothing_is_found_twice_in_a_row() -> None:
    assert found(b'["aaaa", "a"]', "a") == ['"aaaa"', '"a"']
    assert found(b'["aaaa"]', "b*", is_regex=True) == []
    assert found(b'{"a": 1, "b": {"c": 2, "d": 3}}', ".+", is_regex=True, where="keys") == ['"a"', '"b"', '"c"', '"d"']


def test_a_search_can_be_given_up() -> None:
    rows = JsonRows.of(json.dumps(["name" * 1_000] * 1_000).encode())
    asked = iter([False, True])
    found_before = hits(rows, TextSearch("name"), lambda: next(asked))
    assert 0 < len(found_before) < 1_000


def test_what_services_escape_is_found_as_it_is_read() -> None:
    body = b'["https:\\/\\/x.example", "a \\u0026 b", "said \\"no\\"", "\\u00c9cole"]'
    assert found(body, "https://x") == [r'"https:\/\/x.example"']
    assert found(body, "a & b") == [r'"a \u0026 b"']
    assert found(body, 'said "no"') == [r'"said \"no\""']
    assert found(body, "école") == [r'"\u00c9cole"']


def test_a_regular_expression_matches_within_a_row() -> None:
    body = b'{"a": 1, "b": 2}'
    assert found(body, r"1[^x]+2", is_regex=True) == []
    assert found(body, r"\s*\"b\"", is_regex=True) == ['"b"']
    assert found(body, r"[^x]+", is_regex=True) == ["{", '"a"', '"b"', "}"]


def test_an_expression_that_takes_hours_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "LONGEST", 0.2)
    runaway = Document.of(b'{"a": "' + b"a" * 60 + b'"}')
    with pytest.raises(SearchFailed, match=r"stopped after 0\.2 s: use a simpler expression, or plain text"):
        hits(runaway.rows, TextSearch("(a|aa)+b", is_regex=True))
