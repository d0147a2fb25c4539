"""The results of this run of the program: the last of each tool, and those before it as far as memory allows.

This is the one place that keeps results. Other code that keeps one (the trail, the pages of a list) holds a weak reference, and
calls again when it is gone.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from registry.calling.result import Result

_MOST, _MOST_BYTES = 400, 256_000_000


class Results(Mapping[str, "Result"]):
    """The last result by tool; `of` gives those before it as well."""

    def __init__(self, most: int = _MOST, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._kept: OrderedDict[int, Result] = OrderedDict()
        self._last: dict[str, Result] = {}
        self._bytes = 0

    def __getitem__(self, tool: str) -> Result:
        return self._last[tool]

    def __iter__(self) -> Iterator[str]:
        return iter(self._last)

    def __len__(self) -> int:
        return len(self._last)

    def add(self, result: Result) -> None:
        """Keep a result; the oldest ones go where there are too many, but the newest never does."""
        self._kept[id(result)] = result
        self._last[result.tool] = result
        self._bytes += result.size
        while len(self._kept) > 1 and (len(self._kept) > self._most or self._bytes > self._most_bytes):
            _, gone = self._kept.popitem(last=False)
            self._bytes -= gone.size
            if self._last.get(gone.tool) is gone:
                del self._last[gone.tool]

    def of(self, tool: str) -> list[Result]:
        """All results of a tool that are still here, newest first."""
        return [result for result in reversed(self._kept.values()) if result.tool == tool]
