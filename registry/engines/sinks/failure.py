"""The error of sinks: what happened, and what to do. It never holds a password."""

from __future__ import annotations

from typing import Literal

Concern = Literal["address", "extra", "target"]


class NotStored(Exception):
    """Not everything could be stored.

    Attributes:
        cause: what happened, with names and values.
        next_step: what to do next.
        concern: ``address`` (it is wrong; nothing was opened), ``extra`` (a library is missing), ``target`` (the file,
            folder or database cannot be used).
    """

    def __init__(self, cause: str, next_step: str, concern: Concern = "target") -> None:
        super().__init__(f"{cause} {next_step}")
        self.cause = cause
        self.next_step = next_step
        self.concern = concern


def missing(extra: str, library: str, what: str) -> NotStored:
    """The error for an extra that is not installed."""
    from registry.files.extras import how_to_install

    return NotStored(f"{what} needs {library}, which is not installed.", f"Install {how_to_install(extra)}", "extra")
