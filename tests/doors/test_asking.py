"""Commands that ask at a terminal: the end of the input and signals end them at once, with their code and the echo on again."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.terminal import Terminal
from tui import entry

REPOSITORY = Path(__file__).parents[2]
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


def test_an_interrupt_while_the_program_loads(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("registry.files.streams.prepare", interrupted)
    assert entry.main() == 130
    assert capsys.readouterr().err == "callboard: interrupted\n"


def _python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False, cwd=REPOSITORY)


def test_nothing_loads_before_an_interrupt_is_listened_to() -> None:
    told = _python("import os, sys; before = set(sys.modules); import tui.entry; print(sorted(set(sys.modules) - before))")
    assert set(ast.literal_eval(told.stdout)) <= {"__future__", "gc", "tui", "tui.entry"}


def test_an_interrupt_while_python_ends_leaves_no_traceback() -> None:
    program = "import atexit, os, signal\natexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))\nfrom tui import entry\n"
    told = _python(program + "entry._Loading().__enter__().ended()")
    assert (told.returncode, told.stderr) == (-signal.SIGINT, ""), "what a shell shows as 130"
