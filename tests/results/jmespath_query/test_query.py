"""Queries: what they give, exactly, and what they say when something is wrong with them."""

from __future__ import annotations

import json

import jmespath
import pytest

from registry.results.jmespath_query.query import JsonSource, QueryCancelled, QueryError, QueryResult, run_query
from tests.hostile import STRINGS

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


@pytest.mark.parametrize(
    "query",
    [
        "@",
        "data[].id",
        "data[*].customer.name",
        "data[?amount > `90`].id",
        "data[?status == 'paid'] | [0].customer.\"e-mail\"",
        "data[-1].tags[0]",
        "data[::-1].id",
        "data[1:].{name: id, many: length(tags)}",
        "data[].[id, amount]",
        "data[].tags[]",
        "sort_by(data, &amount)[].id",
        "max_by(data, &amount).id",
        "min_by(data, &id).id",
        "sum(data[].amount)",
        "avg(data[].amount)",
        "join(', ', data[].id)",
        "to_string(data[0].tags)",
        "map(&to_string(amount), data)",
        "data[?contains(tags, 'b') && amount < `100`].id",
        "data[?!customer].id",
        "not_null(nothing, total)",
        "merge(data[0].customer, {a: `1`})",
        "keys(@)",
        "type(@)",
        "data[?id >= 'ch_2'].id",
        "data[?status==`paid`].id",
        "*.type(@)[]",
        "ceil(`1.5`)",
        "floor(`-1.5`)",
        "abs(`-3`)",
        "to_number('12')",
        "contains('abc', `1`)",
        "reverse(data[].id)",
        "sort(data[].amount)",
        "total || has_more",
        "has_more && total",
    ],
)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_query_gives_what_jmespath_gives(query: str) -> None:
    if query == "contains('abc', `1`)":
        assert text(query) == "false"  # the library ends in an error of Python's
    else:
        assert json.loads(text(query)) == jmespath.search(query, DOCUMENT)


def test_numbers_are_exact() -> None:
    body = '{"a": [12345678901234567890123, 1.10, 1e400, -0.0], "b": 0.1, "c": 0.2}'
    assert text("a", body) == "[12345678901234567890123,1.10,1e400,-0.0]"
    assert text("sort(a)", body) == "[-0.0,1.10,12345678901234567890123,1e400]"
    assert text("max(a)", body) == "1e400"
    assert text("a[?@ > `12345678901234567890122`]", body) == "[12345678901234567890123,1e400]"
    assert text("a[?@ == `1.1`]", body) == "[1.10]"
    assert text("sum([b, c])", body) == "0.3"
    assert text("sum([a[0], `1`])", body) == "12345678901234567890124"
    assert text("avg([a[0], a[0]])", body) == "12345678901234567890123"
    assert text("avg(`[1, 2]`)", body) == "1.5"
    assert text("to_string(a)", body) == json.dumps("[12345678901234567890123,1.10,1e400,-0.0]")
    assert text("to_number('1e400')", body) == "1e400"
    assert text("to_number('1_0')", body) == "null"
    assert text("`1.10`", body) == "1.10"
    assert text("ceil(a[2])", body) == "1e400"
    assert text("[ceil(a[1]), floor(a[1]), abs(`-1.50`), ceil(`2.0`)]", body) == "[2,1,1.50,2.0]"
    assert text("ceil(a)", json.dumps({"a": 0}).replace("0", "1" * 5_000 + ".5")) == "1" * 4_999 + "2"
    assert text("type(b)", body) == '"number"'
    assert text("contains(`[1, 2]`, `true`)", body) == "false"


def test_text_and_numbers_have_no_order_between_them() -> None:
    assert text("data[?amount > 'x'].id") == "[]"
    assert text("'a' < `1`") == "null"
    assert text("data[0].amount >= data[0].id") == "null"


def test_answers_are_told_in_words() -> None:
    told = [answer(query).words for query in ("data", "data[:1]", "@", "total", "has_more", "data[0].id", "data[1].customer")]
    assert told == ["3 items", "1 item", "an object with 3 propertiess", "a number", "true or false", "text", "null"]


