"""A toolkit that exists only here: what calls, pages, sentences and facts do with one works from what its folder declares."""

import json
import os
from base64 import b64encode
from typing import Any

import pytest

from registry.accounts.connection import connections
from registry.accounts.secrets import MASK
from registry.calling.result import Result
from registry.catalog.loader import load
from registry.catalog.properties import properties_of
from registry.changes.check_result import facts_of
from registry.pages.loading import PageLoad
from registry.pages.page import ObjectPage
from registry.pages.subjects import subjects_of
from registry.results.cells import Names
from registry.results.headline import Asked, headline_of
from registry.results.spool import Spool
from tests.tickets.service import COMMENTS, ISSUES, LABELS, TOKEN, USER, USERS, Tracker
from tests.tickets.world import World

BASIC = b64encode(f"{USER}:{TOKEN}".encode()).decode()


async def test_basic_authentication_and_headers(world: World, tickets: Tracker) -> None:
    result = await world.call("GetIssue", issue_id="7")
    assert result.json["title"] == "Login fails 7"
    method, target, headers, _ = tickets.asked[-1]
    assert (method, target, headers["authorization"]) == ("GET", "/issues/7", f"Basic {BASIC}")
    assert headers["x-api-version"] == "2025-06"
    assert result.request_id == "req-1"
    [trace] = world.engine.traces.newest_first()
    assert (trace.limits, trace.ids) == ("41 of 60 left", (("x-tickets-request", "req-1"),))


async def test_what_it_says_of_waiting(world: World, tickets: Tracker) -> None:
    tickets.failures += [(503, {"X-Come-Back": "7"}), (500, {})]
    result = await world.call("GetIssue", issue_id="7")
    assert world.waits == [7.0]
    assert (result.status, [one.status for one in result.exchanges]) == (500, [503, 500]), "it does not declare that 500 passes"
    assert result.failure is not None
    assert result.failure.cause == "Try again."


async def test_no_form_of_the_credential_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = world.connection.endpoint("Tickets")
    hidden = endpoint.hide(f"{TOKEN} {BASIC}".encode()).decode()
    assert hidden.startswith(f"{MASK} {BASIC[:4]}")
    assert MASK in hidden[10:]
    monkeypatch.setenv("TICKETS_USER", "eve")
    world.connection = connections(os.environ)["tickets"]
    result = await world.call("GetIssue", issue_id="7")
    assert result.failure is not None
    assert result.failure.kind == "authentication"
    echoed = b64encode(f"eve:{TOKEN}".encode()).decode()
    [trace] = world.engine.traces.newest_first()
    for told in (result.failure.cause, result.body.decode(), repr([getattr(trace, name) for name in trace.__struct_fields__])):
        assert TOKEN not in told
        assert echoed not in told


async def pages(world: World, name: str, **raw: object) -> list[Result]:
    found = [await world.call(name, **raw)]
    while (page := found[-1].page) is not None and page.next is not None:
        found.append(await world.call(name, **raw, **page.next))
    return found


@pytest.mark.parametrize(
    ("name", "raw", "sizes", "total"),
    [
        ("ListIssues", {"per_page": 10}, [10, 10, 3], ISSUES),
        ("ListIssues", {"per_page": 10, "state": "closed"}, [4], 4),
        ("SearchIssues", {"words": "login", "per_page": 5}, [5, 5, 2], 12),
        ("ListComments", {"issue_id": "7"}, [3, 3, COMMENTS - 6], None),
        ("Tickets.ListUsers", {"limit": 10}, [10, 2], USERS),
        ("ListLabels", {"per_page": 8}, [8, 8, LABELS - 16], None),
    ],
)
async def test_pages(world: World, name: str, raw: dict[str, object], sizes: list[int], total: int | None) -> None:
    items = await world.all_of(name, **raw)
    assert len({item["id"] for item in items}) == len(items) == sum(sizes)
    found = await pages(world, name, **raw)
    assert [one.page.items for one in found if one.page is not None] == sizes
    assert {one.page.total for one in found if one.page is not None} == {total}
    last = found[-1]
    assert last.page is not None
    assert not last.page.has_more
    if name != "ListComments" and len(found) > 1:
        assert last.page.previous is not None
        before = {argument: value for argument, value in (raw | dict(last.page.previous)).items() if value is not None}
        assert (await world.call(name, **before)).json == found[-2].json
    assert len(found[0].items or ()) == sizes[0]


