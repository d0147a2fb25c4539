"""Search queries as people type them: every field of the searches, operators, times and mistakes, against the sandbox."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.calling.arguments import check
from registry.calling.search_queries import QueryFields, completion_at, id_at, query_fields, sent_query
from registry.catalog.loader import load
from tests.cases import cases_beside
from tests.sampled import chosen, first_of_each
from tests.sandbox.test_payments_search_table import COMPARISONS, RESOURCES, Keep, refused, same, told, value, values
from tests.sandbox.written_worlds import NOW

CASES = cases_beside(__file__)

TOOLS = load().tools
SEARCHES = {
    "charges": "PaymentsSearchCharges",
    "customers": "SearchPaymentsCustomers",
    "invoices": "SearchPaymentsInvoices",
    "payment_intents": "SearchPaymentsPaymentIntents",
    "prices": "SearchPaymentsPrices",
    "products": "SearchPaymentsProducts",
    "subscriptions": "SearchPaymentsSubscriptions",
}
TIMES = [(kind, field) for kind in RESOURCES for field in ("created", "canceled_at") if field in RESOURCES[kind][2].split()]
FIELDS = [(kind, name) for kind in RESOURCES for name in " ".join(RESOURCES[kind]).split()]
AT = float(NOW)
DAY = 86_400
NINE = (datetime.fromtimestamp(AT, UTC) - timedelta(days=1)).replace(hour=9, minute=0, second=0).timestamp()


def sort_of(one: tuple[str, str]) -> tuple[str, str]:
    """The resource of a field, and its type."""
    kind, field = one
    return kind, fields(kind).fields[field].type


def fields(kind: str) -> QueryFields:
    found = query_fields(TOOLS[SEARCHES[kind]])
    assert found is not None
    return found


def sent(kind: str, line: str) -> str:
    """What is sent for a line without mistakes, as the tool's argument."""
    checked = check(TOOLS[SEARCHES[kind]], {"search_query_string": line}, AT)
    assert checked.errors == (), (line, checked.errors)
    return str(checked.values["search_query_string"])


def is_(field: str, held: object, *, wanted: bool = True) -> Keep:
    """Keeps what holds the same in a field, or what does not."""
    return lambda one: (value(one, field) is not None and told(value(one, field)) == told(held)) == wanted


def compared(field: str, sign: str, limit: float) -> Keep:
    """Keeps what compares so."""
    return lambda one: value(one, field) is not None and COMPARISONS[sign](value(one, field), limit)


@pytest.mark.parametrize("kind", RESOURCES)
def test_the_fields_are_those_that_can_be_searched(kind: str) -> None:
    tokens, strings, numbers = (set(names.split()) for names in RESOURCES[kind])
    types = {name: one.type for name, one in fields(kind).fields.items()}
    assert {name for name, type_ in types.items() if type_ == "token"} == tokens - ({"status"} & strings)
    assert {name for name, type_ in types.items() if type_ == "string"} == strings
    assert {name for name, type_ in types.items() if type_ in ("number", "amount", "time")} == numbers
    assert {name for name, type_ in types.items() if type_ == "time"} == numbers & {"created", "canceled_at"}
    metadata = sent(kind, 'metadata["no such key"]:x')
    assert metadata == 'metadata["no such key"]:"x"'
    same(kind, metadata, lambda _: False)


@pytest.mark.parametrize(("kind", "field"), first_of_each(FIELDS, sort_of))
def test_every_field_takes_what_it_has_with_and_without_quotes(kind: str, field: str) -> None:
    numeric = field in RESOURCES[kind][2].split()
    for held in values(kind, field)[:1] or ["none has this"]:
        text = str(held).lower() if isinstance(held, bool) else str(held)
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        lines = [f'{field}:"{escaped}"', f'{field}="{escaped}"']
        if numeric or not set(text) & set(" \"'\\\t\n"):
            lines.append(f"{field}:{text}")
        for line in lines:
            if text.lower() == "null":
                continue
            same(kind, sent(kind, line), is_(field, held))
            same(kind, sent(kind, f"!{line}"), is_(field, held, wanted=False))
    same(kind, sent(kind, f"{field}:null"), lambda one: value(one, field) is None)
    same(kind, sent(kind, f"-{field}:null"), lambda one: value(one, field) is not None)
    for sign in fields(kind).fields[field].signs:
        if sign == "~":
            same(kind, sent(kind, f"{field}~com"), lambda one: "com" in (told(value(one, field)) or ""))
        elif numeric and sign != ":":
            held = values(kind, field)[0] if values(kind, field) else 0
            same(kind, sent(kind, f"{field}{sign}{held}"), compared(field, sign, held))


