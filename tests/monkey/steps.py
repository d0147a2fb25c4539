"""One thing that the monkey does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["key", "text", "paste", "click", "drag", "wheel", "resize", "agent"]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that is done. `words` are a key, a text, or numbers separated by blanks; for an agent, the seconds it waits."""

    kind: Kind
    words: str

    def __str__(self) -> str:
        return f"{self.kind} {self.words!r}"


def keys(*names: str) -> Iterator[Action]:
    """These keys, one after another."""
    return (Action("key", name) for name in names)


def text(words: str) -> Iterator[Action]:
    """A text that is typed; nothing where it is empty."""
    return iter((Action("text", words),) if words else ())
