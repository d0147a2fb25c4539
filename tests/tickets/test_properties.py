"""What only this service has is known from its own files: properties in sentences and facts."""

import json
from typing import Any

from registry.calling.result import Result
from registry.catalog.loader import load
from registry.catalog.properties import properties_of
from registry.changes.check_result import facts_of
from registry.results.headline import Asked, headline_of
from registry.results.names import Names
from tests.tickets.service import Tracker

ISSUE: dict[str, Any] = {
    "id": "7",
    "url": "https://tickets.example/issues/7",
    "reopened_at": 1_760_000_000,
    "milestone": "spring",
    "currency": "eur",
    "amount_spent": 4200,
    "reporter": "usr_p00001",
    "reporter_name": "Ada Romero",
    "work_step": "review",
}


def sentence(body: object) -> str:
    tool = load().tools["GetIssue"]
    return headline_of(tool, {}, Result(tool.name, "tickets", 200, body=json.dumps(body).encode()), Names()).words


def test_its_owners_and_amounts_are_said(tickets: Tracker) -> None:
    assert sentence(ISSUE) == "Issue 7 of Ada Romero · 42.00 EUR"
    tool = load().tools["SearchIssues"]
    assert Asked(tool, {"words": "reporter:usr_x"}, lambda _: "").after == ["of usr_x"]
    assert Asked(tool, {"words": "customer:usr_x"}, lambda _: "").after == []


def test_its_facts_are_shown_before_a_deletion(tickets: Tracker) -> None:
    facts = {one.name: one.words for one in facts_of(ISSUE, properties_of("Tickets").facts)}
    assert facts["milestone"] == "spring"
    assert facts["amount spent"] == "42.00 EUR"
    assert facts["reopened at"].startswith("9 Oct 2025")
    assert {one.name for one in facts_of(ISSUE)} == {"URL"}, "nobody else knows them"