@pytest.mark.parametrize(("name", "count"), [("ListLabels", LABELS), ("ListIssues", ISSUES)])
async def test_a_cap_does_not_move_pages_that_are_counted(world: World, name: str, count: int) -> None:
    tool = world.catalog.tools[name]
    with Spool() as spool:
        gathering = world.engine.fetch_all(tool, {}, world.connection, spool, most=13)
        gathered = await gathering.run()
        assert (len({json.loads(item)["id"] for item in spool}), gathered.capped) == (13, True)
        limit = tool.with_role("limit")
        assert limit is not None
        assert gathered.resume == {"page": 2, "per_page": limit.maximum}, "the page that was begun, in pages of the same size"
        gathering.most = None
        gathered = await gathering.run()
        assert (len({json.loads(item)["id"] for item in spool}), gathered.complete) == (count, True)


async def test_changes_are_made_once(world: World, tickets: Tracker) -> None:
    result = await world.call("AddComment", issue_id="8", text="Seen.")
    assert (result.status, json.loads(tickets.asked[-1][3])) == (201, {"text": "Seen."})
    result = await world.call("DeleteIssue", issue_id="8")
    assert (result.status, result.failure, 8 in tickets.issues) == (204, None, False)


async def test_patch_with_a_header(world: World, tickets: Tracker) -> None:
    result = await world.call("UpdateIssue", issue_id="7", if_version="v1", state="closed", estimate="1.50")
    method, target, headers, body = tickets.asked[-1]
    assert (method, target, headers["if-match"]) == ("PATCH", "/issues/7.json", "v1")
    assert json.loads(body) == {"state": "closed", "estimate": 1.5}
    assert result.json["state"] == "closed"
    again = await world.call("UpdateIssue", issue_id="7", if_version="v1", state="open")
    assert again.failure is not None
    assert (again.status, again.failure.cause, again.failure.code) == (412, "It is in version v2.", "changed")
    gone = (await world.call("GetIssueDocument", issue_id="700")).failure
    assert tickets.asked[-1][1] == "/issues/700.json"
    assert gone is not None
    assert (gone.cause, gone.code, gone.parameter) == ("There is no such issue.", "not_found", "issue_id")


async def page_of(world: World, id_: str, type_: str = "") -> ObjectPage:
    engine = world.engine
    return await PageLoad(engine.reading(engine.usual), engine.catalog, engine.routes).load(
        subjects_of(id_, engine.routes, type_=type_)
    )


async def test_a_page_that_it_declares(world: World) -> None:
    number = next(iter([one for one in await world.all_of("ListIssues") if one["state"] == "open"]))["id"]
    comments = await world.all_of("ListComments", issue_id=number)
    page = await page_of(world, number, "issue")
    section = next(one for one in page.sections if one.id == "comments")
    assert page.failure is None
    assert (section.state, section.count) == ("complete", len(comments))
    assert page.headline == f"Issue {page.title} is open: {len(comments)} comments"
    assert [row.link.id if row.link else "" for row in section.rows] == [one["id"] for one in comments]


async def test_a_page_made_from_the_catalogue(world: World) -> None:
    page = await page_of(world, "usr_p00001")
    assert (page.subject.type, page.headline) == ("user", "User Person 1")
    label = await page_of(world, "label-7", "label")
    assert (label.subject.tool, label.failure) == ("ListLabels", None)
    gone = await page_of(world, "usr_p99999")
    assert gone.failure is not None
    assert "There is no such user." in gone.failure.cause


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
