"""``callboard serve`` as a process: real WebSockets and real programs; whatever is killed, no process is left."""

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie
from pathlib import Path

import pyte
import pytest

from registry.doors.serve.application import terminal_files
from tests.command_line import ROOT, started

pytest.importorskip("websockets", reason="the extra callboard[serve] is not installed")
if not terminal_files():
    pytest.skip("the extra callboard[serve] is not installed", allow_module_level=True)

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

if not Path("/proc/self/environ").exists():
    pytest.skip("processes are counted in /proc", allow_module_level=True)

_PATIENCE = 60.0
MARK = "CALLBOARD_TEST_OF_PAGES"


@contextmanager
def served(home: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A server, its address and the cookie of whoever was let in."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", MARK: str(home)}
    words = ("serve", "--port", 0, "--pass-env", MARK, "--pass-env", "PYTHONPATH")
    with started(*words, environment=environment, stderr=None, cwd=None) as server:
        try:
            assert server.stdout is not None
            link = next(line.strip() for line in server.stdout if line.strip().startswith("http"))
            with urllib.request.urlopen(link) as entered:
                (cookie,) = SimpleCookie(entered.headers["Set-Cookie"]).values()
            yield server, link.partition("/in/")[0], f"{cookie.key}={cookie.value}"
        finally:
            server.kill()


def page(address: str, cookie: str, query: str = "") -> ClientConnection:
    """A page's connection."""
    where = f"{address.replace('http', 'ws', 1)}/tab?columns=80&lines=24{query}"
    return connect(where, origin=Origin(address), additional_headers={"Cookie": cookie}, max_size=None)


def shows(connection: ClientConnection, wanted: str, *, drawing: bytes = b"") -> bytes:
    """What a page is sent until its terminal, empty at first, shows something, and these bytes have come."""
    drawn, screen = b"", pyte.Screen(80, 24)
    terminal = pyte.ByteStream(screen)
    while drawing not in drawn or wanted not in "\n".join(screen.display):
        if isinstance(message := connection.recv(_PATIENCE), bytes):
            drawn += message
            terminal.feed(message)
    return drawn


def programs(home: Path) -> list[int]:
    """The processes behind the pages of a server."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if f"{MARK}={home}".encode() in environment and b"CALLBOARD_SERVED=" in environment:
            found.append(int(folder.name))
    return found


def wait(condition: Callable[[], object]) -> None:
    end = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_reload_draws_everything_and_nothing_is_left_however_it_ends(tmp_path: Path) -> None:
    with served(tmp_path) as (server, address, cookie):
        with page(address, cookie) as first:
            hello = first.recv(_PATIENCE)
            id_ = json.loads(hello)["tab"]
            shows(first, "Ask, or paste")
            first.send(b"whoami")
            shows(first, "whoami")
        with page(address, cookie, f"&tab={id_}") as again:
            assert json.loads(again.recv(_PATIENCE)) == {"tab": id_, "found": True}
            drawn = shows(again, "whoami", drawing=b"\x1b[?1049h")  # a new terminal is set up
            assert b"\x1b[?2004h" in drawn
            again.send(b"x" * 65_537)
            with pytest.raises(ConnectionClosed) as closed:
                shows(again, "never")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009, "a message may have so many bytes"
        with page(address, cookie, f"&tab={id_}") as killed:
            (program,) = programs(tmp_path)
            os.kill(program, signal.SIGKILL)
            told = ""
            while "ended" not in told:
                message = killed.recv(_PATIENCE)
                told = message if isinstance(message, str) else ""
            assert "exit code" in told
        wait(lambda: not programs(tmp_path))
        with page(address, cookie) as last:
            shows(last, "Ask, or paste")
            assert len(programs(tmp_path)) == 1
            server.kill()  # it cannot clear away anything
            wait(lambda: not programs(tmp_path))
