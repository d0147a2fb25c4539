"""Finding by words and by what is pasted: the right thing first, deletions last, never nothing."""

import json
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
import yaml

from registry.calling.arguments import check
from registry.catalog.listing import asks_for_deletion
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.doors.cli import main
from registry.finding.find import Finder
from registry.finding.items import Item, OwnCall
from registry.journal.entries import KnownObject
from tests.cases import cases_beside
from tests.sampled import further

CASES = cases_beside(__file__)

NOW = datetime(2026, 11, 22, 6, 0, tzinfo=UTC).timestamp()
CATALOG = load()
FINDER = cache(lambda: Finder(CATALOG))
CUSTOMER = "cus_4R5QLgZDZXPlou"
_DATA = yaml.load(Path(__file__).with_name("phrases.yaml").read_text("utf-8"), yaml.CSafeLoader)
PHRASES: dict[str, list[str]] = _DATA["phrases"]
HELD_BACK: dict[str, list[str]] = _DATA["held_back"]
_LOOKED_AT, _ENOUGH, _ENOUGH_HELD_BACK = 3, 114, 36


def found(text: str) -> list[Item]:
    return FINDER().find(text, NOW, UTC)


def is_right(item: Item, right: str) -> bool:
    tool, _, text = right.partition(" ~ ")
    return item.tool == tool and text.strip().lower() in str(item.arguments).lower()


def missed(phrases: dict[str, list[str]]) -> dict[str, list[str]]:
    first = {text: found(text)[:_LOOKED_AT] for text in phrases}
    return {
        text: [f"{one.tool} {dict(one.arguments)}" for one in items]
        for text, items in first.items()
        if not any(is_right(one, right) for one in items for right in phrases[text])
    }


def test_nearly_every_phrase_finds_the_right_thing_among_the_first_three() -> None:
    assert len(PHRASES) == 120
    wrong = missed(PHRASES)
    assert len(PHRASES) - len(wrong) >= _ENOUGH, wrong
    untuned = missed(HELD_BACK)
    assert len(HELD_BACK) - len(untuned) >= _ENOUGH_HELD_BACK, untuned


def test_no_deletion_stands_above_what_reads_without_a_word_of_deletion() -> None:
    texts = {
        text
        for text in (*PHRASES, *HELD_BACK)
        if text.startswith("who can") or not {"delete", "remove", "offboard", "cancel", "drop", "void"} & set(text.split())
    }
    texts |= {
        "customer",
        "coupon",
        "deleted customers",
        "card removed by customer",
        "canceled",
        "tax id",
        "test clock",
        "person",
    }
    for text in texts:
        effects = [one.effect for one in found(text)]
        assert "delete" not in effects[: len(effects) - effects.count("delete")], text


def some_tools() -> list[Tool]:
    """One for each first word of a summary, in each toolkit."""
    return list({(tool.toolkit, tool.effect, tool.summary.split()[0]): tool for tool in CATALOG.tools.values()}.values())


@pytest.mark.parametrize("tools", [some_tools(), *further(list(CATALOG.tools.values()))], ids=["some", "all"])
def test_a_query_that_is_the_name_or_the_summary_of_a_tool_finds_that_tool_first(tools: list[Tool]) -> None:
    """Articles, capitals and punctuation do not matter, and other results stay."""
    assert [one.tool for one in found("get customer")].index("RetrieveCustomerDetails") == 0
    assert len(found("get customer")) > 10
    wrong = {}
    for tool in tools:
        texts = [tool.name, tool.summary, re.sub(r"\b(a|an|the)\s", "", tool.summary.lower().rstrip("."))]
        for text in texts if tool.effect != "delete" or asks_for_deletion(tool.summary) else texts[:0]:
            if (first := found(text)[0]).tool != tool.name:
                wrong[text] = first.tool
    assert not wrong


@pytest.mark.parametrize(("text", "tool"), CASES["deletions"])
def test_a_word_of_deletion_finds_deletions(text: str, tool: str) -> None:
    assert tool in [one.tool for one in found(text)[:3]]


@pytest.mark.parametrize(("text", "kind", "tool", "arguments"), _DATA["pasted"])
def test_what_is_pasted_becomes_a_call_with_its_arguments(
    text: str, kind: str, tool: str, arguments: dict[str, object] | None
) -> None:
    first = found(text)[0]
    assert (first.kind, first.tool) == (kind, tool)
    assert arguments is None or dict(first.arguments) == arguments


def test_a_search_that_can_run_stands_before_its_empty_form() -> None:
    for text in ("customers", "prices", "products", "subscriptions", "invoices"):
        items = found(text)
        tool = items[0].tool
        places = [place for place, one in enumerate(items) if one.tool == tool and one.kind == "tool"]
        assert items[0].kind == "call", text
        assert places[:1] > [0], text
    assert found("SearchPaymentsPrices")[0].kind == "tool", "whoever types the name of a tool wants its form"


def test_a_credential_in_a_command_is_nowhere_in_the_list() -> None:
    text = "curl https://api.stripe.com/v1/balance -u sk_live_Marked123: -H 'Authorization: Bearer sk_live_Marked123'"
    assert "Marked123" not in repr(found(text))


def test_saved_calls_are_found_by_their_names_and_taken_as_they_are() -> None:
    own = OwnCall("Night check {name}", "ListIncidents", {"status": "triggered", "since": "{x}"})
    first = Finder(CATALOG, [own]).find("night check", NOW, UTC)[0]
    assert (first.kind, first.title, first.arguments) == ("call", own.title, own.arguments)
    own = OwnCall("failed this week", "PaymentsSearchCharges", {"search_query_string": 'status:"failed"'})
    assert Finder(CATALOG, [own]).find("failed this week", NOW, UTC)[0].title == own.title


def test_a_change_is_first_if_only_it_can_use_the_verb_and_both_sides_of_a_comparison_are_objects() -> None:
    assert found("change role of newest crm user")[0].tool == "UpdateCrmUserInfo"
    known = [
        KnownObject("customer", id_, label, "RetrieveCustomerDetails", {"customer_id": id_})
        for id_, label in (("cus_1", "Ada Romero · a@b.example"), ("cus_2", "Granite Peak Outfitters"), ("cus_3", "Ada Lund"))
    ]
    text = "compare ada romero with granite peak"
    assert [one.id for one in Finder(CATALOG).find(text, NOW, UTC, known) if one.kind == "object"] == ["cus_1", "cus_2"]
    searched = {repr(one.arguments) for one in Finder(CATALOG).lookups(text)}
    assert any("ada romero" in one for one in searched)
    assert any("granite peak" in one for one in searched)


def test_arguments_of_calls_are_accepted_by_their_tools() -> None:
    texts = [*PHRASES, *HELD_BACK, "failed payments yesterday", "who is on call next week", f"charges of {CUSTOMER}"]
    calls = [one for text in texts for one in found(text) if one.kind == "call" and not one.missing]
    wrong = {
        f"{one.tool} {dict(one.arguments)}": errors
        for one in calls
        if (errors := check(CATALOG.tools[one.tool], one.arguments, NOW).errors)
    }
    assert not wrong


def test_the_command_gives_the_same_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", "past", "due", "--json"]) == 0
    items = json.loads(capsys.readouterr().out)
    assert set(items[0]) == {"kind", "tool", "arguments", "effect", "title", "why", "without"}
    first = found("past due")[0]
    assert (items[0]["tool"], items[0]["arguments"]) == (first.tool, dict(first.arguments))
    assert main(["find", "who is on call"]) == 0
    assert "ListOncalls" in capsys.readouterr().out
