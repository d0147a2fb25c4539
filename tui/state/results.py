"""What this run has seen: the last result of each tool, and earlier ones as far as memory allows; the ids that it deleted.

Only this keeps results. Other code (the trail, the pages of a list) has weak references, and makes the call again when a result
is gone.
"""

from collections import OrderedDict, defaultdict

from registry.calling.result import Result

_MOST, _MOST_BYTES = 400, 256_000_000


class Results:
    """Results, as far as memory allows."""

    def __init__(self, most: int = _MOST, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._kept: OrderedDict[int, Result] = OrderedDict()
        self._bytes = 0

    def add(self, result: Result) -> None:
        """Keep a result; if there are too many, the oldest are dropped, but never the newest."""
        self._kept[id(result)] = result
        self._bytes += result.size
        while len(self._kept) > 1 and (len(self._kept) > self._most or self._bytes > self._most_bytes):
            _, gone = self._kept.popitem(last=False)
            self._bytes -= gone.size

    def of(self, tool: str) -> list[Result]:
        """All results of a tool that are still kept, newest first."""
        return [result for result in reversed(self._kept.values()) if result.tool == tool]


class DeletedIds:
    """Ids of deleted objects, by connection."""

    def __init__(self) -> None:
        self._ids: dict[str, set[str]] = defaultdict(set)

    def note(self, connection: str, id_: str) -> None:
        self._ids[connection].add(id_)

    def of(self, connection: str) -> set[str]:
        """The ids of one connection; the set grows as more is deleted."""
        return self._ids[connection]

    def signed(self, connection: str, id_: str) -> str:
        """An id as shown: with a mark before it if its object was deleted."""
        return f"✗ {id_}" if id_ in self._ids[connection] else id_
