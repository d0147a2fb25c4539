"""One action of the monkey."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["key", "text", "paste", "click", "drag", "wheel", "resize", "agent"]


@dataclass(frozen=True, slots=True)
class Action:
    """One action. `words` are a key, a text, or numbers separated by spaces; for an agent, the seconds that it waits."""

    kind: Kind
    words: str

    def __str__(self) -> str:
        return f"{self.kind} {self.words!r}"


def keys(*names: str) -> Iterator[Action]:
    """An action for each key."""
    return (Action("key", name) for name in names)


def text(words: str) -> Iterator[Action]:
    """The action of typing a text. There is none when it is empty."""
    return iter((Action("text", words),) if words else ())
