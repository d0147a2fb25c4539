"""The explorer is ended from outside, in a real terminal: what it leaves behind."""

import os
import signal
import termios
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.sampled import further
from tests.terminal import Terminal

RESTORED = (
    b"\x1b[?1049l",
    b"\x1b[?25h",
    b"\x1b[?1000l",
    b"\x1b[?1003l",
    b"\x1b[?1006l",
    b"\x1b[?1004l",
    b"\x1b[?2004l",
    b"\x1b[<u",
)
_PATIENCE = 30.0


def status_of(one: Terminal) -> int:
    """The exit code of a program that ends, which is waited for."""
    found = waited_for(one, os.WEXITED | os.WNOWAIT)
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def waited_for(one: Terminal, what: int) -> os.waitid_result:
    """Wait until a program has ended or stopped. What it writes meanwhile is read: it waits for that itself."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        with suppress(OSError):
            one.read(0.1)
        if (found := os.waitid(os.P_PID, one._process, what | os.WNOHANG)) is not None:
            return found
    raise AssertionError("the program neither ended nor stopped")


def wait_for_terminal_use(one: Terminal, times: int) -> None:
    """Wait until a program has begun to use the terminal this many times."""
    one.wait_for(lambda _: one.written.count(b"\x1b[?1049h") == times)


@pytest.mark.parametrize("number", [signal.SIGTERM, *further(signal.SIGHUP, signal.SIGQUIT)])
def test_a_signal_leaves_the_terminal_as_it_was(number: signal.Signals) -> None:
    with Terminal(lines=24, columns=80) as one:
        before = termios.tcgetattr(one._descriptor)
        one.wait_for("failed payments")
        os.kill(one._process, number)
        assert status_of(one) == 128 + number
        left = one.written[one.written.rindex(b"\x1b[?1049l") - 500 :]
        assert [code for code in RESTORED if code not in left] == []
        assert termios.tcgetattr(one._descriptor)[:4] == before[:4]
        assert b"nobody foresaw" not in one.written


def test_a_program_that_goes_on_uses_the_terminal_once_and_ends_without_a_word_when_it_goes_away(tmp_path: Path) -> None:
    """A terminal that goes away tells it to go on, too. Each reader of it must have ended before the program can end."""
    with Terminal(lines=24, columns=80, environment={"XDG_STATE_HOME": str(tmp_path)}) as one:
        one.wait_for("failed payments")
        for number in range(2, 6):
            if number > 3:
                os.kill(one._process, signal.SIGTSTP)
                waited_for(one, os.WSTOPPED)
            os.kill(one._process, signal.SIGCONT)
            wait_for_terminal_use(one, number)
        one.press("f1")
        one.wait_for("All keys")
        spare, one._descriptor = one._descriptor, os.open(os.devnull, os.O_RDONLY)
        os.close(spare)
        assert status_of(one) == 128 + signal.SIGHUP
    assert not (tmp_path / "callboard" / "crashes").exists()


def test_what_comes_behind_the_key_that_leaves_does_nothing() -> None:
    with Terminal(lines=24, columns=80) as one:
        one.wait_for("failed payments")
        one.press_at_once(
            "ctrl+q", "f5", "?", "\x1b[200~pasted\x1b[201~", "\x1b[<0;10;10M\x1b[<0;10;10m", "ctrl+p", "abc", "enter", "f1"
        )
        assert status_of(one) == 0
        assert b"nobody foresaw" not in one.written
