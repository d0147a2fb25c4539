"""The limits of ``callboard serve``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits.

    Attributes:
        tabs: programs that run at the same time, for all visitors.
        idle: seconds without a key after which a tab ends.
        away: seconds that a tab waits for its page to return, after a reload or a lost network.
        message: bytes in one message of a page.
        waiting: bytes that wait to be shown or read; further output is dropped, and the screen is redrawn.
        file: bytes in one file that a tab writes.
        ending: seconds that a program has to settle its work after its terminal was closed.
        columns: the most columns of a terminal.
        lines: the most lines.
    """

    tabs: int = 20
    idle: float = 3600.0
    away: float = 300.0
    message: int = 65_536
    waiting: int = 1_048_576
    file: int = 512_000_000
    ending: float = 20.0
    columns: int = 500
    lines: int = 200