@pytest.mark.parametrize(("line", "as_sent"), CASES["amounts in search queries"])
def test_s13_an_amount_as_it_is_shown_is_sent_in_the_smallest_unit(line: str, as_sent: str) -> None:
    assert sent("charges", line) == as_sent


@pytest.mark.parametrize(("kind", "field"), chosen(TIMES, lambda one: one[0] == "subscriptions"))
@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("-7d", AT - 7 * DAY),
        ('"7d ago"', AT - 7 * DAY),
        ("-24h", AT - DAY),
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=UTC).timestamp()),
        ("2026-11-01T09:30Z", datetime(2026, 11, 1, 9, 30, tzinfo=UTC).timestamp()),
        ('"yesterday 9:00 UTC"', NINE),
        ("now", AT),
    ],
)
def test_times_are_written_as_everywhere(kind: str, field: str, text: str, seconds: float) -> None:
    for sign in (">", "<="):
        line = sent(kind, f"{field}{sign}{text}")
        assert line == f"{field}{sign}{int(seconds)}"
        same(kind, line, compared(field, sign, int(seconds)))


@pytest.mark.parametrize(
    ("kind", "line", "at", "words", "instead"),
    CASES["mistakes in search queries"],
)  # fmt: skip
def test_mistakes_are_named_where_they_are_and_never_sent(kind: str, line: str, at: str, words: str, instead: str) -> None:
    mark = sent_query(line, fields(kind), AT).mistakes[0]
    assert line[mark.start : mark.end].startswith(at)
    assert words in mark.text
    assert (mark.instead or "") == instead
    checked = check(TOOLS[SEARCHES[kind]], {"search_query_string": line}, AT)
    assert [error.parameter for error in checked.errors] == ["search_query_string"]
    refused(kind, line)


def test_a_time_says_what_it_became_and_a_misspelt_value_is_warned_of() -> None:
    found = sent_query('status:"faild" currency:sek created>"2026-11-01 9:00 UTC"', fields("charges"), AT)
    warned, mark = found.readings
    assert warned.text == "⚠ no known status; did you mean failed?"
    assert mark.text == "after Sun 1 Nov 2026 09:00 UTC = 1793523600"
    assert found.text == 'status:"faild" currency:"sek" created>1793523600'


def test_every_line_can_be_taken_apart() -> None:
    for line in ("", " ", "OR OR", "!", "-", '"', "a:", ":", "a:b:c", "[", "\x00", "🙂:🙂", "a" * 5_000, "((((", '!"a b"'):
        sent_query(line, fields("charges"), AT)
        completion_at(line, len(line), fields("charges"))


def test_completion_gives_fields_then_operators_then_values() -> None:
    known = fields("charges")
    assert [text for text, _ in completion_at("sta", 3, known)[2]] == ["status"]
    line = 'status:"failed" AND cur'
    start, end, offers = completion_at(line, len(line), known)
    assert (line[start:end], offers[0][0]) == ("cur", "currency")
    signs = [text.removeprefix("created") for text, _ in completion_at("created", 7, known)[2]]
    assert signs == [":", ">", ">=", "<", "<="]
    assert id_at('status:failed customer:"cus_1', 29, known) == ("customer", "cus_1")
    assert id_at("status:failed", 13, known) is None
    assert [text for text, _ in completion_at("status:fa", 9, known)[2]] == ['"failed"']
    assert [text for text, _ in completion_at('status:"', 8, known)[2]] == ['"succeeded"', '"pending"', '"failed"']
    assert "-7d" in [text for text, _ in completion_at("created>", 8, known)[2]]
    assert {text for text, _ in completion_at("last4", 5, known)[2]} == {one for one in known.fields if one.endswith("last4")}
    assert len(completion_at("", 0, known)[2]) == len(known.fields) + 1


@pytest.mark.parametrize(("line", "offered"), CASES["what joins conditions"])
def test_what_joins_conditions_is_offered_where_it_may_stand(line: str, offered: list[str]) -> None:
    _, _, found = completion_at(line, len(line), fields("invoices"))
    assert [text for text, _ in found if text in ("AND ", "OR ")] == offered
