"""``callboard toolkit check FOLDER``: the mistakes in a folder, and nothing else."""

import json
import re
import shutil
from pathlib import Path

import pytest

from registry.catalog.folders import BUILT_IN, SERVICE
from registry.doors.output import ExitCode
from tests.command_line import Run
from tests.openapi.making import document, written
from tests.tickets.service import TOOLKIT

pytestmark = pytest.mark.usefixtures("toolkits_here")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TOOLKIT, tmp_path / "own"))


def test_a_folder_that_is_right(run: Run, folder: Path) -> None:
    outcome = run("toolkit", "check", "own")
    assert (outcome.code, outcome.out, outcome.err) == (ExitCode.OK, f"{folder}: 12 tools, no mistakes\n", "")
    outcome = run("toolkit", "check", str(folder), "--json")
    assert json.loads(outcome.out) == [{"folder": str(folder), "tools": 12, "problems": []}]


def test_each_mistake_has_file_tool_field_and_rule(run: Run, folder: Path) -> None:
    people = folder / "tools" / "people.json"
    people.write_text(people.read_text("utf-8").replace('"effect": "read"', '"effect": "reads"', 1), "utf-8")
    (folder / "words.json").write_text('{\n "meanings": {"a": 1}\n}', "utf-8")
    (folder / "titles.json").write_text('{\n "titles": {"a" 1}\n}', "utf-8")
    (folder / "page.json").write_text("{}", "utf-8")
    outcome = run("toolkit", "check", "own/")
    assert outcome.code == ExitCode.SERVICE
    first, *others = outcome.out.splitlines()
    assert re.fullmatch(rf"{people}: \w+: effect: must be 'read', 'write' or 'delete'", first)
    assert others == [
        f"{folder}/words.json: meanings.a: expected `str`, got `int`",
        f"{folder}/titles.json: is not JSON: Expecting ':' delimiter: line 2 column 17 (char 18)",
        f"{folder}/page.json: is not a file of a toolkit (did you mean pages.json?)",
    ]
    assert outcome.err == f"{folder}: 4 mistakes; 11 tools can be used\n"
    told = json.loads(run("toolkit", "check", "own", "--json").out)[0]["problems"]
    assert (told[0]["file"], told[0]["field"]) == (str(people), "effect")


def test_what_is_no_folder_of_a_toolkit(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name, words in (
        ("empty", f"empty has no {SERVICE}"),
        ("nowhere", "there is no added toolkit 'nowhere'"),
        ("./nowhere", "there is no folder ./nowhere"),
    ):
        outcome = run("toolkit", "check", name)
        assert (outcome.code, words in outcome.err) == (ExitCode.USAGE, True), outcome.err
    assert "--keep is for added toolkits" in run("toolkit", "check", "empty", "--keep", "all").err


def test_what_ships_and_what_was_added_are_right(run: Run, tmp_path: Path) -> None:
    for one in ("crm_users", "incidents"):
        assert run("toolkit", "check", str(BUILT_IN / one)).code == ExitCode.OK
    operation = {"operationId": "getIt", "responses": {"200": {"description": "It."}}}
    file = written(tmp_path, document({"/things": {"get": operation}}))
    added = json.loads(run("toolkit", "add", str(file), "--json").out)
    outcome = run("toolkit", "check", added["folder"])
    assert (outcome.code, outcome.out) == (ExitCode.OK, f"{added['folder']}: 1 tool, no mistakes\n")
    assert run("toolkit", "check", added["name"]).code == ExitCode.OK, "a name is still that of an added toolkit"
