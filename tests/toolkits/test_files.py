"""The optional files of a toolkit's folder: what ships is right, and a mistake in a user's costs the entry that it is in."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.catalog.listing import vocabulary
from registry.catalog.loader import data_folders, load
from registry.references.knowledge import knowledge
from registry.results.columns import CellReader, columns_in
from registry.results.declared import lists_of
from registry.toolkits.checking import problems_in
from tests.cases import cases_beside

CASES = cases_beside(__file__)

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


_FIRST = re.compile(r"\{([\w.@]+)\[0\][^}]*\}")
# Their first is meant: the lowest tier, the first level, the next action; a price or a period stands beside its plan,
# which says how many more there are.
_MEANT = re.compile(
    r"tiers\[|escalation_rules\[|pending_actions\[|\.price\.(?!nickname|id)|current_period_end|items\.data\[0\]\.quantity"
)


def test_s12_the_first_of_a_list_is_never_shown_as_if_it_were_all() -> None:
    texts = [
        text for folder in _SHIPPED for file in folder.glob("*.json") for text in _texts(json.loads(file.read_text("utf-8")))
    ]
    firsts = [(found[1], text) for text in texts for found in _FIRST.finditer(text) if not _MEANT.search(found[0])]
    assert len(firsts) > 20
    assert [(path, text) for path, text in firsts if f"{{{path}|more}}" not in text] == []
    item = {"id": "Q1", "assignments": [{"assignee": {"id": f"P{name}", "summary": name}} for name in ("Ada", "Sam", "Kim")]}
    text = json.dumps(item).encode()
    columns = columns_in([text], lists_of("Incidents").objects["incident"].columns).first
    assert "Ada +2" in [cell.text for cell in CellReader(columns).cells(text)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(one)


def test_words_of_a_users_toolkit_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = {"meanings": {"payout": "bonifico xyzzy", "coupon": 7}, "phrases": {"pay day": "payout", "": None}}
    folder = written(tmp_path, words=content)
    monkeypatch.setattr("registry.catalog.listing.data_folders", lambda: (*_SHIPPED, folder))
    words = vocabulary()
    assert words.meanings["bonifico"] == ("payout",)
    assert words.phrases["pay day"] == "payout"
    assert "voucher" in words.meanings, "other toolkits keep their words"
    assert [field for _, field, _ in told(folder)] == ["phrases.", "meanings.coupon"]


def test_a_wrong_object_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = {"prefixes": ["usr_"], "refers": {"team": "team", "boards": ["board", "list"]}}
    wrong = {"a": {"prefixes": "iss_"}, "b": {"refers": {"owner": 7}}, "c": {"prefix": []}, "d": {"shape": "("}}
    folder = written(tmp_path, references={"objects": {**wrong, "user": right}, "older_tools": "all"})
    fields = [field for _, field, _ in told(folder)]
    assert fields == ["objects.a.prefixes", "objects.b.refers[...]", "objects.c.prefix", "objects.d.shape", "older_tools"]
    monkeypatch.setattr("registry.catalog.loader.folder_of", lambda _: folder)
    known = knowledge("Tracker")
    assert list(known.kinds) == ["user"]
    assert known.kind("user").refers == {"team": ("team",), "boards": ("board", "list")}
    assert known.types_by_id("usr_4R5abc") == ("user",)
    assert known.older == frozenset()


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


MISTAKES: list[tuple[str, Any, str]] = CASES["mistakes in files"]


@pytest.mark.parametrize(("name", "content", "expected"), MISTAKES)
def test_every_kind_of_file_tells_the_field_of_a_mistake(tmp_path: Path, name: str, content: Any, expected: str) -> None:
    told = [str(problem) for problem in problems_in(written(tmp_path, **{name: content}))]
    assert any(one.startswith(f"{tmp_path}/{name}.json: {expected}") for one in told), told
