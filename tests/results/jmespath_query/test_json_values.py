"""JSON read for queries and written again: no number, text or name changes on the way."""

from __future__ import annotations

import gc
import json
import random

import pytest

from registry.calling.json_text import InvalidJson
from registry.results.jmespath_query.json_values import ExactNumber, JsonSource, RedactedText, whole, written
from tests.hostile import STRINGS
from tests.json_view.test_rows import value

NUMBERS = [
    "0",
    "-0",
    "-0.0",
    "1.10",
    "1e400",
    "-1E+400",
    "1e-400",
    "12345678901234567890123",
    "9" * 5_000,
    "1e99999999999999999999",
]


@pytest.mark.parametrize("lexeme", NUMBERS)
def test_numbers_stay_as_they_came(lexeme: str) -> None:
    assert written(JsonSource(f"[{lexeme}]".encode()).value) == f"[{lexeme}]".encode()


def test_numbers_compare_as_what_they_mean() -> None:
    assert ExactNumber("1.10") == ExactNumber("1.1")
    assert ExactNumber("1e2") == 100
    assert ExactNumber("1e400") > 10**399
    assert ExactNumber("1e99999999999999999999") > ExactNumber("1e999999")
    assert ExactNumber("-1e99999999999999999999") < 0
    assert ExactNumber("1e-99999999999999999999") == ExactNumber("0e99999999999999999999") == 0
    assert whole("9" * 5_000) > 10**4_000
    assert ExactNumber("0.1") + ExactNumber("0.2") == ExactNumber("0.3")


@pytest.mark.parametrize("seed", range(40))
def test_a_document_is_what_it_was(seed: int) -> None:
    expected = [value(random.Random(seed * 100 + place)) for place in range(8)]
    body = json.dumps(expected).encode()
    assert json.loads(written(JsonSource(body).value)) == expected


def test_hostile_text_and_bytes_that_are_no_text() -> None:
    assert json.loads(written(JsonSource(json.dumps(STRINGS).encode()).value)) == STRINGS
    assert written(JsonSource(b'["\xff"]').value) == b'["\\udcff"]'


def test_a_large_list_is_written_whole() -> None:
    many = list(range(2_500))
    for answer in (many, {"data": many, "more": {"é": many, "empty": []}, "x": None}, [many, many], [[many]]):
        body = json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode()
        assert written(JsonSource(body).value) == body


def test_members_that_occur_twice() -> None:
    source = JsonSource(b'{"a": 1, "a": 2, "b": {"c": 1, "c": 1}, "d": {"e": 1}}')
    assert source.value["a"] == 2
    assert source.twice == 2


def test_what_opens_doors_is_sealed() -> None:
    source = JsonSource(b'{"client_secret": "pi_secret", "number": "4242424242424242", "other": {"number": "12"}}')
    assert isinstance(source.value["client_secret"], RedactedText)
    assert source.value["client_secret"].inside == "pi_secret"
    assert source.value["other"]["number"] == "12"
    text = written(source.value).decode()
    assert "pi_secret" not in text
    assert "4242" not in text


@pytest.mark.parametrize("body", [b"", b"[1,]", b"[NaN]", b"[Infinity]", b"[" * 5_000 + b"]" * 5_000])
def test_what_cannot_be_asked(body: bytes) -> None:
    with pytest.raises(InvalidJson):
        JsonSource(body)
    assert gc.isenabled()


def test_memory_is_given_back() -> None:
    source = JsonSource(json.dumps([{"a": [1] * 2_000}] * 50).encode())
    items = source.value
    source.release()
    assert source.value is None
    assert items == []
