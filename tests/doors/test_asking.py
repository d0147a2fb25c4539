"""Commands that ask at a terminal: the end of the input and signals end them at once, with their code and the echo on again."""

import os
import signal
import sys
import termios
from collections.abc import Callable

import pytest

from tests.terminal import Terminal

HERE = ("--base-url", "http://127.0.0.1:9", "--insecure-storage")
SECRET = ("account", "add", "payments", "--name", "X", *HERE)
SIGN_IN = ("account", "add", "incidents", "--name", "X", "--sign-in", "--client-id", "c", "--no-browser", "--insecure-storage")
UNSEEN, PASTED = "Paste an API key for X", "Paste the address that the browser was sent to"


def _ctrl(letter: str) -> Callable[[Terminal], None]:
    return lambda terminal: terminal.press(f"ctrl+{letter}")


@pytest.mark.parametrize(
    ("words", "question", "end", "told"),
    [
        (SECRET, UNSEEN, _ctrl("d"), "callboard: no secret was given"),
        (SIGN_IN, PASTED, _ctrl("c"), "callboard: interrupted"),
        *(
            pytest.param(*more, marks=pytest.mark.long)
            for more in (
                (SECRET, UNSEEN, _ctrl("c"), "callboard: interrupted"),
                (SIGN_IN, "the secret of the client c", _ctrl("d"), "callboard: no secret was given"),
                (SIGN_IN, PASTED, _ctrl("d"), "callboard: no address was pasted"),
                (SIGN_IN, PASTED, lambda terminal: os.kill(terminal._process, signal.SIGTERM), "callboard: ended by SIGTERM"),
            )
        ),
    ],
)
def test_a_question_that_gets_no_answer(
    words: tuple[str, ...], question: str, end: Callable[[Terminal], None], told: str
) -> None:
    with Terminal((sys.executable, "-m", "tui", *words)) as terminal:
        if question == PASTED:
            terminal.wait_for("the secret of the client c")
            terminal.press("enter")
        terminal.wait_for(question)
        end(terminal)
        written = terminal.wait_for_end().decode()
        assert told in written
        assert "crash" not in written.lower()
        assert termios.tcgetattr(terminal._descriptor)[3] & termios.ECHO
