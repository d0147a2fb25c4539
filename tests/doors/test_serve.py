"""Pages for browsers: who gets in, what a tab is given, and what it may use. The program behind a page is a small one here."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from registry.doors.cli_serve import environment_of
from registry.doors.serve.application import ENDED, TAKEN, Visitors, application, terminal_files
from registry.doors.serve.tab import Tabs
from tests.cases import cases_beside
from tests.command_line import Run

CASES = cases_beside(__file__)

HOST = "127.0.0.1:8410"
ORIGIN = f"http://{HOST}"
OURS = {"Origin": ORIGIN}

ECHO = """
import os, signal, sys, tty
def draw(*_):
    os.write(1, b'begin ' + str(os.get_terminal_size(0).columns).encode())
tty.setraw(0)
signal.signal(signal.SIGWINCH, draw)  # what is drawn before a page shows it is lost: it is drawn anew, as an explorer does
draw()
folder = os.environ['CALLBOARD_SERVED']
while (keys := os.read(0, 100)) != b'q':
    if keys == b's':
        open(folder + '/.half', 'w').close()
        os.symlink('/etc/hostname', folder + '/link')
        open(folder + '/got.json', 'w').write('{}')
    os.write(1, b'<' + keys + b'>')
sys.exit(3)
"""


class LocalServer:
    """A server without a network, and the programs that it has started."""

    def __init__(self, *, once: bool, **limits: float) -> None:
        self.started: list[str] = []
        self.visitors = Visitors("callboard", once=once)
        self.folders: list[Path] = []
        self.tabs = Tabs(self._command, self._environment, **limits)  # type: ignore[arg-type]
        self.client = TestClient(
            application(self.visitors, self.tabs, [HOST, "board.example"], [ORIGIN, "https://board.example"]), base_url=ORIGIN
        )

    def _command(self, shows: str) -> list[str]:
        self.started.append(shows)
        return [sys.executable, "-I", "-S", "-c", ECHO]

    def _environment(self, folder: Path) -> Mapping[str, str]:
        self.folders.append(folder)
        return environment_of(folder, {}, demo=True)

    def enter(self) -> None:
        """Let the client in."""
        assert self.client.get(f"/in/{self.visitors.token()}").status_code == 200

    def tab(self, query: str = "", headers: Mapping[str, str] = OURS) -> WebSocketTestSession:
        """A page's connection."""
        return self.client.websocket_connect(f"ws://{HOST}/tab?columns=90&lines=30{query}", headers=dict(headers))

    def refused(self, headers: Mapping[str, str] = OURS) -> int:
        """The status with which a page is not connected."""
        with pytest.raises(WebSocketDenialResponse) as refusal, self.tab(headers=headers):
            pass
        return int(refusal.value.status_code)


@contextmanager
def local_server(*, once: bool = True, **limits: float) -> Iterator[LocalServer]:
    """A server, whose programs and folders are removed afterwards."""
    here = LocalServer(once=once, **limits)
    with here.client:
        yield here
    assert not [folder for folder in here.folders if folder.exists()]


def received(page: WebSocketTestSession) -> Mapping[str, Any]:
    """The next message to a page."""
    message = page.receive()
    page._raise_on_close(message)
    return message


def until(page: WebSocketTestSession, wanted: bytes) -> bytes:
    """What a page gets, up to something."""
    drawn = b""
    while wanted not in drawn:
        drawn += received(page).get("bytes") or b""
    return drawn


def told(page: WebSocketTestSession, what: str) -> Any:
    """What a page is told, besides what is drawn."""
    while True:
        message = received(page)
        if message.get("text") and what in (content := json.loads(message["text"])):
            return content[what]


# Who gets in


def test_nothing_is_started_for_whoever_was_not_let_in() -> None:
    with local_server() as here:
        for path in ("/", "/oncall", "/saved/tab/name", "/in/wrong"):
            assert here.client.get(path).status_code == 401
        assert here.client.get("/", headers={"Cookie": "callboard=wrong"}).status_code == 401
        assert here.refused() == 401
        here.enter()
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "http://127.0.0.1:8411"}, {"Origin": "null"}, {}):
            assert here.refused(headers) == 403
        assert here.refused({**OURS, "Host": "evil.example"}) == 421
        assert here.client.get("/", headers={"Host": "evil.example:8410"}).status_code == 421
        assert here.client.get("/", headers={"Origin": "http://evil.example"}).status_code == 403
        assert here.started == []


def test_a_link_lets_in_one_browser_once() -> None:
    with local_server() as here:
        token = here.visitors.token()
        assert here.client.head(f"/in/{token}").status_code == 403, "a look at the link does not use it up"
        entered = here.client.get(f"/in/{token}")
        (cookie,) = entered.headers.get_list("set-cookie")
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert token not in cookie
        assert here.client.get("/").status_code == 200
        assert here.client.get(f"/in/{token}").status_code == 200, "whoever is in stays in"
        here.client.cookies.clear()
        assert here.client.get(f"/in/{token}").status_code == 401
        assert here.client.get("/").status_code == 401