@pytest.mark.parametrize(
    ("query", "words", "position"),
    [
        ("data[0", "incomplete query", 6),
        ("data[?amount > ", "incomplete query", 15),
        ("", "incomplete query", 0),
        ("data[?status == 'paid", "unclosed '", 16),
        ("data[?amount > 100]", "write numbers in backticks: `100`", 15),
        ("data[?amount = `1`]", "use == to compare", 13),
        ("data.0.id", "write an index in brackets: [0]", 5),
        ("data id", "unexpected a name after a", 5),
        ("data]", "unexpected ] after a", 4),
        ("data # 1", "unexpected '#'", 5),
        ("{id}", "expected {name: expression}", 3),
        ("lenght(data)", "unknown function `lenght`; did you mean `length`?", 0),
        ("data[].lenght(tags)", "unknown function `lenght`; did you mean `length`?", 7),
        ("sort_by(data)", "`sort_by(list, &expression)` expects two arguments; got 1", 0),
        ("merge()", "`merge(object, …)` expects at least one argument; got none", 0),
        ("length(total)", "`length` expects text or a list or an object; got a number", 0),
        ("@ | sum(data[].id)", "`sum` expects a list of numbers; the list contains text", 4),
        ("sort_by(data, amount)", "`sort_by` expects an expression such as &name; got null", 0),
        ("sort_by(data, &customer)", "`sort_by` sorts by numbers or strings; an item has an object", 0),
        ("max_by(data, &tags[0])", "`max_by` cannot sort mixed types: the first item has text, another null", 0),
        ("data[::0]", "slice step cannot be 0", 7),
        ("&id", "an &expression is only valid as a function argument", 0),
        ("(" * 3_000, "the query is nested too deeply", 0),
        ("data[" + "9" * 5_000 + "]", "a number is too long", 0),
    ],
)
def test_what_is_wrong_is_said_in_words_with_its_place(query: str, words: str, position: int) -> None:
    assert mistake(query) == (words, position)


def test_what_only_ends_too_early_is_unfinished() -> None:
    for query, unfinished in [("data[", True), ("a == 'b", True), ("data]", False)]:
        with pytest.raises(QueryError) as caught:
            answer(query)
        assert caught.value.unfinished is unfinished


@pytest.mark.parametrize(
    ("query", "notice", "position"),
    [
        ("data[].custmer", "no property `custmer` here; did you mean `customer`?", 7),
        ("data[].customer.e_mail", "no property `e_mail` here; did you mean `e-mail`?", 16),
        ("data.id", "`id` is applied to a list; use data[].id for each item", 5),
        ("data[0].id.x", "`x` is applied to text, which has no properties", 11),
        (
            'data[?status == "paid"]',
            "no property `paid` here. Double quotes mean a property name; for a string use single quotes: 'paid'",
            16,
        ),
        ("data[].{a: id, b: zzz}", "no property `zzz` here", 18),
        ("data[?status=='gone'].zzz", "", None),
        ("data[1].customer.zzz", "", None),
        ("data[].customer.name", "", None),
    ],
)
def test_names_that_nothing_has_are_told(query: str, notice: str, position: int | None) -> None:
    told = answer(query)
    assert (told.notice, told.position) == (notice, position)


def test_members_that_occur_twice_are_told() -> None:
    told = answer("a", '{"a": 1, "a": 2}')
    assert told.text == b"2"
    assert told.notice == "one object has a duplicate property; the query uses the last one"


def test_a_secret_is_given_to_whoever_names_it() -> None:
    body = '{"client_secret": "pi_secret", "x": [{"number": "4242424242424242"}]}'
    for query in ("@", "*", "values(@)", "to_string(@)", "x[0]", "x[0].values(@)", "join('', values(x[0]))"):
        assert "pi_secret" not in text(query, body)
        assert "4242" not in text(query, body)
    assert text("{mine: client_secret}", body) == '{"mine":"pi_secret"}'


def test_nobody_waits() -> None:
    with pytest.raises(QueryCancelled):
        run_query(JsonSource(json.dumps([{"a": 1}] * 5_000).encode()), "[].a", lambda: True)


@pytest.mark.parametrize("name", [text for text in STRINGS if len(text) < 100])
def test_hostile_names(name: str) -> None:
    body = json.dumps({name: name})
    query = json.dumps(name)
    assert json.loads(text(query, body)) == name
    assert json.loads(text("@", body)) == {name: name}
