"""A call, and the interface of the operations that handle it."""

from __future__ import annotations

from typing import Protocol

from starlette.responses import Response

from registry.sandbox.payments.errors import refused
from registry.sandbox.payments.keys import Key
from registry.sandbox.payments.reading import Reader
from registry.sandbox.payments.rendering import Json, Renderer


class Call:
    """A recognised request, with the objects that its key can read.

    `ids` are the values of the path's placeholders and `names` what these are called, both from left to right; `renderer`
    shows objects to the call.
    """

    def __init__(self, reader: Reader, key: Key, path: str, names: tuple[str, ...], ids: tuple[str, ...], query: str) -> None:
        self.reader = reader
        self.key = key
        self.path = path
        self.names = names
        self.ids = ids
        self.query = query
        self.renderer = Renderer(reader)

    @property
    def now(self) -> int:
        """The world's present moment in Unix seconds."""
        return self.reader.world.present

    def test_mode_only(self) -> None:
        """Refuse a live key.

        Raises:
            ApiError: 400.
        """
        if self.key.live:
            raise refused("Test clocks exist in test mode only; use a test mode key.")


class Operation(Protocol):
    """Handles one method and path."""

    def answer(self, call: Call) -> Json | Response:
        """Carry out a call.

        Raises:
            ApiError: the call is refused.
        """
