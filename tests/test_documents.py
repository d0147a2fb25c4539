"""What the documents name is there: links, files, modules, make targets, commands and variables; `docs/keys.md` is current."""

import argparse
import importlib.util
import re
import shlex
from pathlib import Path
from typing import Any

import msgspec
import pytest

from registry.doors.cli_parser import COMMANDS as COMMANDS_OF_SHELL
from registry.doors.cli_parser import TAKE_PARAMETERS, parser
from tests.terminal import ROOT
from tests.tools.key_table import FILE, IN_BROWSER, browser_table, key_tables
from tests.tools.manual_page import FILE as MANUAL
from tests.tools.manual_page import manual_page
from tests.tools.sections import section
from tui.keyboard.commands import COMMANDS, Command

DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
ADDED_BY_THE_EXAMPLE = "toolkits"
"""The command that the page on doors adds."""


def codes(document: Path) -> list[str]:
    """What a document writes as code in its sentences and tables."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", document.read_text("utf-8"), flags=re.DOTALL))


def test_links_and_pictures_are_there() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text("utf-8")):
            file = (document.parent / target).resolve()
            assert file.exists(), (document.name, target)


def test_every_page_is_linked() -> None:
    linked = {
        (document.parent / target).resolve()
        for document in DOCUMENTS
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text("utf-8"))
    }
    assert {document for document in DOCUMENTS if document.name != "README.md"} <= linked


def test_files_and_modules_are_there() -> None:
    for document in DOCUMENTS:
        for code in codes(document):
            if re.fullmatch(r"\.?(registry|tui|tests|docs|screenshots|requirements)(/[\w.*-]+)+/?", code):
                assert list(ROOT.glob(code)), (document.name, code)
            if found := re.fullmatch(r"python -m ([\w.]+)", code):
                assert importlib.util.find_spec(found[1]), (document.name, code)


def test_targets_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for document in DOCUMENTS:
        blocks = re.findall(r"^make (.+)$", document.read_text("utf-8"), re.MULTILINE)
        inline = (code.partition("make ")[2] for code in codes(document) if re.match(r"([A-Z]+=\S+ )?make ", code))
        for line in (*blocks, *inline):
            for target in line.split():
                assert "=" in target or re.search(rf"^{target}:", makefile, re.MULTILINE), line


def commands(document: Path) -> list[str]:
    """The commands of this program in a document, in its order: in its sentences and tables, and in blocks of shell code."""
    found = re.findall(r"```(.*?)```|`([^`\n]+)`", document.read_text("utf-8"), re.DOTALL)
    codes = [line for block, code in found for line in (block[3:].splitlines() if block.startswith("sh\n") else [code])]
    return [code for code in codes if code.startswith("callboard ")]


def test_commands_are_understood() -> None:
    """What serves or opens a screen is not run here, but every word of it is one that the program knows."""
    for document in DOCUMENTS:
        for code in commands(document):
            words = shlex.split(code, comments=True)
            if "--help" in words:
                with pytest.raises(SystemExit, match="0"):
                    parser().parse_args(words[1:])
            elif len(words) == 2:
                assert words[1] in (*COMMANDS_OF_SHELL, "--version", "--screen-reader", ADDED_BY_THE_EXAMPLE), code
            elif words:
                options, rest = parser().parse_known_args(words[1:])
                assert options.command == words[1], (document.name, code)
                assert not rest or words[1] in TAKE_PARAMETERS, code


def test_variables_are_read() -> None:
    product = "".join(
        file.read_text("utf-8")
        for package in ("registry", "tui")
        for file in (ROOT / package).rglob("*")
        if file.suffix in (".py", ".json")
    )
    for document in DOCUMENTS:
        for code in codes(document):
            for name in re.findall(r"^((?:CALLBOARD|PAYMENTS|INCIDENTS|CRM)_[A-Z_]+)", code):
                assert f'"{name}"' in product, (document.name, name)


def test_every_room_is_explained() -> None:
    explained = codes(ROOT / "docs" / "architecture.md")
    rooms = {
        file.parent.relative_to(ROOT).as_posix()
        for package in ("registry", "tui")
        for file in ROOT.glob(f"{package}/*/__init__.py")
    }
    assert sorted(rooms - set(explained)) == [], "give it a row in a table of docs/architecture.md"


def test_the_example_of_a_door_works(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "add-a-door.md").read_text("utf-8")
    names: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], names)
    assert names["run"](argparse.Namespace()) == 0
    assert re.search(r"^ *\d+  Payments$", capsys.readouterr().out, re.MULTILINE)


def test_the_example_of_a_key_is_a_row() -> None:
    page = (ROOT / "docs" / "add-a-key.md").read_text("utf-8")
    command = msgspec.json.decode(re.findall(r"```json\n(.*?)```", page, re.DOTALL)[0], type=Command)
    taken = {key for one in COMMANDS if one.scope in ("everywhere", "result", "lists") for key in one.usual}
    assert command.id not in {one.id for one in COMMANDS}
    assert command.keys not in taken


def test_the_keys_are_those_of_the_program() -> None:
    assert section(FILE.read_text("utf-8"), "keys") == key_tables(), "make docs writes them"
    assert section(IN_BROWSER.read_text("utf-8"), "browser keys") == browser_table(), "make docs writes them"


def test_the_manual_page_is_that_of_the_commands() -> None:
    assert MANUAL.read_text("utf-8") == manual_page(), "make docs writes it"
