"""An engine with the issue tracker's toolkit, and the account on it."""

import json
import os
from pathlib import Path
from typing import Any

from registry.accounts.connection import Connection
from registry.calling.result import Result
from registry.catalog.loader import Catalog
from registry.results.spool import Spool
from tests.opened import made, opened


class World:
    """A client, the catalogue, and the account on the tracker."""

    def __init__(self, tmp_path: Path) -> None:
        self.waits: list[float] = []
        self.engine = opened(folder=tmp_path, environment=os.environ, sleep=self._sleep)
        self.catalog: Catalog = self.engine.catalog
        self.connection: Connection = self.engine.connections["tickets"]

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def call(self, name: str, **raw: object) -> Result:
        return await made(self.engine, self.catalog.tools[name], raw, self.connection)

    async def all_of(self, name: str, **raw: object) -> list[Any]:
        with Spool() as spool:
            gathered = await self.engine.fetch_all(self.catalog.tools[name], raw, self.connection, spool).run()
            assert (gathered.failure, gathered.complete, gathered.duplicates) == (None, True, 0)
            return [json.loads(item) for item in spool]
