"""Finding text in a document."""

import json

import pytest

from tests.cases import cases_beside
from tui.json_view import find_line
from tui.json_view.document import Document
from tui.json_view.find_line import SearchFailed, TextSearch, hits, meaning, typed_search
from tui.json_view.rows import JsonRows

CASES = cases_beside(__file__)

ANSWER = {
    "name": "Zoë Name",
    "email": "zoe@name.example",
    "tags": ["name", {"Name": 1}],
    "note": 'she said "name"\n(.*)',
    "face": "😀",
}
AS_SENT = [json.dumps(ANSWER).encode(), json.dumps(ANSWER, ensure_ascii=False).encode()]


def found(body: bytes, text: str, *, is_regex: bool = False) -> list[str]:
    rows = JsonRows(body)
    return [rows.row(int(row)).key or rows.row(int(row)).value for row in hits(rows, TextSearch(text, is_regex))]


@pytest.mark.parametrize("body", AS_SENT, ids=["escaped", "spelled"])
def test_text(body: bytes) -> None:
    assert found(body, "name") == ['"name"', '"email"', '"name"', '"Name"', '"note"']
    assert found(body, "Name") == ['"name"', '"Name"']
    assert found(body, "zoë") == found(body, "Zoë") == ['"name"']
    assert found(body, "😀") == ['"face"']
    assert found(body, "(.*)") == ['"note"']
    assert found(body, '"name"') == ['"name"', '"name"', '"Name"', '"note"'], "as the screen shows it"
    assert found(body, '"zoe@') == found(body, '.example"') == ['"email"']
    assert found(body, "nothing") == []


def test_regular_expressions() -> None:
    assert found(AS_SENT[0], "^na.e$", is_regex=True) == ['"name"', '"name"', '"Name"']
    assert found(AS_SENT[0], r"\(\.\*", is_regex=True) == ['"note"']
    with pytest.raises(SearchFailed, match="missing \\) at position 1"):
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


@pytest.mark.parametrize(("pattern", "rows"), CASES["regular expressions"])
def test_regular_expressions_are_about_a_key_or_a_value(pattern: str, rows: list[str]) -> None:
    assert sorted(found(ROWS, pattern, is_regex=True)) == sorted(rows)


def test_capitals() -> None:
    assert TextSearch("abc").ignores_case
    assert not TextSearch("aBc").ignores_case
    assert not TextSearch(r"\D").ignores_case
    assert TextSearch(r"\D+\Wx", is_regex=True).ignores_case


def test_long_texts_are_searched_in_parts_and_given_up_between_them() -> None:
    rows = JsonRows(json.dumps(["x" * 1_000 + str(number) for number in range(2_500)]).encode())
    assert len(hits(rows, TextSearch("x"))) == 2_500
    assert hits(rows, TextSearch("x2499$", is_regex=True)) == [2_500]
    asked = iter([False, True])
    assert 0 < len(hits(rows, TextSearch("x"), lambda: next(asked))) < 2_500


def test_what_services_escape_is_found_as_it_is_read() -> None:
    body = b'["https:\\/\\/x.example", "a \\u0026 b", "said \\"no\\"", "\\u00c9cole"]'
    assert found(body, "https://x") == [r'"https:\/\/x.example"']
    assert found(body, "a & b") == [r'"a \u0026 b"']
    assert found(body, 'said "no"') == [r'"said \"no\""']
    assert found(body, "école") == [r'"\u00c9cole"']


@pytest.mark.parametrize(("text", "keys"), CASES["conditions"])
def test_conditions_find_properties_and_texts_are_texts(text: str, keys: list[str]) -> None:
    rows = JsonRows(
        b'{"status":"failed","n":{"status":"paid","last4":"4242","old_status":"failed"},"x":"see status:failed",'
        b'"amount":4900,"paid":{"amount":49001},"l":["status","failed"],"name":"Padaria Aurora"}'
    )
    assert [rows.row(row).key or rows.row(row).value for row in hits(rows, typed_search(text))] == keys


def test_what_is_meant_is_said() -> None:
    assert meaning("status:failed") == "status holds failed"
    assert meaning("amount=4900") == "amount is 4900"
    assert meaning("at 9:00") == ""


def test_an_expression_that_takes_hours_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_line, "LONGEST", 0.2)
    runaway = Document(b'{"a": "' + b"a" * 60 + b'"}')
    with pytest.raises(SearchFailed, match=r"stopped after 0\.2 s: use a simpler expression, or plain text"):
        hits(runaway.rows, TextSearch("(a|aa)+b", is_regex=True))
