"""Options of structured parameters: JSON, a file, property by property; and how ``callboard show`` tells of them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from registry.calling.arguments import check
from registry.catalog.model import Tool
from registry.doors.cli_options import from_json, from_words
from registry.doors.cli_tools import _sheet, described
from registry.json_text.values import Exact, dumps, same
from tests.workshop import FIELDS, nested, only, parameter, tool


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


def test_text_where_json_may_be(issue: Tool) -> None:
    assert same(words(issue, "--who 5"), {"who": Exact("5")})
    assert same(words(issue, "--who ada"), {"who": "ada"})
    assert same(words(issue, "--who '\"5\"'"), {"who": "5"})
    assert same(words(issue, "--filter '{\"a\": [1]}'"), {"filter": {"a": [Exact("1")]}})
    assert words(issue, "--ids 1 --ids 2 --page-size 5") == {"ids": ["1", "2"], "page_size": "5"}
    assert [str(error) for error in check(issue, words(issue, "--fields '{x'")).errors] == [
        "`fields` is not JSON: line 1, column 2: expected a property name in double quotes"
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--fields.sumary x", "'sumary' is not a property of fields; available: summary, points"),
        ("--fields.summary.x y", "'x' is not a property of summary"),
        ("--fields.summary x --fields.summary y", "--fields.summary was given more than once"),
        ("--fields '{}' --fields '{}'", "--fields was given more than once"),
        ("--fields '[]' --fields.summary x", "the value given before it is not an object"),
        ("--fields=@/nonexistent.json", "No such file"),
        (
            "--fields=@{folder}/broken.json",
            "broken.json is not valid JSON: line 1, column 2: expected a property name in double quotes",
        ),
        ("--fields=@{folder}/bytes.json", "bytes.json is not UTF-8"),
        ("--fields=@/dev/zero", "/dev/zero has more than 256 KiB"),
        ("--fields=@{folder}/large.json", "has more than 256 KiB"),
        ("--fields.summary", "needs a value"),
        ("--page-size 1 --page_size 2", "was given more than once"),
    ],
)
def test_mistakes(line: str, told: str, issue: Tool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "large.json").write_text(" " * 300_000)
    (tmp_path / "bytes.json").write_bytes(b"\xff{}")
    with pytest.raises(SystemExit):
        words(issue, line.replace("{folder}", str(tmp_path)))
    assert told in capsys.readouterr().err


def test_arguments_as_json_keep_their_digits() -> None:
    assert dumps(from_json('{"a": 1.10, "b": 1e400}')) == '{"a": 1.10, "b": 1e400}'
    for text in ("[]", "{", '{"a": NaN}', '{"a": 1, "a": 2}', "[" * 99_999):
        with pytest.raises(SystemExit):
            from_json(text)


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
