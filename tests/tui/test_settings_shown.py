"""``callboard config``: what counts now and where it comes from, mistakes with their lines, and a schema that holds."""

import json
import tomllib
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

from registry.doors.cli import main
from tests.terminal import ROOT
from tui.entry import config

FILE = """
[keys]
run = "ctrl+e"
rum = "x"

[look]
theme = "callboard-light"
ascii = 3

[accounts."Fernway EU"]
service = "payments"
secret = "kering:x"

[other]
"""


def _run(*words: str) -> int:
    return main(["config", *words], {"config": config})


def test_what_counts_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(FILE)
    monkeypatch.setenv("CALLBOARD_CONFIG", str(file))
    monkeypatch.setenv("CALLBOARD_SHARED", "/mnt/a, /mnt/b")
    monkeypatch.setenv("CALLBOARD_READ_ONLY", "1")
    assert _run("show", "--json") == 0
    told = {one["name"]: (one["value"], one["source"]) for one in json.loads(capsys.readouterr().out)}
    not_used = "not used: callboard config check says why"
    assert told == {
        "keys.run": ("ctrl+e", "line 3"),
        "keys.rum": ("x", f"line 4, {not_used}"),
        "look.theme": ("callboard-light", "line 7"),
        "look.ascii": (3, f"line 8, {not_used}"),
        "look.motion": (True, "default"),
        "look.screen_reader": (False, "default"),
        "audit.file": ("", "default"),
        "team.shared": (["/mnt/a", "/mnt/b"], "CALLBOARD_SHARED"),
        "accounts.Fernway EU.service": ("payments", "line 11"),
        "accounts.Fernway EU.secret": ("kering:x", "line 12"),
        "read_only": ("1", "CALLBOARD_READ_ONLY"),
    }
    assert _run("check") == 1
    lines = [line.removeprefix(f"{file}:").partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert sorted(lines, key=int) == ["4", "8", "10", "14"]
    file.unlink()
    assert _run("check") == 0
    assert _run("path") == 0
    assert capsys.readouterr().out == f"No mistakes found.\n{file}\n"


def test_the_schema_takes_the_documents_example_and_refuses_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("schema") == 0
    holds = jsonschema.Draft202012Validator(json.loads(capsys.readouterr().out))
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    example = tomllib.loads(page.partition("```toml\n")[2].partition("```")[0])
    assert set(example) == {"keys", "look", "audit", "team", "accounts"}
    assert holds.is_valid(example)
    assert len(list(holds.iter_errors(tomllib.loads(FILE)))) == 4
