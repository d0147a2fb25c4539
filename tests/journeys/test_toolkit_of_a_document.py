"""A toolkit made of a document, in a real terminal: added, called, followed, deleted from with consent, removed."""

import json
import sys
from pathlib import Path

import pytest

from registry.catalog.folders import forget, kept_toolkits
from registry.doors.cli import main
from tests.terminal import Terminal
from tests.tickets.service import TOKEN, USER, tracker

DOCUMENT = Path(__file__).parent.parent / "openapi" / "tracker.yaml"
NEWEST = 23


@pytest.mark.long
@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (120, 40)])
def test_from_adding_it_to_removing_it(
    columns: int, lines: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    forget()
    with tracker() as served:
        environment = {"XDG_DATA_HOME": str(tmp_path), "ISSUE_TRACKER_BASE_URL": served.base}
        environment |= {"ISSUE_TRACKER_USER": USER, "ISSUE_TRACKER_PASSWORD": TOKEN}
        with Terminal((sys.executable, "-m", "tui"), columns=columns, lines=lines, environment=environment) as terminal:
            terminal.wait_for("» Ask")
            terminal.paste(str(DOCUMENT))
            terminal.wait_for("Add as a toolkit")
            terminal.press("enter")
            terminal.wait_for("Enter adds it.")
            assert "5 tools (3 read, 1 change, 1 delete)" in terminal.text
            terminal.press("enter")
            terminal.wait_for("Added Issue Tracker API: 5 tools.")
            terminal.wait_for("□ Issue Tracker API")

            terminal.press_at_once("ctrl+f")
            terminal.type("issue tracker list issues")
            terminal.wait_for("› □   Issues · list")
            terminal.press("enter")
            terminal.wait_for("not set")
            terminal.press("f5")
            terminal.wait_for("row 1 of")
            assert f"Login fails {NEWEST}" in terminal.text
            assert "assignee" in terminal.text  # a list such as blocked_by takes no column of its own accord

            terminal.press("enter")
            terminal.wait_for(f"Issue Login fails {NEWEST}")  # its page

            terminal.press_at_once("ctrl+f")
            terminal.wait_for("» ")
            terminal.press_at_once("ctrl+u")
            terminal.type("DeleteIssue")
            terminal.wait_for("› □ ×")
            terminal.press("enter")
            terminal.wait_for("required: issue_id")
            terminal.type(str(NEWEST))
            terminal.press("f5")
            terminal.wait_for("read-only until you allow changes")
            assert NEWEST in served.issues
            terminal.press("f12")
            terminal.wait_for("Allow for 15 minutes")
            terminal.press("right")
            terminal.press_deliberately("enter")
            terminal.wait_for(lambda text: "+14:" in text or "+ changes 14:" in text)
            terminal.press("f5")
            terminal.wait_for(f"Type {NEWEST} to confirm.")
            terminal.press("tab")
            for figure in str(NEWEST):
                terminal.press_deliberately(figure)
            terminal.wait_for("Ready to delete.")
            assert NEWEST in served.issues
            terminal.press("tab", "tab")
            terminal.press_deliberately("enter")
            terminal.wait_for("Done.")
            assert NEWEST not in served.issues
            assert TOKEN.encode() not in terminal.written
    forget()
    assert main(["toolkit", "list", "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == ["issue-tracker"]
    assert main(["toolkit", "remove", "issue-tracker"]) == 0
    assert list(kept_toolkits().glob("*/")) == []
    forget()
