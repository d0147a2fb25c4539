"""``callboard --screen-reader``: Callboard line by line, on standard input and output."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Callable, Sequence
from contextlib import suppress

from registry.doors.line_mode.session import LineSession
from registry.doors.output import flush, remark, say
from registry.engine import Settings, open_engine
from registry.text.safe_text import visible_line


def talk(command: Callable[[Sequence[str]], int], *, read_only: bool) -> int:
    """Run the line mode until the user leaves, and return the exit code."""
    with suppress(ImportError):
        import readline  # noqa: F401  # for editing lines, and the arrow keys for earlier ones

    engine = open_engine(Settings(read_only=read_only, tell=remark))
    with asyncio.Runner() as runner:
        try:
            return LineSession(engine, runner, _ask, _say, command).run()
        finally:
            runner.run(engine.aclose())


def _ask(prompt: str, hidden: bool) -> str:
    flush()
    prompt = visible_line(prompt)
    return getpass.getpass(prompt) if hidden else input(prompt)


def _say(line: str) -> None:
    say(line)
    flush()
