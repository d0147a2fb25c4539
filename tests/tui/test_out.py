"""Saving, copying, printing, paging and opening from the explorer."""

import asyncio
import csv
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from registry.accounts.links import has_browser
from registry.accounts.secrets import MASK
from registry.calling.result import Result
from registry.doors.cli_parser import parser
from registry.results.columns import Column
from tests.terminal import Terminal
from tests.tui.app import Desk, desk
from tui.dialogs.export import ExportDialog
from tui.dialogs.questions import OpenLink, ShowAs
from tui.explorer.export_actions import columns_with_currencies, offers_of
from tui.keyboard.key_bar import KeyBar
from tui.widgets.texts import Line


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Files go to the downloads, and not to where the shell stands.
    monkeypatch.chdir(tmp_path)
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(downloads))
    return downloads


def said(one: Desk) -> str:
    return str(one.screen.query_one(KeyBar).render())


def told(one: Desk) -> str:
    return "\n".join(str(static.render()) for static in one.app.screen.query(Static))


async def opened(one: Desk, command: str, dialog: type[Any]) -> None:
    await one.do(command)
    await one.until(lambda: isinstance(one.app.screen, dialog), f"{command}: {said(one)}")
    await one.pilot.pause()


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def closed(one: Desk) -> None:
    await one.until(lambda: one.app.screen is one.screen, told(one))
    await one.pilot.pause()


async def answered(one: Desk, body: bytes, tool: str = "ListTeams") -> None:
    """Show a result on screen."""
    await one.open(tool)
    result = Result(tool, "sandbox", 200, body=body, at=0.0)
    one.app.session.call = lambda *_: asyncio.sleep(0, result)  # type: ignore[method-assign]
    await one.run()


async def test_mistakes_are_told_in_the_dialog_a_file_stays_and_the_call_is_shown(here: Path) -> None:
    async with desk((80, 24)) as one:
        await one.open("ListTeams")
        await one.run()
        await opened(one, "export", ExportDialog)
        (here / "mine").write_text("mine")
        line = one.app.screen.query_one("#path", Line)
        line.value = "nowhere/x"
        await one.press("enter")
        await one.until(lambda: "No such folder" in told(one))
        assert one.app.focused is line
        line.value = "mine"
        await one.press("enter")
        await one.answer(yes=False)
        await one.until(lambda: "already exists" in told(one))
        assert (here / "mine").read_text() == "mine"
        await one.press("enter")
        await one.answer(yes=True)
        await closed(one)
        assert json.loads((here / "mine").read_bytes())["teams"]

        await one.open("GetIncident")
        await opened_nothing(one, "show_as", "Complete the form first: incident_id is required")
        await one.press("f3")
        await one.type("it's")
        await one.run()
        await opened(one, "show_as", ShowAs)
        assert "curl http://127.0.0.1:8210/incidents/incidents/it%27s" in told(one)
        await one.press("right", "right")
        await one.until(lambda: "callboard call GetIncident" in told(one))
        await one.press("enter")
        await closed(one)
        known, rest = parser().parse_known_args(shlex.split(one.app.clipboard)[1:])
        assert (known.tool, known.connection, rest) == ("GetIncident", ["sandbox"], ["--incident-id=it's"])
        assert "✓ Copied the call as callboard" in said(one)


async def test_what_is_saved_of_other_answers(here: Path) -> None:
    async with desk() as one:
        await answered(one, b"<html>\x1b[31m")
        await opened(one, "export", ExportDialog)
        assert len(offers_of(one.screen.result.result)) == 1  # type: ignore[arg-type]
        await one.press("enter")
        await one.until(lambda: "cannot be laid out" in told(one))
        assert "\x1b" not in told(one)
        await one.press("tab", "right", "enter")
        await closed(one)
        (file,) = files(here)
        assert file.read_bytes() == b"<html>\\u001b[31m"  # as it came, but for what a terminal would obey

        body = b'{"data": [{"client_secret": "pi_1_secret_2"}]}'
        await answered(one, body)
        await opened(one, "export", ExportDialog)
        one.app.screen.query_one("#path", Line).value = "masked"
        await one.press("enter")
        await closed(one)
        assert MASK in (here / "masked").read_text("utf-8")
        assert "1 value redacted" in said(one)
        await opened(one, "export", ExportDialog)
        one.app.screen.query_one("#path", Line).value = "open"
        one.app.screen.query_one("#secrets").focus()
        await one.press("right", "enter")
        await closed(one)
        assert "pi_1_secret_2" in (here / "open").read_text("utf-8")
        assert "redacted" not in said(one)
        for file in files(here):
            file.unlink()

        await answered(one, b'{"data":[{"id":"b","n":1},{"id":"c","n":2},{"id":"a","n":3}]}')
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table)
        table = one.screen.result.table
        table.go_to(0, ("id",))
        await one.press("s")
        await one.until(lambda: list(table.rows) == [2, 0, 1])
        await one.press("space")
        await opened(one, "export", ExportDialog)
        await one.press("right", "enter")
        await closed(one)
        (file,) = files(here)
        assert file.read_bytes() == b"n,id\r\n3,a\r\n1,b\r\n2,c\r\n"
        file.unlink()
        await opened(one, "export", ExportDialog)
        await one.press("enter")
        await closed(one)
        (file,) = files(here)
        assert file.read_bytes() == b"n,id\r\n3,a\r\n", "first what is marked"


