"""The engine: everything that a call needs, assembled in one place. The Python API of Callboard; see ``docs/python.md``.

::

    async with open_engine() as engine:
        result = await engine.run("SearchPaymentsCustomers", {"search_query_string": "created>0"})

Its names (`registry.engine.api`) are imported when one is first used: a command that only reads needs few of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from registry.engine.api import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        return getattr(import_module("registry.engine.api"), name)
