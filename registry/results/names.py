"""The names of ids, as learned from the responses of this run: ``cus_4R5QLgZDZXPlou`` is Ada Romero."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from registry.calling.sensitive import is_sensitive
from registry.results.picking import values_of
from registry.text.safe_text import shortened, visible_line

_NAMING = ("name", "display_name", "summary", "title", "number", "nickname", "email", "description", "id")
_MOST, _LONGEST = 20_000, 60


class Names:
    """Ids with their names. Beyond twenty thousand, the oldest are removed."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def of(self, id_: str) -> str:
        """The name of an id; empty if it is not known."""
        return self._names.get(id_, "")

    def learn(self, items: Iterable[bytes]) -> None:
        """Learn names from objects, each a JSON text; also those next to an id (``owner``, ``owner_name``)."""
        for item in items:
            self._take(values_of(item))
        for one in list(self._names)[: max(len(self._names) - _MOST, 0)]:
            del self._names[one]

    def note(self, names: Mapping[str, str]) -> None:
        """Add names from elsewhere, by id; known ones stay."""
        for id_, words in names.items():
            if id_ not in self._names:
                self._note(id_, words)

    def _take(self, found: Mapping[str, Any], deep: int = 0) -> None:
        for name, value in found.items():
            if isinstance(value, dict) and deep < 2:
                self._take(value, deep + 1)
            elif isinstance(value, str) and isinstance(words := found.get(f"{name}_name"), str):
                self._note(value, words)
        id_, words = found.get("id"), label_of(found)
        if isinstance(id_, str) and words != id_:
            self._note(id_, words)

    def _note(self, id_: str, words: str) -> None:
        if id_ and words.strip():
            self._names[id_] = shortened(visible_line(words), _LONGEST)


def label_of(values: Mapping[str, Any]) -> str:
    """What names an object: the first of its properties that do, else its id; empty without any. Secrets name nothing."""
    for name in _NAMING:
        words = values.get(name)
        if (
            isinstance(words, str)
            and 0 < len(words.strip()) <= _LONGEST
            and not is_sensitive(json.dumps(name), json.dumps(words))
        ):
            return words
    return ""
