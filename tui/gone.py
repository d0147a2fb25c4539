"""What was deleted in this run of the program, so that answers from before can say so."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from registry.deleting.look import Look


class Gone:
    """Ids of deleted objects, by connection."""

    def __init__(self) -> None:
        self._ids: dict[str, set[str]] = defaultdict(set)

    def note(self, connection: str, look: Look) -> None:
        """An object is gone. What has an id of its own (a discount, a person told by an e-mail) is known by that."""
        import json  # only a deletion needs it

        seen = json.loads(look.body) if look.body else {}
        own = seen.get("id") if isinstance(seen, dict) else None
        if isinstance(own, str):
            self._ids[connection].add(own)
        elif look.type != "discount":
            self._ids[connection].add(look.id)

    def of(self, connection: str) -> set[str]:
        """The ids of one connection; the set grows as more is deleted."""
        return self._ids[connection]
