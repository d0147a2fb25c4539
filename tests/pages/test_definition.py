"""What a toolkit declares about its pages: a mistake names file, field and rule, and the rest is used."""

import json
from pathlib import Path
from typing import Any

import pytest

from registry.catalog.folders import built_in
from registry.pages.definition import pages_of, read_pages
from registry.pages.page import Moment, ObjectLink, ObjectPage, PageRow, PageSection, Subject
from registry.pages.written import as_lines, as_markdown
from registry.results.templates import READINGS, Context, fill, fill_arguments, holds, template_problem
from tests.cases import cases_beside
from tests.terminal import ROOT

CASES = cases_beside(__file__)


def problems(folder: Path, thing: dict[str, Any], **more: Any) -> list[str]:
    """What is wrong with a file that defines one type."""
    (folder / "pages.json").write_text(json.dumps({"objects": {"thing": thing}, **more}))
    return [f"{one.field}: {one.message}" for one in read_pages(folder)[1]]


def test_those_that_ship_are_right_and_every_tool_and_argument_of_theirs_exists() -> None:
    from registry.catalog.loader import load

    catalog = load(built_in())
    for folder in built_in().folders:
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
