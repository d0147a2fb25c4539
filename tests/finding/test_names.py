"""Names as they are typed, however the service spells them; ready calls are data: what ships is right."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from registry.calling.arguments import check
from registry.catalog.loader import load
from registry.engine import Engine
from registry.finding.find import Finder
from registry.finding.ready_calls import ready_call_problems
from registry.pages.home import home_of
from registry.references.routes import IdSource, Routes, sources_of
from tests.cases import cases_beside
from tests.opened import opened

CASES = cases_beside(__file__)

CATALOG = load()
FINDER = Finder(CATALOG)
CUSTOMERS = "SearchPaymentsCustomers"


async def named(engine: Engine, arguments: Any) -> list[str]:
    result = await engine.run(CUSTOMERS, arguments)
    assert result.ok, result.failure
    return [one["name"] for one in result.json["data"]]


@pytest.mark.parametrize(("typed", "name"), CASES["names as typed"])
def test_s6_a_name_is_found_as_it_is_typed_or_by_its_longest_part(typed: str, name: str) -> None:
    async def found() -> list[str]:
        async with opened() as engine:
            for in_part in (False, True):
                calls = [one for one in FINDER.lookups(typed, in_part=in_part) if one.tool == CUSTOMERS]
                names = [one for call in calls for one in await named(engine, call.arguments)]
                if names := [one for one in names if not in_part or FINDER.is_named(one, typed)]:
                    return names
        return []

    assert asyncio.run(found()) == ([name] if name else [])


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        ("O'Neil", 'name~"O\'Neil" OR email~"O\'Neil"'),
        ('Anne "Nan" \\', 'name~"Anne \\"Nan\\" \\\\" OR email~"Anne \\"Nan\\" \\\\"'),
    ],
)
def test_s6_pickers_search_for_what_is_typed(typed: str, query: str) -> None:
    tool = CATALOG.tools["GetCustomerCards"]
    customer = tool.parameter("customer_id")
    assert customer is not None
    source = next(one for one in sources_of(tool, customer, {}, Routes(CATALOG)) if isinstance(one, IdSource) and one.words)
    asked = source.asking(typed) or {}
    assert query in asked.values()
    assert not check(source.tool, asked, 0.0).errors


def test_s6_a_name_too_short_for_a_part_is_searched_whole() -> None:
    [call] = [one for one in FINDER.find("customers named Xu") if one.tool == CUSTOMERS and one.arguments][:1]
    assert call.arguments == {"search_query_string": 'name:"Xu" OR email:"Xu"'}
    assert not check(CATALOG.tools[CUSTOMERS], call.arguments, 0.0).errors


TOOLS, KITS = CATALOG.tools, tuple(CATALOG.toolkits)


@pytest.mark.parametrize(("entry", "field", "words"), CASES["mistakes in ready calls"])
def test_mistakes_in_ready_calls_are_named(tmp_path: Path, entry: dict[str, object], field: str, words: str) -> None:
    (tmp_path / "ready_calls.json").write_text(json.dumps({"calls": [entry]}), "utf-8")
    (problem,) = ready_call_problems(tmp_path, TOOLS)
    assert problem.field == field
    assert words in problem.message


def test_the_questions_of_home_find_what_they_are_about() -> None:
    found = {text: next(iter(Finder(CATALOG).find(text))) for kit in KITS for text in home_of(kit).ask}
    assert {text: one.tool for text, one in found.items()} == {
        "past due subscriptions": "SearchPaymentsSubscriptions",
        "who is on call?": "ListOncalls",
    }
