"""Differences when the screens are shown in a browser: keys, files, programs of the server's machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from registry.accounts.links import has_browser
from registry.calling.bodies import FilePath
from registry.calling.failures import CallFailed
from registry.catalog.loader import load
from registry.files.folders import VARIABLE, out_of_reach
from registry.results.formats import NotExported, target_of
from registry.saved.saved_call import SavedCallError
from registry.saved.store import SavedStore
from tui.keyboard.commands import BROWSER_KEYS, COMMANDS, EVERY, KEPT, NOT_SERVED, clashes
from tui.state.settings import current, downloads_folder, read
from tui.terminal.external_programs import NotOpened, editor, has_desktop, pager, short_path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a tab."""
    made = tmp_path / "files"
    made.mkdir()
    monkeypatch.setenv(VARIABLE, str(made))
    return made


def test_every_key_that_browsers_keep_has_another() -> None:
    kept = {*KEPT, "ctrl+w", "ctrl+t", "ctrl+n", "ctrl+q", "alt+left", "alt+right"}
    for command in COMMANDS:
        keys = BROWSER_KEYS.get(command.id) or tuple(command.keys.split(","))
        assert keys[0] not in kept, command.id
        assert not set(keys) & set(KEPT), command.id
    assert BROWSER_KEYS.keys() <= {command.id for command in COMMANDS}
    assert list(clashes(BROWSER_KEYS)) == []


def test_a_browsers_keys_are_shown_and_ones_own_count_more(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = folder.parent / "config.toml"
    monkeypatch.setenv("CALLBOARD_CONFIG", str(config))
    assert current().key("run") == "Alt+R"
    config.write_text('[keys]\nrun = "ctrl+e"\nraw = "alt+n"\n')
    mine = current()
    assert (mine.key("run"), mine.key("raw"), mine.key("oncall")) == ("^E", "Alt+J", "Alt+O")
    assert "alt+n is already used by empty; raw keeps its default, alt+j,ctrl+t" in mine.problems[0]
    assert read(config).key("oncall") == "F11", "in a terminal everything is as usual"
    config.write_text("[keys")
    assert current().key("run") == "Alt+R"


def test_no_file_of_the_serving_machine_is_read_or_written(folder: Path) -> None:
    secret = folder.parent / "secret.json"
    secret.write_text("{}")
    (folder / "link.json").symlink_to(secret)
    for path in (str(secret), "../secret.json", "~/secret.json", "link.json"):
        with pytest.raises(NotExported, match="downloads"):
            target_of(path, folder, replace=True)
    assert target_of("mine.json", folder) == folder / "mine.json"
    with pytest.raises(SavedCallError, match="in a browser"):
        SavedStore(folder, load()).read(str(secret))
    with pytest.raises(CallFailed) as error:
        FilePath(str(secret)).read()
    assert "in a browser" in error.value.failure.cause
    assert out_of_reach(folder / "link.json")
    assert (downloads_folder(), short_path(folder / "mine.json")) == (folder, "mine.json")


def test_no_program_of_the_serving_machine_is_started(folder: Path) -> None:
    for program in (editor, pager):
        with pytest.raises(NotOpened, match="In a browser"):
            program({"EDITOR": "vi", "PAGER": "less", "PATH": "/bin"})
    assert not has_browser({"BROWSER": "firefox", "DISPLAY": ":0"}, "darwin")
    assert not has_desktop({"DISPLAY": ":0"}, "darwin")


@pytest.mark.parametrize("carried_out", [(), pytest.param(("--all",), marks=pytest.mark.long)])
def test_b1_a_tab_offers_nothing_that_reads_the_serving_machine_or_its_network(
    folder: Path, carried_out: tuple[str, ...]
) -> None:
    assert {one for one in NOT_SERVED if "." not in one} <= {command.id for command in EVERY}
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "TMPDIR": str(folder.parent), VARIABLE: str(folder)}
    program = [sys.executable, "-m", "tests.tui.served_tab", *carried_out]
    run = subprocess.run(program, env=environment, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {
        **{key: [] for key in ("opened", "started", "connected", "palette", "sheet", "bound")},
        "pasted": "",
        "dialogs": {"connections": "Enter Use   t Test   Esc Close", "saved": "Enter Save   ↓ Saved calls   Esc Close"},
    }
