"""The command line with a toolkit from elsewhere, whole and broken."""

import json
import shutil
from pathlib import Path

import pytest

from registry.catalog.folders import forget
from registry.doors.output import ExitCode
from tests.command_line import Outcome, Run, runner
from tests.shipped import COUNT
from tests.tickets.service import ISSUES, TOOLKIT, Tracker


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], tickets: Tracker) -> Run:
    return runner(capfd)


def names(outcome: Outcome) -> list[str]:
    return [tool["name"] for tool in json.loads(outcome.out) if tool["toolkit"] == "Tickets"]


def test_its_tools_are_listed(run: Run) -> None:
    outcome = run("tools", "--json")
    assert (outcome.code, outcome.err) == (ExitCode.OK, "")
    assert len(names(outcome)) == 12
    assert "Tickets · Issues" in run("tools").out
    assert run("tools", "comments on an issue").out.split()[0] == "ListComments"
    assert "--issue-id" in run("show", "GetIssue").out


def test_a_call(run: Run, tickets: Tracker) -> None:
    outcome = run("call", "GetIssue", "--issue-id", "7")
    assert (outcome.code, json.loads(outcome.out)["id"]) == (ExitCode.OK, "7")
    outcome = run("call", "ListIssues", "--all", "--json")
    assert len(json.loads(outcome.out)) == ISSUES
    outcome = run("call", "SearchIssues", "--words", "login", "--format", "csv")
    assert outcome.out.splitlines()[0].startswith("id,")
    assert len(outcome.out.splitlines()) == 11


def test_a_name_that_two_toolkits_have(run: Run) -> None:
    outcome = run("call", "ListUsers")
    assert outcome.code == ExitCode.USAGE
    assert "ListUsers may be Incidents.ListUsers or Tickets.ListUsers; give the name with its toolkit" in outcome.err
    assert "users" in json.loads(run("call", "tickets.listusers").out)
    assert "users" in json.loads(run("call", "Incidents.ListUsers").out)


def test_a_deletion_asks(run: Run, tickets: Tracker) -> None:
    outcome = run("call", "DeleteIssue", "--issue-id", "9")
    assert (outcome.code, tickets.asked) == (ExitCode.USAGE, [])
    assert "This deletes data in test mode. It cannot be brought back. Add --yes" in outcome.err
    assert run("call", "DeleteIssue", "--issue-id", "9", "--yes").code == ExitCode.OK
    assert 9 not in tickets.issues


def test_without_an_account_it_says_what_it_needs(run: Run, tickets: Tracker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TICKETS_TOKEN")
    for words in (("GetIssue",), ("DeleteIssue", "--yes")):
        outcome = run("call", words[0], "--issue-id", "7", *words[1:])
        assert (outcome.code, outcome.out) == (ExitCode.USAGE, "")
        assert outcome.err == "callboard: no account for Tickets: set TICKETS_USER and TICKETS_TOKEN in the environment\n"
    outcome = run("call", "GetIssue", "--issue-id", "7", "--account", "tickets")
    assert "account 'tickets' is not set up: set TICKETS_USER and TICKETS_TOKEN in the environment" in outcome.err
    assert "the account 'sandbox' serves" in run("call", "GetIssue", "--issue-id", "7", "--account", "sandbox").err
    assert tickets.asked == []


def test_a_broken_folder_is_named_with_file_field_and_rule_and_the_rest_works(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Path(shutil.copytree(TOOLKIT, tmp_path / "broken"))
    people = broken / "tools" / "people.json"
    people.write_text(people.read_text("utf-8").replace('"name": "ListLabels",', '"name": "ListLabels"'), "utf-8")
    issues = broken / "tools" / "issues.json"
    issues.write_text(issues.read_text("utf-8").replace('"maximum": 10', '"maximum": "10"', 1), "utf-8")
    other = Path(shutil.copytree(TOOLKIT, tmp_path / "other"))
    (other / "service.json").write_text('{\n  "titel": "Other",\n  "toolkit": "Other",\n  "order": "3"\n}', "utf-8")
    monkeypatch.setenv("CALLBOARD_TOOLKITS", f"{broken}:{other}:{tmp_path / 'none'}")
    forget()
    outcome = run("tools", "--json")
    assert outcome.code == ExitCode.OK
    gone = {"ListIssues", "Tickets.ListUsers", "GetUser", "ListLabels"}
    assert (len(names(outcome)), gone & set(names(outcome))) == (12 - len(gone), set())
    assert len(json.loads(outcome.out)) == COUNT + 12 - len(gone)
    assert f"catalogue: {people}: is not JSON: Expecting ',' delimiter: line 34 column 11" in outcome.err
    assert f"catalogue: {issues}: ListIssues: parameters.per_page.maximum: must be a valid " in outcome.err
    of_service = [one for one in outcome.err.splitlines() if f"{other}/service.json" in one]
    assert of_service[0] == f"callboard: catalogue: {other}/service.json: titel: is not a field here"
    assert f"callboard: catalogue: {other}/service.json: title: is required" in of_service
    assert f"callboard: catalogue: {other}/service.json: order: must be a valid integer" in of_service
    assert f"catalogue: {tmp_path}/none: CALLBOARD_TOOLKITS: cannot be read: No such file or directory" in outcome.err
    assert "catalogue: " in run("tools", "issue").err
    assert run("call", "GetIssue", "--issue-id", "7").code == ExitCode.OK
    assert run("call", "Whoami").code == ExitCode.OK
    assert "cannot load ListIssues: " in run("call", "ListIssues").err
