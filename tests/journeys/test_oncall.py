"""The dashboard in a real terminal, with hostile answers in each of its panels."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.hostile import CONTROLS, LONG, MARKUP, forbidden_in_output
from tests.oncall.watch import ME, incident, oncall, policy
from tests.sampled import further
from tests.sandbox.serving import served
from tests.terminal import Terminal

SIZES = [(80, 24), *further((120, 40), (200, 50))]
HARM = " ".join(MARKUP + CONTROLS)


@contextmanager
def hostile_account() -> Iterator[str]:
    """An incident service every name and title of which is hostile; gives its base URL."""
    named = {"id": "X1", "type": "x_reference", "summary": HARM, "name": HARM, "html_url": f"https://x.example/{HARM}"}
    entry = {
        "id": "R1",
        "type": f"{HARM}_log_entry",
        "created_at": datetime.now(UTC).isoformat(),
        "summary": HARM,
        "incident": named,
    }
    entry |= {"service": named, "agent": named, "channel": {"type": HARM, "notification": {"type": HARM, "status": HARM}}}
    # The emulator cannot draw marks that combine with what stands before them; those are tested without it.
    texts = [*MARKUP, *CONTROLS, LONG[0][:3_000], LONG[2][:3_000]]
    listed: dict[str, list[Any]] = {
        "incidents": [
            incident(f"I{number}", title=text, service=named, priority=named, escalation_policy=named | {"id": "E1"})
            | {"assignments": [{"at": None, "assignee": named}], "urgency": text[:40], "html_url": text, "teams": [named]}
            for number, text in enumerate(texts)
        ],
        "oncalls": [oncall(1, "U1") | {"user": named, "schedule": named}, oncall(2, "U2") | {"user": named}],
        "escalation_policies": [policy(5, 5) | {"name": HARM, "services": [named]}],
        "services": [{"id": "X1", "name": HARM, "status": HARM, "escalation_policy": named, "teams": [named]}],
        "log_entries": [entry],
        "teams": [named],
        "users": [{"id": "X1", "name": HARM, "time_zone": HARM}],
    }

    def answer(request: Request) -> Response:
        path = request.path_params["rest"]
        if path == "users/me":
            content: dict[str, Any] = {"user": ME | {"name": HARM, "time_zone": HARM, "teams": [named]}}
        else:
            found = listed.get(path, [])
            status = request.query_params.get("statuses[]", "triggered")
            content = {path: found if status == "triggered" else [], "more": False}
        return Response(json.dumps(content), 200, media_type="application/json")

    with served(Starlette(routes=[Route("/{rest:path}", answer)]), breakable=False) as address:
        yield address


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_hostile_answers_in_every_panel(size: tuple[int, int]) -> None:
    with hostile_account() as address:
        environment = {"INCIDENTS_API_TOKEN": "t", "INCIDENTS_BASE_URL": address}
        command = (sys.executable, "-m", "tui", "oncall")
        with Terminal(command, columns=size[0], lines=size[1], environment=environment) as terminal:
            terminal.wait_for("triggered")
            terminal.wait_for("LIVE")
            for panel in range(4):
                for key in ("down", "down", "end", "home"):
                    terminal.press(key)
                if panel < 3:
                    terminal.type("\t")
            terminal.press("f8", "f8")
            terminal.press("ctrl+p")
            terminal.type("filter incidents by team\r")
            terminal.wait_for("Filter by team")
            terminal.press("escape")
            terminal.wait_for(lambda text: "Filter by team" not in text)  # Esc and a letter in one piece are Alt and the letter
            terminal.type("C")
            terminal.wait_for("Coverage of the next 14 days")
            terminal.press("escape")
            terminal.wait_for(lambda text: "Coverage of the next 14 days" not in text)
            terminal.type("H")
            terminal.wait_for("# Handoff")
            terminal.press("escape")
            terminal.wait_for(lambda text: "# Handoff" not in text)
            terminal.type("y")
            terminal.wait_for("This incident has no link to your account.")
            terminal.press("ctrl+q")
            written = terminal.wait_for_end()
    assert not forbidden_in_output(written)
