"""The ids deleted in this run of the program, so that earlier results can mark them."""

from __future__ import annotations

from collections import defaultdict


class DeletedIds:
    """Ids of deleted objects, by connection."""

    def __init__(self) -> None:
        self._ids: dict[str, set[str]] = defaultdict(set)

    def note(self, connection: str, id_: str) -> None:
        """Add a deleted object."""
        self._ids[connection].add(id_)

    def of(self, connection: str) -> set[str]:
        """The ids of one connection; the set grows as more is deleted."""
        return self._ids[connection]

    def signed(self, connection: str, id_: str) -> str:
        """An id as shown: with a mark before it if its object was deleted."""
        return f"✗ {id_}" if id_ in self._ids[connection] else id_
