"""The results of a search, and their order."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

Kind = Literal["tool", "call", "object"]

_MOST, FEWEST, _NEAR_ENOUGH = 60, 3, 0.42
EXACT = 3.0


class Item(Struct, frozen=True):
    """A search result.

    Attributes:
        kind: a tool to fill in, a call with its arguments, or an object by its id.
        tool: the tool's name; empty if no tool applies.
        arguments: the filled-in arguments, as a form takes them.
        effect: ``read``, ``write`` or ``delete``.
        title: what it is, in words.
        why: why it was found, or a note on it; may be empty. Contains typed text.
        score: how well it matches; only the order matters.
        missing: required parameters without an argument.
        id: the id of an object, as it was typed.
        without: the typed words that it does not use, in their order.
        type: the type of an object that was known before; otherwise empty.
        filter: leaves the rows of its list that are meant; empty for all.
        answer: the sentence that answers the question, to be filled from the result; empty if none is declared.
    """

    kind: Kind
    tool: str
    arguments: Mapping[str, object]
    effect: str
    title: str
    why: str = ""
    score: float = 0.0
    missing: tuple[str, ...] = ()
    id: str = ""
    without: tuple[str, ...] = ()
    type: str = ""
    filter: str = ""
    answer: str = ""


class OwnCall(NamedTuple):
    """A call that the user saved under a name. Its arguments are used unchanged: braces in them are not slots.

    Attributes:
        shared: its shared folder; empty for the user's own.
    """

    title: str
    tool: str
    arguments: Mapping[str, object]
    shared: str = ""


def first_of(found: Sequence[Item]) -> list[Item]:
    """The items that match nearly as well as the best, each once, and at least a few; a call takes the place of its form."""
    best = max((one.score for one in found if one.score < EXACT), default=0.0)
    kept: dict[tuple[str, str, str], Item] = {}
    for place, one in enumerate(found):
        if place < FEWEST or one.score >= best * _NEAR_ENOUGH:
            same = sorted((name, *sorted(str(value).split(" AND "))) for name, value in one.arguments.items())
            key = one.tool, repr(same), one.filter
            if key not in kept or (one.kind == "call" and kept[key].kind == "tool" and kept[key].score < EXACT):
                kept[key] = one
    return list(kept.values())[:_MOST]
