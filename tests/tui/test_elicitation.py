"""Questions and messages of an MCP server during a call in the explorer: the dialog, the waiting line, cancelling."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

from textual.widgets import Static

from tests.mcp_client.desk import Desk as Server
from tests.mcp_client.desk import kept
from tests.sampled import further
from tests.tui.app import Desk, desk
from tui.explorer.elicitation import ElicitationDialog
from tui.explorer.top_bar import PaneHead


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        yield from kept(patch, tmp_path_factory.mktemp("mcp"), reads=("ask", "ask-address", "slow"))


def words(one: Desk) -> str:
    """The texts of the dialog and of the result's status line."""
    screen = one.app.screen
    heads = [head.render() for head in screen.query(PaneHead)]
    return "\n".join(map(str, [*heads, *(static.render() for static in screen.query(Static) if static.display)]))


async def asked(one: Desk) -> ElicitationDialog:
    """Run the open tool and wait for the dialog."""
    await one.press("f5")
    await one.until(lambda: isinstance(one.app.screen, ElicitationDialog), "the dialog")
    await one.pilot.pause()
    dialog = one.app.screen
    assert isinstance(dialog, ElicitationDialog)
    return dialog


async def result_of(one: Desk, before: Any) -> Any:
    pane = one.screen.result
    await one.until(lambda: pane.result is not before and pane.laid_out, "the result")
    assert pane.result is not None
    return pane.result.json


@pytest.mark.parametrize("size", [(120, 40), *further((80, 24))])
async def test_a_question_opens_a_form_that_is_sent_declined_or_left(server: Server, size: tuple[int, int]) -> None:
    async with desk(size) as one:
        pane = one.screen.result
        await one.open("Ask")
        dialog = await asked(one)
        told = words(one)
        assert "Help desk asks" in told
        assert "Who [b]asks[/b]?" in told, "a server's words are never markup"
        assert "required: name" in told
        for button in dialog.query("Button"):
            assert button.region.bottom <= size[1] - 1, "the buttons are in sight"
        await one.press("ctrl+s")
        assert one.app.screen is dialog
        assert "✗ is required" in words(one)
        await one.type("Ada")
        await one.press("ctrl+s")
        answered = await result_of(one, None)
        assert answered == {"answered": {"action": "accept", "content": {"name": "Ada", "priority": "low"}}}

        before = pane.result
        await asked(one)
        await one.press("escape")
        assert await result_of(one, before) == {"answered": {"action": "cancel"}}

        before = pane.result
        await asked(one)
        await one.pilot.click("#decline")
        assert await result_of(one, before) == {"answered": {"action": "decline"}}


async def test_a_call_that_is_stopped_closes_its_question_and_progress_is_told(server: Server) -> None:
    async with desk((120, 40)) as one:
        await one.open("AskAddress")
        await asked(one)
        assert "https://desk.example/sign-in" in words(one)
        running = one.screen.running_calls.of(one.screen.tool)
        assert running is not None
        running.stop()
        await one.until(lambda: one.app.screen is one.screen, "the dialog closes")

        await one.open("Slow")
        await one.press("f5")
        await one.until(lambda: "3 of 10 · digging\\u001b[31m · " in words(one), "progress")
        await one.press("escape")
        await one.until(lambda: "Cancelled after" in words(one), "the call ends")
        await one.until(lambda: "notifications/cancelled" in server.heard.splitlines()[-1], "the server is told")
