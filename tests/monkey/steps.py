"""One action of the monkey."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["key", "text", "paste", "click", "drag", "wheel", "resize", "agent"]


class Action(NamedTuple):
    """One action. `words` are a key, a text, or numbers separated by spaces; for an agent, the seconds that it waits."""

    kind: Kind
    words: str

    def __str__(self) -> str:
        return f"{self.kind} {self.words!r}"
