"""The desk server as a toolkit, kept below a data folder of the tests' own."""

import json
import shlex
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from registry.engine import Engine, Presenter
from registry.openapi.mcp_server import mcp_source
from registry.openapi.store import keep_prepared, prepared
from tests.added_toolkits import added_toolkits
from tests.opened import open_writing, opened

SCRIPT = Path(__file__).parent / "desk_server.py"
TOOLKIT, NAME = "Desk", "desk"


def command(folder: Path) -> str:
    """The command that starts the server."""
    return shlex.join([sys.executable, "-S", "-E", str(SCRIPT), str(folder)])


class Desk:
    """The server's folder, and what it heard."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def heard(self) -> str:
        """Every message that it got, line by line."""
        file = self.folder / "heard"
        return file.read_text() if file.exists() else ""

    @property
    def pid(self) -> int:
        """The process that was started last."""
        return int((self.folder / "pid").read_text())


def kept(patch: pytest.MonkeyPatch, folder: Path, *passed: str, reads: tuple[str, ...] = ()) -> Iterator[Desk]:
    """The toolkit, as long as it is needed; its overlay says of some tools that they only read."""
    there = folder / "desk"
    there.mkdir()
    overlay = folder / "overlay.json"
    overlay.write_text(json.dumps({"operations": {name: {"effect": "read"} for name in reads}}))
    with added_toolkits(patch, folder):
        keep_prepared(prepared(mcp_source(command(there), passed), overlay=str(overlay)))
        yield Desk(there)


@asynccontextmanager
async def engine_of(folder: Path, **settings: Any) -> AsyncIterator[Engine]:
    """An engine whose account of the toolkit may change things."""
    engine = opened(folder=folder, state=folder / "state", **settings)
    open_writing(engine, engine.usual(TOOLKIT))
    async with engine:
        yield engine


class Person(Presenter):
    """Takes note of progress, and gives one answer to every question."""

    def __init__(self, answer: Any = None) -> None:
        self.told: list[Any] = []
        self.asked: list[Any] = []

        async def elicit(elicitation: Any) -> Any:
            self.asked.append(elicitation)
            return await answer(elicitation)

        super().__init__(self.told.append, elicit if answer is not None else None)