@pytest.mark.skipif(not terminal_files(), reason="the extra callboard[serve] is not installed")
def test_the_page_keeps_to_itself() -> None:
    with local_server() as here:
        here.enter()
        pages = [here.client.get(path) for path in ("/", "/oncall")]
        policies = [page.headers["content-security-policy"] for page in pages]
        for page, policy in zip(pages, policies, strict=True):
            assert "unsafe" not in policy
            assert "default-src 'none'" in policy
            assert page.headers["x-content-type-options"] == "nosniff"
            assert page.headers["referrer-policy"] == "no-referrer"
            assert page.headers["cache-control"] == "no-store"
            assert "//" not in page.text.replace("<!--", "")
        assert policies[0] != policies[1], "a number is used once"
        for name in ("page.js", "page.css", *terminal_files()):
            assert here.client.get(f"/page/{name}").status_code == 200
        for path in ("/page/", "/page/index.html", "/page/..%2fgate.py", "/page/js/textual.js", "/static/"):
            assert here.client.get(path).status_code == 404, path
        assert here.client.post("/", headers=OURS).status_code == 405


# Tabs


def test_a_page_that_is_loaded_again_finds_its_tab() -> None:
    with local_server() as here:
        here.enter()
        with here.tab() as page:
            first = page.receive_json()
            id_ = first["tab"]
            assert first == {"tab": id_, "found": False}
            assert b"begin 90" in until(page, b"90")
            page.send_bytes(b"abc")
            until(page, b"<abc>")
        with here.tab(f"&tab={id_}") as page:
            assert page.receive_json() == {"tab": id_, "found": True}
            page.send_bytes(b"d")
            until(page, b"<d>")
            with here.tab(f"&tab={id_}") as other:
                assert told(other, "tab") == id_
                with pytest.raises(WebSocketDisconnect) as gone:
                    until(page, b"never")
                assert gone.value.code == TAKEN
                other.send_bytes(b"e")
                until(other, b"<e>")
                other.send_bytes(b"q")
                assert told(other, "ended") == "Callboard has ended with exit code 3."
                with pytest.raises(WebSocketDisconnect) as over:
                    other.receive_json()
                assert over.value.code == ENDED
        assert here.started == ["explore"]


def test_there_are_so_many_tabs_and_no_more() -> None:
    with local_server(most=2, once=False) as here:
        here.enter()
        with here.tab("&shows=oncall") as one, here.tab("&shows=anything"):
            assert here.refused() == 503
            here.client.cookies.clear()
            here.enter()
            assert here.refused() == 503, "of all visitors"
            until(one, b"begin")
            one.send_bytes(b"q")
            told(one, "ended")
        assert here.started == ["oncall", "explore"]


def test_what_is_saved_can_be_downloaded_and_nothing_else() -> None:
    with local_server() as here:
        here.enter()
        with here.tab() as page:
            id_ = told(page, "tab")
            until(page, b"begin")
            page.send_bytes(b"s")
            assert told(page, "saved") == {"name": "got.json", "bytes": 2}
            got = here.client.get(f"/saved/{id_}/got.json")
            assert got.text == "{}"
            assert got.headers["content-disposition"] == 'attachment; filename="got.json"'
            assert got.headers["content-type"] == "application/octet-stream"
            for name in (".half", "link", "..", "..%2f..%2fhome", "missing"):
                assert here.client.get(f"/saved/{id_}/{name}").status_code == 404, name
            here.client.cookies.clear()
            here.enter()
            assert here.client.get(f"/saved/{id_}/got.json").status_code == 404, "another visitor's"


# What a tab is given


def test_a_tabs_program_gets_no_secret_that_it_does_not_need(tmp_path: Path) -> None:
    given = {"PATH": "/bin", "HOME": "/home/ada", "LANG": "C.UTF-8", "LC_TIME": "de_DE", "CALLBOARD_READ_ONLY": "1"}
    given |= dict.fromkeys(("TOKEN_OF_A", "TOKEN_OF_B", "AWS_SECRET_ACCESS_KEY", "CALLBOARD_ONCALL_TOKEN"), "a secret")
    given |= dict.fromkeys(("EDITOR", "PAGER", "BROWSER", "DISPLAY", "SSH_AUTH_SOCK", "PYTHONSTARTUP"), "theirs")
    own = environment_of(tmp_path / "one", given, accounts=["TOKEN_OF_A"])
    assert own["TOKEN_OF_A"] == "a secret"
    assert {"PATH", "HOME", "LANG", "LC_TIME", "CALLBOARD_READ_ONLY", "CALLBOARD_SERVED"} < own.keys()
    assert list(own.values()).count("a secret") == 1
    assert "theirs" not in own.values()
    shown = environment_of(tmp_path / "two", given, accounts=["TOKEN_OF_A"], demo=True)
    assert "a secret" not in shown.values()
    assert Path(shown["HOME"]).is_relative_to(tmp_path / "two")
    assert Path(shown["XDG_CONFIG_HOME"]).is_relative_to(tmp_path / "two")


# The command


@pytest.mark.parametrize(("words", "told"), CASES["what serve refuses"], ids=str)
def test_what_cannot_be_is_refused(words: list[str], told: str, run: Run) -> None:
    outcome = run("serve", *words)
    assert (outcome.code, told in outcome.err) == (2, True), outcome.err
