"""Arguments that are needed again, in a real terminal: saved, cleared, loaded, edited outside, or left by a killed program."""

import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.command_line import finished
from tests.sampled import further
from tests.terminal import ROOT, Terminal


@pytest.mark.parametrize("size", [*further((80, 24)), (120, 40)], ids=str)
def test_save_clear_load_run(size: tuple[int, int], tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/: 3/: 4/" "$1"\nprintf "%s" "$1" > "$0.was"\n')
    editor.chmod(0o700)
    home = {"HOME": str(tmp_path), "EDITOR": str(editor)}
    with Terminal(columns=size[0], lines=size[1], environment=home, folder=tmp_path) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.type("listincidents")
        terminal.press("enter")
        terminal.wait_for("ready")
        terminal.press("ctrl+t")
        terminal.wait_for("not set: status")
        terminal.type('"limit": 3, "urgency": "high"')
        terminal.wait_for(lambda text: "urgencies" in text and "limit=3" in text.replace("\n", "").replace("│", ""))
        terminal.press("ctrl+s")
        terminal.wait_for("Saved calls")
        terminal.type("urgent ones")
        terminal.press("enter")
        terminal.wait_for("✓ Saved “urgent ones”")

        terminal.press("ctrl+l")
        terminal.wait_for(lambda text: "urgencies" not in text)
        terminal.press("ctrl+t")
        terminal.wait_for("triggered")
        terminal.press("ctrl+s")
        terminal.wait_for("urgent ones")
        terminal.press("down")
        terminal.wait_for("limit 3")
        terminal.press("enter")
        terminal.wait_for("3 incidents of the last month, more follow · urgencies high")

        terminal.press("f3", "ctrl+t")
        terminal.wait_for('"limit": 3')
        terminal.press("ctrl+o")
        terminal.wait_for('"limit": 4')
        assert not Path((tmp_path / "editor.was").read_text()).parent.exists(), "what was edited is gone with its folder"
        terminal.press("f5")
        screen = terminal.wait_for("4 incidents of the last month, more follow · urgencies high")
        assert "Incidents · list" in screen
        assert "first 4" in screen

    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", **home}
    words = ("call", "ListIncidents", "--saved", "urgent ones", "--dry-run")
    outcome = finished(*words, environment=environment, cwd=tmp_path)
    assert outcome.out.splitlines()[0].endswith("/incidents/incidents?urgencies%5B%5D=high&limit=3")


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))], ids=str)
def test_type_be_killed_recover_run(size: tuple[int, int], tmp_path: Path) -> None:
    environment = {"XDG_STATE_HOME": str(tmp_path)}
    folder = tmp_path / "callboard" / "drafts"
    with Terminal(columns=size[0], lines=size[1], environment=environment) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.type("retrieve customer details")
        terminal.press("enter")
        terminal.wait_for("customer_id")
        terminal.type("cus_4R5QLgZDZXPlou")
        end = time.monotonic() + 30
        while not any("cus_4R5QLgZDZXPlou" in form for form in _drafts(folder / "drafts.db")):
            assert time.monotonic() < end, "the draft was not written"
            terminal.read(0.05)
        assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    # The terminal kills the program as nothing else can be killed: by SIGKILL.

    with Terminal(columns=size[0], lines=size[1], environment=environment) as terminal:
        terminal.wait_for("Draft: ")
        terminal.press(*["down"] * 9)  # what needs somebody, and four questions
        terminal.wait_for("›Go on")
        terminal.press("enter")
        terminal.wait_for(lambda text: "ready" in text and "cus_4R5QLgZDZXPlou" in text)
        terminal.press("f5")
        terminal.wait_for('object: "customer"')
        terminal.press("ctrl+q")
        terminal.wait_for_end()
    assert _drafts(folder / "drafts.db") == [], "what was run is no draft"


def _drafts(file: Path) -> list[str]:
    """The forms that are committed: bytes are in the file before that, and a program that is killed then leaves none."""
    if not file.exists():
        return []
    with closing(sqlite3.connect(file)) as database, suppress(sqlite3.OperationalError):  # it has no table yet
        return [form.decode() for (form,) in database.execute("SELECT form FROM drafts")]
    return []
