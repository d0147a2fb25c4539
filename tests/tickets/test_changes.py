"""What trackers need beyond plain parameters: a path with an ending, a header, a nested body, PATCH."""

from __future__ import annotations

import json
import os

from registry.accounts.connection import connections
from registry.calling.arguments import check
from registry.catalog.loader import load
from registry.results.snippets import snippets
from tests.tickets.service import TOKEN, Tracker
from tests.tickets.world import World


async def test_a_path_with_an_ending(world: World, tickets: Tracker) -> None:
    assert (await world.call("GetIssueDocument", issue_id="7")).json["id"] == "7"
    assert tickets.asked[-1][1] == "/issues/7.json"


async def test_patch_with_a_header(world: World, tickets: Tracker) -> None:
    result = await world.call("UpdateIssue", issue_id="7", if_version="v1", state="closed", estimate="1.50")
    method, target, headers, body = tickets.asked[-1]
    assert (method, target, headers["if-match"]) == ("PATCH", "/issues/7.json", "v1")
    assert json.loads(body) == {"state": "closed", "estimate": 1.5}
    assert result.json["state"] == "closed"
    again = await world.call("UpdateIssue", issue_id="7", if_version="v1", state="open")
    assert again.failure is not None
    assert (again.status, again.failure.cause, again.failure.code) == (412, "It is in version v2.", "changed")


async def test_a_nested_body(world: World, tickets: Tracker) -> None:
    people = {"assignee": "usr_p00001", "watchers": [{"user": "usr_p00002", "weight": 0.5}]}
    result = await world.call("CreateIssue", title="New", people=people)
    assert result.status == 201
    assert json.loads(tickets.asked[-1][3]) == {"title": "New", "people": people}
    tool = world.catalog.tools["CreateIssue"]
    [error] = check(tool, {"title": "New", "people": {"watchers": [{"user": "usr_p00002"}]}}).errors
    assert error.parameter.startswith("people")


def test_forms_have_all_of_it(world: World) -> None:
    tool = load().tools["UpdateIssue"]
    arguments = check(tool, {"issue_id": "7", "if_version": "v1", "state": "open"})
    curl, python, command = snippets(tool, arguments, connections(os.environ)["tickets"])
    for form in (curl, python):
        assert "If-Match" in form.text
        assert "PATCH" in form.text
        assert "/issues/7.json" in form.text
        assert TOKEN not in form.text
    assert "--if-version=v1" in command.text
