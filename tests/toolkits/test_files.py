"""The optional files of a toolkit's folder: what ships is right, and a mistake in a user's costs the entry that it is in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from registry.catalog.listing import table_of_contents
from registry.catalog.loader import load
from registry.catalog.matching import Matcher
from registry.catalog.toolkit_files import data_folders
from registry.references.knowledge import knowledge
from registry.toolkits.checking import problems_in

TOOLS = load().tools
_SHIPPED = data_folders()


def written(folder: Path, **files: Any) -> Path:
    """The folder with ``<name>.json`` for each file; a text is written as it is."""
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{name}.json").write_text(text, "utf-8")
    return folder


def told(folder: Path) -> list[tuple[str, str, str]]:
    """File, field and rule of every problem."""
    return [(Path(one.file).name, one.field, one.message) for one in problems_in(folder)]


@pytest.mark.parametrize("folder", _SHIPPED, ids=lambda folder: folder.name)
def test_what_ships_is_right(folder: Path) -> None:
    assert told(folder) == []


@pytest.mark.parametrize("folder", _SHIPPED, ids=lambda folder: folder.name)
def test_tools_that_data_names_take_what_it_gives_them(folder: Path) -> None:
    file = folder / "deleting.json"
    content = json.loads(file.read_text("utf-8")) if file.exists() else {}
    counted = [one for steps in content.get("companions", {}).values() for one in steps if isinstance(one, dict)]
    found = [(TOOLS[one["tool"]], one["arguments"]) for one in (*counted, *content.get("finding_new", {}).values())]
    for tool, arguments in found:
        assert tool.effect == "read"
        assert arguments.keys() <= {parameter.name for parameter in tool.parameters}, tool.name
        assert {one.name for one in tool.parameters if one.required} <= arguments.keys(), tool.name
    for name, one in content.get("finding_new", {}).items():
        assert {text[1:-1] for text in one["arguments"].values() if "{" in text} <= {
            each.name for each in TOOLS[name].parameters
        }


def test_a_folder_without_them_has_no_problems(tmp_path: Path) -> None:
    assert told(tmp_path) == []


def test_a_file_may_name_its_schema(tmp_path: Path) -> None:
    named = {"$schema": "x.schema.json"}
    assert told(written(tmp_path, words=named, references=named, deleting=named)) == []


def test_problems_name_the_whole_path(tmp_path: Path) -> None:
    (problem,) = problems_in(written(tmp_path, words=[]))
    assert str(problem) == f"{tmp_path / 'words.json'}:1: must be an object"


@pytest.mark.parametrize("name", ["words", "references", "deleting", "properties"])
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{\n "a": 1,\n}', "is not JSON: "),
        ("[]", "must be an object"),
        ('{"sounds": {}}', "is not a field here; available: "),
        ("[" * 100_000, "is not JSON: "),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path: Path, name: str, text: str, rule: str) -> None:
    ((file, _, message),) = told(written(tmp_path, **{name: text}))
    assert file == f"{name}.json"
    assert message.startswith(rule)


def test_the_line_of_broken_json_is_told(tmp_path: Path) -> None:
    (problem,) = problems_in(written(tmp_path, words='{\n "meanings": {}\n "phrases": {}\n}'))
    assert problem.line == 3


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "words.json").mkdir()
    ((file, _, message),) = told(tmp_path)
    assert (file, message) == ("words.json", "cannot be read: Is a directory")


def test_words_of_a_users_toolkit_find_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = {"meanings": {"payout": "bonifico xyzzy", "coupon": 7}, "phrases": {"pay day": "payout", "": None}}
    folder = written(tmp_path, words=content)
    monkeypatch.setattr("registry.catalog.synonyms.data_folders", lambda: (*_SHIPPED, folder))
    matcher = Matcher(table_of_contents())
    assert matcher.find("bonifico")[0].tool.name == "GetPaymentsPayoutDetails"
    assert matcher.find("pay day") == matcher.find("payout")
    assert matcher.find("voucher"), "other toolkits keep their words"
    assert told(folder) == [
        ("words.json", "phrases.", "must be text"),
        ("words.json", "meanings.coupon", "must be text"),
    ]


WRONG_OBJECTS: list[tuple[dict[str, Any], str, str]] = [
    ({"prefixes": "iss_"}, ".prefixes", "must be a list; got text"),
    ({"refers": {"owner": 7}}, ".refers", "must be a list; got a whole number"),
    ({"prefix": ["iss_"]}, ".prefix", "is not a field here (did you mean prefixes?)"),
    ({"shape": "("}, ".shape", "is not a regular expression"),
    ({"passing": "yes"}, ".passing", "must be true or false; got text"),
]


@pytest.mark.parametrize(("entry", "field", "rule"), WRONG_OBJECTS)
def test_a_wrong_object_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: dict[str, Any], field: str, rule: str
) -> None:
    right = {"prefixes": ["usr_"], "refers": {"team": "team", "boards": ["board", "list"]}}
    folder = written(tmp_path, references={"objects": {"issue": entry, "user": right}, "older_tools": "all"})
    problems = told(folder)
    assert [one[0] for one in problems] == ["references.json"] * 2
    assert problems[0][1].startswith(f"objects.issue{field}")
    assert problems[0][2] == rule
    assert problems[1][1:] == ("older_tools", "must be a list; got text")
    monkeypatch.setattr("registry.references.knowledge.folder_of", lambda _: folder)
    known = knowledge("Tracker")
    assert list(known.kinds) == ["user"]
    assert known.kind("user").refers == {"team": ("team",), "boards": ("board", "list")}
    assert known.types_by_id("usr_4R5abc") == ("user",)
    assert known.older == frozenset()


@pytest.mark.parametrize(
    ("content", "field", "rule"),
    [
        ({"owners": "customer"}, "owners", "must be a list; got text"),
        ({"owners": ["customer", 7]}, "owners[1]", "must be text; got a whole number"),
        ({"owners": ["customer", " "]}, "owners[1]", "must be the name of a property"),
        ({"columns": {"about": ["a\nb"]}}, "columns.about[0]", "must be the name of a property"),
        ({"columns": {"state": []}}, "columns.state", "is not a field here (did you mean states?)"),
        ({"facts": {"moments": {}}}, "facts.moments", "must be a list; got an object"),
        ({"names": []}, "names", "is not a field here; available: columns, facts, owners, sentence"),
    ],
)
def test_wrong_properties_are_told(tmp_path: Path, content: dict[str, Any], field: str, rule: str) -> None:
    folder = written(tmp_path, properties={"sentence": {"amounts": ["total_cost"]}, **content})
    assert told(folder) == [("properties.json", field, rule)]


def test_a_search_needs_its_tool(tmp_path: Path) -> None:
    folder = written(tmp_path, references={"found_by": {"issue": {"all": "*"}, "user": {"tool": "FindUsers", "all": "*"}}})
    assert told(folder) == [("references.json", "found_by.issue", "needs `tool` and `all`")]


def test_steps_of_another_shape_are_left_out(tmp_path: Path) -> None:
    counted = {"tool": "ListIssues", "arguments": {"board": "{id}"}, "one": "issue", "many": "issues"}
    content = {
        "test_mode_only": {"clock": True},
        "checks": {"board": [{"holds": "no", "words": "x"}], "issue": [{"words": "It may be watched."}]},
        "companions": {"board": [counted | {"arguments": {"board": "{name}"}}, counted], "issue": counted},
        "finding_new": {"CreateIssue": {"tool": "FindIssue"}},
        "writes": {"issue": {"not_returned": "draft"}},
    }
    assert [one[:2] for one in told(written(tmp_path, deleting=content))] == [
        ("deleting.json", "test_mode_only.clock"),
        ("deleting.json", "checks.board[0].holds"),
        ("deleting.json", "companions.issue"),
        ("deleting.json", "companions.board"),
        ("deleting.json", "writes.issue.not_returned"),
        ("deleting.json", "finding_new.CreateIssue.arguments"),
    ]


LINES: list[tuple[str, str, str]] = [
    ("words", '{\n  "phrases": {"a": "b"},\n  "meanings": {\n    "coupon": 7\n  }\n}', "4: meanings.coupon: must be text"),
    ("titles", '{\n  "titles": {},\n  "frist": []\n}', "3: frist: is not a field here (did you mean first?)"),
    ("titles", '{\n  "words": {\n    "a": 1\n  }\n}', "3: words.a: must be text"),
    ("titles", '{\n  "first": [\n    "A",\n    2\n  ]\n}', "4: first[1]: must be text; got a whole number"),
    ("titles", '{\n  "titles": {"A":\n  "\\u0007"}\n}', "3: titles.A: contains control or invisible characters"),
    (
        "references",
        '{\n  "objects": {\n    "a.b": {\n      "field": 3\n    }\n  }\n}',
        "4: objects.a.b.field: must be text or null; ",
    ),
    ("lists", '{\n  "objects": {\n    "user": {\n      "on": "a"\n    }\n  }\n}', "4: objects.user.on: is not a field here"),
    ("queries", '{\n  "queries": {\n    "FindUsers": 3\n  }\n}', "3: queries.FindUsers: must be an object; got a whole number"),
    (
        "pages",
        '{"objects": {"user": {\n"sections": [\n{"tol": "GetUser"}\n]}}}',
        "3: objects.user.sections.0.tol: is not a field here",
    ),
    (
        "deleting",
        '{\n  "companions": {\n    "a": [\n      {"tool": "B", "one": "c", "many": "d"}]}}',
        "4: companions.a[0].arguments: is ",
    ),
    ("ready_calls", '{"calls": [\n{"tool": "GetAccountRoles", "words": ["x"]},\n{"tool": "Nothing"}\n]}', "3: calls[1]."),
    ("first_questions", '{"questions": [\n{},\n{"text": "a", "place": "b"}\n]}', "2: questions[0]."),
]


@pytest.mark.parametrize(("name", "text", "expected"), LINES)
def test_every_kind_of_file_tells_the_line_of_a_mistake(tmp_path: Path, name: str, text: str, expected: str) -> None:
    told = [str(problem) for problem in problems_in(written(tmp_path, **{name: text}))]
    assert any(one.startswith(f"{tmp_path}/{name}.json:{expected}") for one in told), told
