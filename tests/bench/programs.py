"""Variants of the program: ``python -m tests.bench.programs tools|incidents COUNT``; no incidents are a quiet night.

The explorer writes the longest pause of its event loop, in seconds, to the file that the variable ``PAUSES`` names. It begins
anew when that file is deleted.
"""

import asyncio
import gc
import os
import sys
import time
from functools import partial
from pathlib import Path

from tui.app import CallboardApp, run
from tui.session import Session

PAUSES = "BENCH_PAUSES"
_TICK = 0.005


class Watched(CallboardApp):
    """Notes how long its event loop does nothing else."""

    longest = 0.0

    async def on_mount(self) -> None:
        """Watch until the end."""
        self.run_worker(self._watch())

    async def _watch(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(_TICK)
            self._note(time.perf_counter() - began - _TICK)

    def _note(self, pause: float) -> None:
        file = Path(os.environ[PAUSES])
        if pause > self.longest or not file.exists():
            self.longest = pause
            file.write_text(f"{pause}")


def explorer(count: int) -> None:
    """The explorer with so many tools; 0 for those that there are."""
    from registry.catalog.listing import table_of_contents

    known = table_of_contents()
    tools = [known[number % len(known)]._replace(name=f"{known[number % len(known)].name}{number}") for number in range(count)]
    kind = Watched if PAUSES in os.environ else CallboardApp
    kind(Session(os.environ, tools or known)).run()


def dashboard(count: int) -> None:
    """The dashboard with so many open incidents, without the command line before it."""
    if count:
        from tests.bench.oncall_storm import service

        run(partial(service, count), oncall="sandbox")
    else:
        from registry.sandbox.server import application

        run(partial(application, scenario="quiet", limits=True), oncall="sandbox")


if __name__ == "__main__":
    gc.disable()  # until the program says so, as in `tui.entry`
    {"tools": explorer, "incidents": dashboard}[sys.argv[1]](int(sys.argv[2]))
