"""Queries: what they give, exactly, and what they say when something is wrong with them."""

from __future__ import annotations

import json

import jmespath
import pytest

from registry.jmespath_query.query import JsonSource, QueryCancelled, QueryError, QueryResult, run_query
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
    assert told == ["3 items", "1 item", "an object of 3 members", "a number", "true or false", "text", "null"]


@pytest.mark.parametrize(
    ("query", "words", "position"),
    [
        ("data[0", "the query is not finished", 6),
        ("data[?amount > ", "the query is not finished", 15),
        ("", "the query is not finished", 0),
        ("data[?status == 'paid", "the ' here is not closed", 16),
        ("data[?amount > 100]", "numbers stand between backticks: `100`", 15),
        ("data[?amount = `1`]", "values are compared with ==", 13),
        ("data.0.id", "places stand in brackets: [0]", 5),
        ("data id", "a name cannot stand here after a", 5),
        ("data]", "] cannot stand here after a", 4),
        ("data # 1", "'#' means nothing here", 5),
        ("{id}", "between braces stand new names and what they hold: {name: expression}", 3),
        ("lenght(data)", "there is no function `lenght`; the nearest is `length`", 0),
        ("data[].lenght(tags)", "there is no function `lenght`; the nearest is `length`", 7),
        ("sort_by(data)", "`sort_by(list, &expression)` takes two arguments; it got 1", 0),
        ("merge()", "`merge(object, …)` takes at least one argument; it got none", 0),
        ("length(total)", "`length` takes text or a list or an object; it got a number", 0),
        ("@ | sum(data[].id)", "`sum` takes a list of numbers; in the list is text", 4),
        ("sort_by(data, amount)", "`sort_by` takes an expression such as &name; it got null", 0),
        ("sort_by(data, &customer)", "`sort_by` orders by numbers or by text; an item has an object", 0),
        ("max_by(data, &tags[0])", "`max_by` orders by numbers or by text; the first item has text, another null", 0),
        ("data[::0]", "a step of 0 leads nowhere", 7),
        ("&id", "an expression with & is only good inside a function", 0),
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
        ("data[].custmer", "nothing here has `custmer`; the nearest is `customer`", 7),
        ("data[].customer.e_mail", "nothing here has `e_mail`; the nearest is `e-mail`", 16),
        ("data.id", "`id` is asked of a list; data[].id asks each item", 5),
        ("data[0].id.x", "`x` is asked of text, which has no members", 11),
        (
            'data[?status == "paid"]',
            "nothing here has `paid`. Double quotes make a name; text stands in single ones: 'paid'",
            16,
        ),
        ("data[].{a: id, b: zzz}", "nothing here has `zzz`", 18),
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
    assert told.notice == "one object has a member that occurs twice; in a query the last one counts"


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
