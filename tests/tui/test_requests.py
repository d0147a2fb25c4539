"""The debug view: the last requests, found, read whole and copied, while new ones arrive."""

import pytest
from textual.widgets import Static

from registry.calling.tracing import Trace
from tests.hostile import CONTROLS, MARKUP
from tests.sampled import further
from tests.tui.app import Desk, desk
from tui.dialogs.dialog import RowsBelow
from tui.requests.screen import RequestDetails, RequestsDialog, about, details, fits, listed, outcome, row


def trace(**given: object) -> Trace:
    """A request that succeeded in 0.3 s at the second attempt."""
    one = Trace(2, 1, 1_795_000_000.0, "GetTaxSettings", "payments", "GET", "https://a.example/v1/tax?x=1", 1, 2)
    one.status, one.elapsed, one.connecting, one.waiting, one.receiving, one.size = 200, 0.3, 0.0, 0.29, 0.01, 2_048
    for name, value in given.items():
        setattr(one, name, value)
    return one


def test_in_words() -> None:
    first = trace(number=1, attempt=1, status=429, pause=2.0, reason="Too many requests", headers=(("retry-after", "2"),))
    assert outcome(first) == "✗ 429"
    assert outcome(trace(status=None, fault="broken")) == "✗ no response"
    assert outcome(trace(status=None, elapsed=None)) == "◌ waiting"
    assert "retried after 2.00 s: Too many requests · retry after 2 s" in about(first)
    assert "connect 0 ms · wait 290 ms · body 10 ms · 2.0 kB · payments" in about(trace())
    whole = details(trace(), [first, trace()])
    assert "attempt 2 of 2" in whole
    assert "reused connection" in whole
    assert "retried after 2.00 s: Too many requests" in whole
    assert listed([trace(), first]).splitlines()[0].split("\t")[1] == "✗ 429"
    assert [fits(one, ["retry", "tax"]) for one in (first, trace(), trace(attempt=1))] == [True, True, False]
    assert [fits(one, ["failed"]) for one in (first, trace())] == [True, False]
    for width in (72, 152):
        assert len(row(first, width).plain) <= width


def test_hostile_text_stays_text() -> None:
    for text in MARKUP + CONTROLS:
        harmful = trace(fault=text, headers=((text, text), ("request-id", text)), body=text, reason=text, pause=1.0, url=text)
        for shown in (row(harmful, 100).plain, about(harmful), details(harmful, [harmful, harmful]), listed([harmful])):
            assert "\x1b" not in shown
            assert "\x9b" not in shown


async def requests(one: Desk) -> RequestsDialog:
    await one.press("f9")
    await one.until(lambda: isinstance(one.app.screen, RequestsDialog), "the requests")
    dialog = one.app.screen
    assert isinstance(dialog, RequestsDialog)
    await one.pilot.pause()
    return dialog


def rows(dialog: RequestsDialog) -> list[str]:
    entries = dialog.query_one(RowsBelow)
    return [str(entries.get_option_at_index(place).prompt) for place in range(entries.option_count)]


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))])
async def test_look_find_read_and_copy(size: tuple[int, int]) -> None:
    async with desk(size) as one:
        dialog = await requests(one)
        assert "Run a tool" in str(dialog.query_one("#said", Static).render())
        await one.press("escape")
        for name, values in (("GetTeam", {"team_id": "nobody"}), ("Whoami", {})):
            await one.open(name)
            one.screen.form.fill(values)
            await one.run()
        dialog = await requests(one)
        assert "Whoami" in rows(dialog)[0]
        assert "✓ 200" in rows(dialog)[0]
        assert any("✗ 404" in line for line in rows(dialog))
        assert "left, new in" in str(dialog.query_one("#said", Static).render())
        await one.type("failed")
        await one.until(lambda: all("✗" in line for line in rows(dialog)))
        await one.press("down", "enter")
        await one.until(lambda: isinstance(one.app.screen, RequestDetails), "the details")
        await one.pilot.pause()
        text = str(one.app.screen.query_one("#text", Static).render())
        assert "authorization: ••••••••" in text
        assert "content-type: application/json" in text
        await one.press("y")
        await one.until(lambda: "Copied the request" in str(one.app.screen.query_one(".keys-here", Static).render()))
        await one.press("escape", "Y")
        await one.until(lambda: "Copied 1 request" in str(dialog.query_one("#said", Static).render()))
        traces = one.app.session.engine.traces
        traces.asked.append(trace(tool="Later", status=404))
        traces.revision += 1
        await one.until(lambda: any("Later" in line for line in rows(dialog)), "what comes while one looks")
