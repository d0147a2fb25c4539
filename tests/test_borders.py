"""Every border at which data from outside is read: what is wrong is refused with the name of its field.

Pydantic holds services, tools and saved changes against their types. Where loading it would take longer than the work itself,
the module has rules of its own and says so.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from registry.accounts.account import AccountError, account_of
from registry.catalog.folders import BUILT_IN, Found, ToolkitFolder
from registry.catalog.loader import load
from registry.catalog.reading import forget
from registry.saved.file import read_file
from registry.saved.saved_call import SavedCallError
from tui.state.settings import read as read_settings

CATALOG = load()
SAVED = {"format": "callboard saved call", "version": 1, "name": "Invoices", "inputs": [], "steps": [], "outputs": {}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a toolkit that ships, as one from elsewhere."""
    return Path(shutil.copytree(BUILT_IN / "crm_users", tmp_path / "crm_users"))


def problems(folder: Path, file: str, change: Callable[[Any], object]) -> list[tuple[str, str]]:
    """Field and rule of what is wrong in a toolkit with this change to one of its files."""
    content = json.loads((folder / file).read_text("utf-8"))
    change(content)
    (folder / file).write_text(json.dumps(content), "utf-8")
    forget()
    return [(problem.field, problem.message) for problem in load(Found((ToolkitFolder(folder),))).problems]


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"name": 7}, "name", "must be a valid string"),
        ({"toolkit": None}, "toolkit", "must be a valid string"),
        ({"colour": "red"}, "colour", "is not a field here"),
        ({"hosts": []}, "hosts", "an object"),
    ],
)
def test_a_service_from_a_file(folder: Path, change: dict[str, Any], field: str, rule: str) -> None:
    ((told, message), *_) = problems(folder, "service.json", lambda content: content.update(change))
    assert told == field
    assert rule.casefold() in message.casefold()


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"summary": 7}, "summary", "must be a valid string"),
        ({"method": "FETCH"}, "method", "must be 'get'"),
        ({"sumary": "x"}, "sumary", "is not a field here"),
    ],
)
def test_a_tool_from_a_file(folder: Path, change: dict[str, Any], field: str, rule: str) -> None:
    file = next(folder.glob("tools/*.json"), folder / "tools.json").relative_to(folder).as_posix()
    ((told, message), *_) = problems(folder, file, lambda content: content["groups"][0]["tools"][0].update(change))
    assert told == field
    assert rule.casefold() in message.casefold()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[look]\ntheme = 7\n", "config.toml:2: theme must be a theme name in quotes"),
        ('[look]\nmotion = "no"\n', "config.toml:2: motion must be true or false"),
        ('[keys]\n"tool.run" = 7\n', "config.toml:2: "),
        ("[colours]\n", "config.toml:1: unknown section [colours]"),
    ],
)
def test_settings(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "config.toml").write_text(text, "utf-8")
    (problem,) = read_settings(tmp_path / "config.toml").problems
    assert words in problem


@pytest.mark.parametrize(
    ("properties", "field"),
    [({"service": 7}, "service"), ({"secret": "env:A"}, "service"), ({"colour": "red"}, "colour"), ({"x": 1}, "x")],
)
def test_an_account_from_the_settings(properties: dict[str, Any], field: str) -> None:
    with pytest.raises(AccountError, match=field):
        account_of("EU", properties if "secret" in properties else {"service": "payments", "secret": "env:A"} | properties)


@pytest.mark.parametrize(("change", "words"), [({"name": 7}, "name"), ({"steps": {}}, "steps"), ({"colour": 1}, "colour")])
def test_a_saved_call_from_a_file(change: dict[str, Any], words: str) -> None:
    with pytest.raises(SavedCallError, match=words):
        read_file(json.dumps(SAVED | change).encode(), CATALOG)
