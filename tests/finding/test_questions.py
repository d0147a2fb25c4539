"""Questions as people type them: what is found first, which words it could not use, and which deletions are offered."""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from registry.calling.scalars import currencies
from registry.catalog.loader import load
from registry.finding.find import Finder
from registry.finding.items import Item
from registry.finding.slots import slots_in
from registry.journal.entries import KnownObject
from registry.text.shown import money
from tests.cases import cases_beside

CASES = cases_beside(__file__)

NOW = datetime(2026, 11, 22, 6, 0, tzinfo=UTC).timestamp()
FINDER = cache(lambda: Finder(load()))
_DATA = yaml.load(Path(__file__).with_name("questions.yaml").read_text("utf-8"), yaml.CSafeLoader)
KNOWN = [KnownObject(type_, id_, label, tool, {"id": id_}) for type_, tool, id_, label in _DATA["known"]]
SHOWN = 7


def found(text: str) -> list[Item]:
    return FINDER().find(text, NOW, UTC, known=KNOWN)


def is_right(item: Item, right: str) -> bool:
    """``object ID``, ``Tool`` or ``Tool ~ text in its arguments ~ another one``."""
    tool, *texts = right.split(" ~ ")
    arguments = [*map(str, item.arguments.values()), item.filter]
    is_object = right == f"object {item.id}" and item.kind == "object"
    return is_object or (item.tool == tool and all(any(text in one for one in arguments) for text in texts))


def faults(text: str, wanted: dict[str, Any]) -> list[str]:
    """What is wrong with the rows for a question."""
    items = found(text)
    said = [f"{one.kind} {one.id or one.tool} {dict(one.arguments)}" for one in items[:2]]
    wrong = [f"{place}: {said}" for place, one in zip(("first", "second"), items, strict=False)
             if place in wanted and not is_right(one, wanted[place])]  # fmt: skip
    # Of an object only what is to be done with it may be unused: other words are for the row below it.
    row = items[1] if "second" in wanted else items[0]
    if "first" in wanted and list(row.without) != wanted.get("without", []):
        wrong.append(f"without: {row.without}")
    if wanted.get("why", "") not in items[0].why:
        wrong.append(f"why: {items[0].why}")
    if wanted.get("answer", "") not in row.answer:
        wrong.append(f"answer: {row.answer}")
    deletions = [one.tool for one in items[:SHOWN] if one.effect == "delete"]
    if "deletes" in wanted and deletions != wanted["deletes"]:
        wrong.append(f"deletes: {deletions}")
    return wrong


@pytest.mark.parametrize("table", ["questions", "others", "met"])
def test_questions_find_what_they_ask_for(table: str) -> None:
    assert not {text: seen for text, wanted in _DATA[table].items() if (seen := faults(text, wanted))}


def test_s13_an_amount_as_it_is_displayed_finds_itself_in_every_currency() -> None:
    wrong = {
        shown: dict(slots.values)
        for code in currencies()
        for amount in (5, 4900, 1_250_500, 123_456_789)
        if (
            (slots := slots_in(shown := money(amount, code), NOW)).value("amount"),
            slots.value("currency"),
            slots.value("money"),
        )
        != (str(amount), code, shown)
    }
    assert not wrong


@pytest.mark.parametrize(("typed", "amount"), CASES["amounts with parts"])
def test_s13_an_amount_with_parts_of_the_smallest_unit_is_no_other_amount(typed: str, amount: str | None) -> None:
    assert slots_in(typed, NOW).values.get("amount") == amount


@pytest.mark.parametrize(("typed", "since", "until"), CASES["moments as displayed"])
def test_s13_a_moment_as_it_is_displayed_finds_itself(typed: str, since: str, until: str) -> None:
    span = slots_in(typed, datetime(2026, 11, 30, tzinfo=UTC).timestamp(), UTC).span
    assert span is not None
    assert span[:2] == (since, until)
