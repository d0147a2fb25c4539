"""Finding text in a document."""

from __future__ import annotations

import json

import pytest

from tui.json_view.rows import Rows
from tui.json_view.search import BadPattern, Query, Where, hits

ANSWER = {
    "name": "Zoë Name",
    "email": "zoe@name.example",
    "tags": ["name", {"Name": 1}],
    "note": 'she said "name"\n(.*)',
    "face": "😀",
}
AS_SENT = [json.dumps(ANSWER).encode(), json.dumps(ANSWER, ensure_ascii=False).encode()]


def found(body: bytes, text: str, *, is_regex: bool = False, where: Where = "everywhere") -> list[str]:
    rows = Rows.of(body)
    return [rows.row(int(row)).key or rows.row(int(row)).value for row in hits(rows, Query(text, is_regex, where))]


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
    with pytest.raises(BadPattern, match="letter 1"):
        found(AS_SENT[0], "(", is_regex=True)


def test_nothing_is_found_twice_in_a_row() -> None:
    assert found(b'["aaaa", "a"]', "a") == ['"aaaa"', '"a"']
    assert found(b'["aaaa"]', "b*", is_regex=True) == []
    assert found(b'{"a": 1, "b": {"c": 2, "d": 3}}', ".+", is_regex=True, where="keys") == ['"a"', '"b"', '"c"', '"d"']


def test_a_search_can_be_given_up() -> None:
    rows = Rows.of(json.dumps(["name" * 1_000] * 1_000).encode())
    asked = iter([False, True])
    found_before = hits(rows, Query("name"), lambda: next(asked))
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