async def opened_nothing(one: Desk, command: str, words: str) -> None:
    await one.press("f4")
    await one.do(command)
    await one.until(lambda: words in said(one), words)
    assert one.app.screen is one.screen


async def test_nothing_and_then_the_items_as_csv_by_keyboard(here: Path) -> None:
    async with desk() as one:
        await opened_nothing(one, "show_as", "Open a tool first")
        await one.open("ListTeams")
        for command in ("export", "pager", "link"):
            await opened_nothing(one, command, "No result yet")

        await one.open("ListTeams")
        await one.run()
        await opened(one, "export", ExportDialog)
        await one.press("right", "enter")
        await closed(one)
        (file,) = files(here)
        assert file.suffix == ".csv"
        with file.open(newline="") as lines:
            rows = list(csv.DictReader(lines))
        answer: Any = one.result.json
        assert [row["id"] for row in rows] == [team["id"] for team in answer["teams"]]


async def test_links_are_shown_before_they_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    went: list[str] = []

    def go(url: str) -> bool:
        went.append(url)
        return True

    monkeypatch.setattr("webbrowser.open", go)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("BROWSER", raising=False)
    links = [
        "https://fernway.pagerduty.com/incidents/P1?a=[/x]",
        "https://pagerduty.com.evil.test/",
        "http://fernway.pagerduty.com",
        "https://a.pagerduty.com/\x1b[31m",
    ]
    async with desk((80, 24)) as one:
        body = json.dumps({"a": links, "http_cal_url": "https://fernway.pagerduty.com/secret"}).encode()
        await answered(one, body)
        await one.press("down", "down")
        await opened(one, "link", OpenLink)
        assert went == []
        assert "fernway.pagerduty.com\n" in told(one)
        assert links[0] in told(one)
        await one.press("escape")
        await closed(one)
        assert went == []
        await opened(one, "link", OpenLink)
        await one.press("enter")
        await one.until(lambda: "✓ Opened fernway.pagerduty.com" in said(one))
        assert went == links[:1]
        for words in ("is not a host of this service", "No https link", "not safe to open", "is a secret"):
            await one.press("down")
            await opened_nothing(one, "link", words)
        monkeypatch.setattr("tui.explorer.export_actions.has_browser", lambda _: has_browser({}, "linux"))
        one.screen.result.view.go_to(2)
        await one.do("link")
        await one.until(lambda: "No browser found" in said(one))
        assert one.app.clipboard == links[0]
        assert went == links[:1]


def test_browsers() -> None:
    assert has_browser({"DISPLAY": ":0"}, "linux")
    assert has_browser({"BROWSER": "/usr/bin/firefox -P"}, "linux")
    assert has_browser({}, "darwin")
    assert not has_browser({"BROWSER": "/usr/bin/w3m"}, "linux")
    assert not has_browser({}, "linux")


def test_the_pager_has_the_terminal_until_it_ends(tmp_path: Path) -> None:
    script = tmp_path / "pager.py"
    script.write_text(
        "import json, sys\n"
        "text = sys.stdin.read()\n"
        f"open({str(tmp_path / 'came')!r}, 'w').write(text)\n"
        "print('THE PAGER HAS', len(json.loads(text)['teams']), flush=True)\n"
        "open('/dev/tty').readline()\n"
    )
    environment = {"PAGER": f"{sys.executable} {script} '; touch {tmp_path}/HARMED'"}
    with Terminal(environment=environment) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.type("listteams")
        terminal.press("enter")
        terminal.wait_for("Run    ready")  # the tool's words are on screen before, beside what was found
        terminal.press("f5")
        terminal.wait_for("row 1 of 7")  # the table, which comes after the words above it on a busy machine
        terminal.press("ctrl+p")
        terminal.type("$PAGER")
        terminal.wait_for("Open in $PAGER")
        terminal.press("enter")
        terminal.wait_for("THE PAGER HAS 7")
        # Ctrl+C is the pager's, and ends it; the program behind it goes on. A key right after it might reach either of them.
        terminal.press("ctrl+c")
        terminal.wait_for(lambda text: "THE PAGER HAS" not in text and "row 1 of 7" in text)
        terminal.press("f1")
        terminal.wait_for("sorted by this column")
    assert json.loads((tmp_path / "came").read_text())["teams"]
    assert not (tmp_path / "HARMED").exists()


async def test_one_page_of_more_is_not_saved_as_the_list(here: Path) -> None:
    async with desk((80, 24)) as one:
        await one.open("SearchPaymentsCustomers")
        one.screen.form.fill({"search_query_string": "created>0", "result_limit": "5"})
        await one.run()
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table)
        await opened(one, "export", ExportDialog)
        assert not one.app.screen.query_one("#layout").is_on_screen, "CSV has no layout to choose"
        await one.press("enter")
        await closed(one)
        (file,) = files(here)
        with file.open(newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        assert len(rows) > 50, "all pages, not the five on screen"
        assert f"{len(rows)} items" in said(one)
        assert columns_with_currencies([Column(("amount",), "money")]) == [("amount",), ("currency",)]
        file.unlink()
        await opened(one, "export", ExportDialog)
        await one.press("right", "enter")
        await closed(one)
        assert said(one).startswith(" ✓ Saved ")
        assert " items, this page only · " in said(one)
