"""Options of structured parameters: JSON, a file, property by property; and how ``callboard show`` tells of them."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from registry.calling.arguments import check
from registry.catalog.model import Tool
from registry.doors.cli_options import from_words
from registry.doors.cli_tools import _sheet, described
from registry.json_text import Exact, dumps
from tests.cases import cases_beside
from tests.workshop import FIELDS, nested, only, parameter, tool

CASES = cases_beside(__file__)


@pytest.fixture
def issue(tmp_path: Path) -> Tool:
    branches = [{"name": "count", "type": "integer"}, {"name": "name", "type": "string"}]
    return only(
        tmp_path,
        tool(
            "CreateIssue",
            "POST",
            "/issues",
            nested(FIELDS),
            parameter("page_size", "integer", "query"),
            parameter("who", "one_of", "body", branches=branches),
            parameter("filter", "any", "query"),
            parameter("ids", "array", "query", items={"type": "integer"}),
            parameter("names", "array", "query"),
            parameter("links", "array", "body", items={"type": "object", "open": "anything"}),
            parameter(
                "labels",
                "array",
                "body",
                items={"type": "one_of", "branches": [branches[1], {"name": "label", "type": "object"}]},
            ),
            parameter("either", "one_of", "body", branches=[branches[1], {"name": "several", "type": "array"}]),
        ),
    )


def words(issue: Tool, line: str) -> Any:
    return from_words(issue, shlex.split(line))


def test_json_a_file_and_properties_say_the_same(issue: Tool, tmp_path: Path) -> None:
    wanted = {
        "fields": {
            "summary": "a b",
            "points": "1.50",
            "urgent": "true",
            "labels": ["x", "y"],
            "meta": {"z": {"a": Exact("1.0")}},
        }
    }
    (tmp_path / "f.json").write_text(
        '﻿{"summary": "a b", "points": 1.50, "urgent": true, "labels": ["x", "y"], "meta": {"z": {"a": 1.0}}}'
    )
    ways = (
        """--fields '{"summary": "a b", "points": 1.50, "urgent": true, "labels": ["x", "y"], "meta": {"z": {"a": 1.0}}}'""",
        f"--fields=@{tmp_path}/f.json",
        "--fields.summary 'a b' --fields.points=1.50 --fields.urgent --fields.labels x --fields.labels y --fields.meta.z.a 1.0",
    )
    sent = [dumps(check(issue, words(issue, line)).values) for line in ways]
    assert sent[0] == sent[1] == sent[2]
    assert words(issue, ways[2]) == wanted
    assert '"points": 1.50' in sent[0]


@pytest.mark.parametrize(("line", "sent"), CASES["one rule for all lists"])
def test_one_rule_for_all_lists(line: str, sent: dict[str, Any], issue: Tool) -> None:
    arguments = check(issue, {"fields": {"summary": "a"}} | words(issue, line))
    assert arguments.errors == ()
    assert json.loads(dumps({name: arguments.values[name] for name in sent})) == sent


def test_an_unknown_option_is_unknown_and_what_comes_near_is_named(issue: Tool, capsys: pytest.CaptureFixture[str]) -> None:
    for line, told in (("--zzz", "its parameters"), ("--page-sise", "did you mean `page_size`"), ("--lables=a", "`labels`")):
        (error,) = [one for one in check(issue, words(issue, line)).errors if "is not a parameter" in str(one)]
        assert told in str(error)
    with pytest.raises(SystemExit):
        words(issue, "--dryrun")
    assert "--dryrun is not an option of CreateIssue; did you mean --dry-run?" in capsys.readouterr().err


@pytest.mark.parametrize(("line", "told"), CASES["mistakes in options"])
def test_mistakes(line: str, told: str, issue: Tool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "large.json").write_text(" " * 300_000)
    (tmp_path / "bytes.json").write_bytes(b"\xff{}")
    with pytest.raises(SystemExit):
        words(issue, line.replace("{folder}", str(tmp_path)))
    assert told in capsys.readouterr().err


def test_the_sheet_tells_every_option(issue: Tool) -> None:
    text = "\n".join(_sheet(issue, 100))
    for line in (
        "  --fields  (object)",
        "As JSON: --fields '…', or from a file: --fields=@FILE, or property by property:",
        "    --fields.summary  (string, required)",
        "    --fields.points  (number, 0–99.5)",
        "        --fields.assignee.address.city  (string, required)",
        "        - range: object",
        "    --fields.links  (array of object)",
        "  --ids  (array of integer)",
    ):
        assert line in text, line
    assert json.loads(json.dumps(described(issue)))["parameters"][0]["properties"][1]["maximum"] == 99.5
