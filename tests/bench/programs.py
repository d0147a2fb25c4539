"""Variants of the program: ``python -m tests.bench.programs tools|incidents COUNT``; no incidents are a quiet night."""

import gc
import sys
from functools import partial

from tui.app import CallboardApp, run
from tui.session import Session


def many_tools(count: int) -> None:
    """The explorer with so many tools."""
    from registry.catalog.listing import table_of_contents

    known = table_of_contents()
    tools = [known[number % len(known)]._replace(name=f"{known[number % len(known)].name}{number}") for number in range(count)]
    CallboardApp(Session({}, tools)).run()


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
    {"tools": many_tools, "incidents": dashboard}[sys.argv[1]](int(sys.argv[2]))
