"""Whatever is damaged on the way, no door says that all is clear unless it is: the table, at each door."""

import json
import time

import httpx
import pytest

from registry.doors.cli_oncall import oncall_application
from registry.doors.oncall_print import account_of, board_lines, watch
from registry.engine import Engine, open_engine
from registry.oncall.account import Account, views_of
from tests.oncall.damages import Damage, Damaged, damages
from tests.opened import opened
from tests.sampled import further
from tests.tui.app import Desk
from tui.app import CallboardApp
from tui.oncall.screen import OncallScreen
from tui.session import Session
from tui.widgets.texts import Words

TOKEN = "a-token-of-a-test-0123"


async def no_wait(_: float) -> None:
    return None


def engine_of(served: Damaged) -> Engine:
    return opened(sandbox=lambda: served.application, sleep=no_wait)


def wrong(row: Damage, code: int, verdict: str, reasons: str, rows: int) -> list[str]:
    """What a door says that it may not say."""
    found = [f"exit code {code}, not {row.code}"] if code != row.code else []
    found += [f"says {verdict!r}, not {row.verdict!r}"] if not verdict.startswith(row.verdict) else []
    found += [f"does not say {row.reason!r}: {reasons}"] if row.reason not in f"{verdict} {reasons}" else []
    found += [f"{rows} rows"] if row.rows not in (None, rows) else []
    return [f"{row.name}: {words}" for words in found]


@pytest.mark.parametrize("kind", ["O1", "O2", "O3", "O4", "O5", "O6", ""])
async def test_read_once_and_shown_everywhere(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As text, line by line, as a page, as JSON over HTTP, and as metrics: all say the same."""
    found: list[str] = []
    accounts: list[Account] = []
    headers = {"Authorization": f"Bearer {TOKEN}"}
    transport = httpx.ASGITransport(oncall_application(lambda: views_of(accounts), TOKEN, ["127.0.0.1"], 8310))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8310", headers=headers) as client:
        for row in damages(time.time()):
            if not row.name.startswith(kind or row.name) or (row.name[:1] == "O") is not bool(kind):
                continue
            async with engine_of(Damaged(row)) as engine:
                accounts[:] = [account_of(engine, "sandbox", 15)]
                await accounts[0].refresh()
            view = accounts[0].view()
            reasons = "; ".join(
                (*view.evidence.causes, *view.evidence.contradictions, *(one.next.kind for one in view.board.rows))
            )
            found += wrong(row, view.code, board_lines(view.board, 15)[0], reasons, len(view.board.rows))
            code = await watch(accounts[0], no_wait, as_json=True, rounds=1)
            marks = [json.loads(line)["mark"] for line in capsys.readouterr().out.splitlines()]
            found += wrong(row._replace(verdict="", reason=""), code, "", "", marks.count("OPEN"))
            found += [f"{row.name}: --watch is sure"] if code == 1 and "FAILED" not in marks else []
            values, page, metrics = [await client.get(path) for path in ("/board.json", "/", "/metrics")]
            found += wrong(row._replace(reason="", rows=None), values.json()["exit_code"], values.json()["verdict"], "", 0)
            said = values.json()["accounts"]["sandbox"]["board"]["verdict"]
            if (said["state"] == "clear") is not row.verdict.startswith("✓") or (said["trusted"] and row.code == 1):
                found.append(f"{row.name}: {said}")
            title = page.text.partition("<h1>")[2].partition("</h1>")[0]
            found += [f"{row.name}: page: {title}"] if ("All clear" in title) is not row.verdict.startswith("✓") else []
            found += [] if f'exit_code{{account="sandbox"}} {row.code}\n' in metrics.text else [f"{row.name}: metrics"]
    assert not found


@pytest.mark.parametrize("step", [6, *further(1)])
async def test_on_screen(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Every damage in one start: each time with an account that knows nothing from before."""
    monkeypatch.setattr("tui.session.open_engine", lambda settings: open_engine(settings, sleep=no_wait))
    rows, found = damages(time.time())[::step], list[str]()
    served = Damaged(rows[0])
    app = CallboardApp(Session({}, sandbox=lambda: served.application), oncall=True)
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await desk.until(lambda: isinstance(app.screen, OncallScreen), "the dashboard")
        screen = app.screen
        assert isinstance(screen, OncallScreen)
        for row in rows:
            served.damage, before = row, screen.live
            screen.begin()
            await desk.until(lambda: screen.live is not before and screen.live.refresher.ended, "the account")  # noqa: B023
            await desk.until(
                lambda: screen.live.board.facts is screen.live.facts and screen.watching is screen.live, "the board"
            )
            screen.show()
            line = screen.query_one("#verdict", Words)
            begins = row.verdict[:18]
            if not str(line.render()).startswith(begins) or line.has_class("-clear") is not row.verdict.startswith("✓"):
                found.append(f"{row.name}: {line.render()}, not {begins!r}")
    assert not found
