"""Home, and what a toolkit declares about its pages: a mistake names file, field and rule, and the rest is used."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from registry.catalog.folders import SHIPPED
from registry.pages.definition import pages_of, read_pages
from registry.pages.home import HomeLine, home_of, home_problems, lines_of, read_home
from registry.pages.loading import PageLoad, Read
from registry.pages.page import Moment, ObjectLink, ObjectPage, PageRow, PageSection, Subject, as_lines, as_markdown
from registry.results.templates import READINGS, Context, fill, fill_arguments, holds, template_problem
from tests.cases import cases_beside
from tests.opened import opened
from tests.pages.reading import NOW, answered, failed, reading
from tests.terminal import ROOT

CASES = cases_beside(__file__)

DAY = 86_400
ENGINE = opened(folder=Path())


async def lines(toolkit: str, read: Read) -> list[HomeLine]:
    load = PageLoad(read, ENGINE.catalog, ENGINE.routes, lambda: NOW)
    page = await load.load_home(toolkit, home_of(toolkit).sections)
    return lines_of(home_of(toolkit), page, page.now)


def charge(days: float, **more: Any) -> dict[str, Any]:
    about = {"id": f"ch_{days}", "object": "charge", "amount": 500, "currency": "usd", "status": "failed"}
    return {**about, "created": int(NOW - days * DAY), **more}


def invoice(customer: str, **more: Any) -> dict[str, Any]:
    about = {"id": "in_1", "object": "invoice", "amount_remaining": 500, "currency": "usd", "created": int(NOW)}
    return {**about, "customer": {"id": customer, "name": customer, "delinquent": True}, **more}


def part(tool: str, *items: dict[str, Any]) -> Any:
    """A page of a list after which there are more."""
    return answered(ENGINE.catalog.tools[tool], {"object": "list", "data": list(items)}, more=True)


PARTIAL = part("SearchPaymentsInvoices", invoice("Ada"), invoice("Ada"), invoice("Ben", amount_remaining=100))
WELL = "No customer is past due", "No payment failed in the last 7 days   0 succeeded", "No dispute needs a response"


@pytest.mark.parametrize(
    ("bodies", "place", "words"),
    [
        ({}, 0, WELL[0]),
        ({}, 1, f"{WELL[1]} ▁▁▁▁▁▁▁"),
        ({}, 2, WELL[2]),
        ({"SearchPaymentsInvoices": {"data": [invoice("Ada")]}}, 0, "Ada is past due · 5.00 USD"),
        ({"SearchPaymentsInvoices": PARTIAL}, 0, "2+ customers are past due · 11.00 USD in the first 3"),
        ({"SearchPaymentsInvoices": part("SearchPaymentsInvoices", invoice("Ada") | {"customer": {"delinquent": False}})}, 0,
         "Past-due customers: none in what was read (only the first 1 were loaded)"),
        ({"PaymentsSearchCharges": {"data": [charge(0.5), charge(0.7), charge(3.5)]}}, 1,
         "3 payments failed in the last 7 days ▁▁▁▄▁▁▇   3 succeeded ▁▁▁▄▁▁▇"),
        ({"PaymentsSearchCharges": part("PaymentsSearchCharges", charge(0.5), charge(2.5))}, 1,
         "4+ payments failed in the last 7 days ·····▁▇   4+ succeeded ·····▁▇"),
        ({"PaymentsSearchCharges": failed(ENGINE.catalog.tools["PaymentsSearchCharges"], 403, "Not permitted.")}, 1,
         "Failed payments: not read. 403: Not permitted."),
        ({"PaymentsSearchCharges": failed(ENGINE.catalog.tools["PaymentsSearchCharges"], 403, "Not permitted.")}, 2,
         "Disputes: not read. 403: Not permitted."),
    ],
)  # fmt: skip
async def test_what_is_said_is_true(bodies: Mapping[str, Any], place: int, words: str) -> None:
    assert (await lines("PaymentsApi", reading(bodies)))[place].words == words


@pytest.mark.parametrize(("bodies", "words"), CASES["whose incidents"])
async def test_whose_incidents_are_triggered(bodies: dict[str, Any], words: str) -> None:
    since, changes = "2027-01-15T07:58:00Z", bodies.pop("changes", [{}, {}])
    given = [
        {
            "id": f"Q{place}",
            "title": "Down",
            "last_status_change_at": since,
            "assignments": [{"assignee": {"id": id_}} for id_ in ids],
            **changes[place],
        }
        for place, ids in enumerate(bodies.pop("ListIncidents", []))
    ]
    tool = ENGINE.catalog.tools["ListIncidents"]
    listed = answered(tool, {"data": given}, more=bodies.pop("more", False))
    (line,) = await lines("Incidents", reading({"ListIncidents": listed, **bodies}))
    assert words in (line.words, f"{line.words} | {line.tone} | {line.top}")


def test_a_line_that_was_not_read_says_only_what_it_is_about() -> None:
    (line,) = lines_of(home_of("Incidents"), None, NOW)
    assert (line.state, line.words, line.why, line.top) == ("unread", "Your incidents", "", "")


SECTION = {"id": "a", "title": "A", "tool": "Whoami"}


@pytest.mark.parametrize(("content", "field", "words"), CASES["mistakes in homes"])
def test_mistakes_are_named(tmp_path: Path, content: dict[str, Any], field: str, words: str) -> None:
    (tmp_path / "home.json").write_text(json.dumps({"sections": [SECTION]} | content), "utf-8")
    (problem,) = home_problems(tmp_path, ENGINE.catalog.tools)
    assert problem.field == field
    assert words in problem.message


def test_questions_of_the_former_file_are_asked(tmp_path: Path) -> None:
    (tmp_path / "first_questions.json").write_text(
        json.dumps({"questions": [{"place": 1, "text": "Who am I?", "tool": "Whoami"}]})
    )
    home, problems = read_home(tmp_path)
    assert (home.ask, problems) == (("Who am I?",), ())


def problems(folder: Path, thing: dict[str, Any], **more: Any) -> list[str]:
    """What is wrong with a file that defines one type."""
    (folder / "pages.json").write_text(json.dumps({"objects": {"thing": thing}, **more}))
    return [f"{one.field}: {one.message}" for one in read_pages(folder)[1]]


def test_those_that_ship_are_right_and_every_tool_and_argument_of_theirs_exists() -> None:
    from registry.catalog.loader import load

    catalog = load(SHIPPED)
    for folder in SHIPPED.folders:
        assert read_pages(folder.path)[1] == ()
    for toolkit in catalog.toolkits:
        for type_, page in pages_of(toolkit).objects.items():
            for one in page.sections:
                if one.tool:
                    tool = catalog.find(one.tool if "." in one.tool else f"{toolkit}.{one.tool}")
                    assert tool is not None, f"{type_}: {one.tool}"
                    assert tool.effect == "read", f"{type_}: {one.tool}"
                    unknown = set(one.arguments) - {parameter.name for parameter in tool.parameters}
                    assert not unknown, f"{type_}.{one.id}: {unknown}"


@pytest.mark.parametrize(("thing", "said"), CASES["mistakes in pages"])
def test_a_mistake_is_named(tmp_path: Path, thing: dict[str, Any], said: str) -> None:
    (found,) = problems(tmp_path, thing)
    assert found.startswith(f"objects.thing{said}"), found


def test_templates() -> None:
    item = {"amount": 4250, "currency": "eur", "card": {"last4": "4242"}, "lines": [{"name": "a"}], "none": None, "q": 'x"y\\'}
    context = Context(item, {"id": "cus_1", "currency": "jpy"}, 0.0, {"owner": {"name": "Ada"}}, {"lines": "3"}, "T")
    assert fill("{amount|money} on {card.last4}", context) == "42.50 EUR on 4242"
    assert fill("{lines[0].name} of {@owner.name}, {@page.id}, {@page.title}, {#lines}", context) == "a of Ada, cus_1, T, 3"
    assert fill("in {currency..@page.currency|unlike}", context) == "in JPY"
    assert fill("in {currency..currency|unlike}", context) == ""
    assert fill("due {none|date}", context) == ""
    assert fill("{amount|money}[[ due {none|date}]]", context) == "42.50 EUR"
    assert fill(["{none}", "{card.last4}"], context) == "4242"
    assert fill_arguments({"q": 'name:"{q}"'}, context, ["q"]) == {"q": 'name:"x\\"y\\\\"'}, "a value cannot leave its quotes"
    assert fill_arguments({"a": "{none}"}, context) is None
    assert fill_arguments({"a": "[[{none}]]", "b": ("c",)}, context) == {"b": ["c"]}
    assert template_problem("{a.b[0].c|money}[[ {d}]]") == ""


def test_conditions() -> None:
    item = {"status": "open", "due": 50, "tags": ["a"], "owner": {"id": "1"}}
    assert holds("status == 'open' && due < now", item, 100)
    assert not holds("due > month_ago", item, 100 * 86_400)
    assert holds("owner.id == page.id", item, 0, {"page": {"id": "1"}})
    assert not holds("missing > `3`", item, 0)
    assert not holds("length(missing) > `0`", item, 0), "what cannot be computed does not hold"


def test_markdown_cannot_be_broken_out_of() -> None:
    link = ObjectLink("T", "thing", "id`1")
    row = PageRow("open", "warn", ("<b>*x*</b>",), link, {})
    failed = PageSection("f", "F", "Tool", {}, "failed", reason="a|b")
    sections = PageSection("s", "S", "Tool", {}, "complete", 1, rows=(row,)), failed
    moments = (Moment(0.0, "# big", "text", "s", "T", link),)
    subject = Subject("thing", "id`1", "Tool", {})
    page = ObjectPage(subject, "T", "t", "[x](http://x)", object={}, sections=sections, timeline=moments)
    text = as_markdown(page)
    for part in ("\\[x\\](http://x)", "\\<b\\>\\*x\\*\\</b\\>", "`id'1`", "\\# big", "### F: failed", "a\\|b"):
        assert part in text
    assert any("F: failed" in line for line in as_lines(page))


def test_the_example_in_the_documentation_is_right(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "object-pages.md").read_text("utf-8")
    example = text.split("```json\n")[1].split("```")[0]
    (tmp_path / "pages.json").write_text(example)
    assert read_pages(tmp_path)[1] == ()
    assert all(f"`{name}`" in text for name in READINGS if name != "plain")
