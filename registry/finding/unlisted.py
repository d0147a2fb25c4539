"""Nouns of which no tool has a list: ``payouts``, of which one can be shown by its id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from registry.catalog.model import Tool
from registry.finding.words import Term
from registry.references.targets import words_for

_LISTS = ("list", "search_result", "composite")


class Unlisted:
    """The types of objects that tools show one by one and none lists."""

    def __init__(self, tools: Iterable[Tool], terms: Callable[[str], Sequence[Term]]) -> None:
        shown: dict[tuple[str, ...], str] = {}
        listed: list[tuple[str, ...]] = []
        for tool in tools:
            for type_ in tool.returns.objects:
                stems = tuple([term.stem for term in terms(words_for(type_))])
                if tool.returns.kind in _LISTS:
                    listed.append(stems)
                elif tool.effect == "read":
                    shown[stems] = type_
        # A list of inbound transfers is one of transfers, too.
        self._types = {stems: type_ for stems, type_ in shown.items() if not any(one[-len(stems) :] == stems for one in listed)}

    def asked_for(self, said: Sequence[Term]) -> tuple[str, str]:
        """The type of which several are asked for, and its noun as it was typed; both empty if there is none."""
        for length in (3, 2, 1):
            for start in range(len(said) - length + 1):
                words = said[start : start + length]
                type_ = self._types.get(tuple([term.stem for term in words]), "")
                if type_ and words[-1].word.endswith("s") and words[-1].word != words[-1].stem:
                    return type_, " ".join(term.word for term in words)
        return "", ""
