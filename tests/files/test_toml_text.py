"""TOML is read in one place: whatever is wrong with it is one error, and every reader of settings says it as a sentence."""

from pathlib import Path

import pytest

from registry.doors.cli import Screens, main
from registry.files.toml_text import NotToml, parsed
from tests.command_line import runner
from tui import entry
from tui.state.line_mode import wants_lines
from tui.state.settings import read

DIGITS = "look = " + "9" * 5_000
DEEP = "look = " + "[" * 5_000


@pytest.mark.parametrize(
    ("text", "words"),
    [(DIGITS, "too many digits"), (DEEP, "nested too deeply"), ("a = 1\nb =", "Invalid value"), ("a = 1\na = 2", "overwrite")],
    ids=range(4),
)
def test_whatever_is_wrong_is_one_error(text: str, words: str) -> None:
    with pytest.raises(NotToml, match=words):
        parsed(text)
    assert parsed("\ufeffa = 1") == {"a": 1}, "the mark that some editors begin files with"


@pytest.mark.parametrize("text", [DIGITS, DEEP])
def test_every_reader_of_settings_goes_on(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[accounts.x]\nscreen_reader = 1\n{text}\n")
    monkeypatch.setenv("CALLBOARD_CONFIG", str(file))
    for name in ("STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    (problem,) = read(file).problems
    assert problem.startswith(f"{file}: ")
    assert not wants_lines({"CALLBOARD_CONFIG": str(file)})
    assert main(["account", "list"]) == 2
    assert str(file) in capsys.readouterr().err
    for command in (["account", "rename", "x", "y"], ["call", "Whoami", "--account", "x", "--dry-run"]):
        assert runner(capsys)(*command).code == 2
    walk = tmp_path / "w.toml"
    walk.write_text(text)
    assert main(["demo", str(walk)], Screens(demo=entry.demo)) == 2
    assert "w: not valid TOML: " in capsys.readouterr().err
