"""Queries: what they give, exactly, and what they say when something is wrong with them."""

import json

import jmespath
import pytest

from registry.json_text import NotJson
from registry.results.query import JsonSource, QueryError, QueryResult, run_query
from registry.results.query_completion import complete
from registry.results.spool import Cancelled
from tests.cases import cases_beside

CASES = cases_beside(__file__)

DOCUMENT = {
    "data": [
        {
            "id": "ch_1",
            "amount": 100,
            "status": "paid",
            "customer": {"name": "Zoë", "e-mail": "z@x.example"},
            "tags": ["a", "b"],
        },
        {"id": "ch_2", "amount": 2500, "status": "open", "customer": None, "tags": []},
        {"id": "ch_3", "amount": 70, "status": "paid", "customer": {"name": "Ann"}, "tags": ["b"]},
    ],
    "has_more": False,
    "total": 3,
}
SOURCE = JsonSource(json.dumps(DOCUMENT).encode())


def answer(query: str, body: str | None = None) -> QueryResult:
    return run_query(SOURCE if body is None else JsonSource(body.encode()), query)


def text(query: str, body: str | None = None) -> str:
    return answer(query, body).text.decode()


def mistake(query: str, body: str | None = None) -> tuple[str, int]:
    with pytest.raises(QueryError) as caught:
        answer(query, body)
    return caught.value.words, caught.value.position


@pytest.mark.parametrize("query", CASES["as the library"])
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_query_gives_what_jmespath_gives(query: str) -> None:
    assert json.loads(text(query)) == jmespath.search(query, DOCUMENT)


@pytest.mark.parametrize(("query", "found"), CASES["exact numbers"])
def test_numbers_are_exact(query: str, found: str) -> None:
    assert text(query, '{"a": [12345678901234567890123, 1.10, 1e400, -0.0], "b": 0.1, "c": 0.2}') == found


def test_answers_are_told_in_words() -> None:
    told = [answer(query).words for query in ("data", "data[:1]", "@", "total", "has_more", "data[0].id", "data[1].customer")]
    assert told == ["3 items", "1 item", "an object with 3 properties", "a number", "true or false", "text", "null"]


LONG = [["(" * 3_000, "the query is nested too deeply", 0], ["data[" + "9" * 5_000 + "]", "a number is too long", 0]]


@pytest.mark.parametrize(("query", "words", "position"), [*CASES["wrong queries"], *LONG])
def test_what_is_wrong_is_said_in_words_with_its_place(query: str, words: str, position: int) -> None:
    assert mistake(query) == (words, position)


def test_what_only_ends_too_early_is_unfinished() -> None:
    for query, unfinished in [("data[", True), ("a == 'b", True), ("data]", False)]:
        with pytest.raises(QueryError) as caught:
            answer(query)
        assert caught.value.unfinished is unfinished


@pytest.mark.parametrize(("query", "notice", "position"), CASES["names that nothing has"])
def test_names_that_nothing_has_are_told(query: str, notice: str, position: int | None) -> None:
    told = answer(query)
    assert (told.notice, told.position) == (notice, position)


def test_a_secret_is_given_to_whoever_names_it() -> None:
    body = '{"client_secret": "pi_secret", "x": [{"number": "4242424242424242"}]}'
    for query in ("@", "*", "values(@)", "to_string(@)", "x[0]", "x[0].values(@)", "join('', values(x[0]))"):
        assert "pi_secret" not in text(query, body)
        assert "4242" not in text(query, body)
    assert text("{mine: client_secret}", body) == '{"mine":"pi_secret"}'


def test_nobody_waits() -> None:
    with pytest.raises(Cancelled):
        run_query(JsonSource(json.dumps([{"a": 1}] * 5_000).encode()), "[].a", lambda: True)


@pytest.mark.parametrize("body", [b"", b"[1,]", b"[NaN]", b"[1e99999999999999999999]", b"[" * 100_000 + b"]" * 100_000])
def test_what_cannot_be_asked(body: bytes) -> None:
    with pytest.raises(NotJson):
        JsonSource(body)


# What helps to type one


def shown(query: str, source: JsonSource = SOURCE) -> list[str]:
    return [choice.shown for choice in complete(source, query, len(query)).choices]


def accepted(query: str, source: JsonSource = SOURCE, *, cursor: int | None = None) -> str:
    place = len(query) if cursor is None else cursor
    completion = complete(source, query, place)
    return query[: completion.start] + completion.choices[0].text + query[place:]


@pytest.mark.parametrize(("query", "choices"), CASES["choices"])
def test_names_of_the_document_at_this_place(query: str, choices: list[str]) -> None:
    names = [one for one in shown(query) if "(" not in one]
    assert names == choices


def test_lists_come_first() -> None:
    assert shown("[?", JsonSource(b'[{"id": "a", "amount": 1}]')) == ["id", "amount"]
    late = JsonSource(b'{"object": "list", "url": "/v1", "data": [{"id": "a"}]}')
    assert shown("", late) == ["data", "object", "url"], "the list comes first"


def test_functions() -> None:
    assert shown("sort") == ["sort(…)", "sort_by(…)"]
    assert shown("length(da") == ["data"]
    assert shown("data[?st") == ["status", "customer", "starts_with(…)"]
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
