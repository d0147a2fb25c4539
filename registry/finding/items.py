"""The results of a search, and their order."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

Kind = Literal["tool", "call", "object"]

_MOST, FEWEST, _NEAR_ENOUGH = 60, 3, 0.42
EXACT = 3.0
_AS_GOOD = 0.15


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
        answer: the sentence that answers the question, to be filled from the result; empty if none is declared.
    """

    kind: Kind
    tool: str
    arguments: Mapping[str, object]
    effect: str
    title: str
    why: str = ""
    score: float = 0.0
    missing: tuple[str, ...] = field(default=())
    id: str = ""
    without: tuple[str, ...] = field(default=())
    type: str = ""
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


def calls_and_forms(items: Sequence[Item]) -> list[Item]:
    """A call takes the place of its tool if it is the same, and comes before it if it can run and matches nearly as well."""
    forms = {one.tool: one for one in items if one.kind == "tool" and one.score < EXACT}
    found, same = list[Item](), list[Item]()
    for one in sorted(items, key=lambda item: (bool(item.arguments), -item.score)):
        form = forms.get(one.tool)
        if one.kind == "call" and form is not None:
            if not one.arguments and not form.arguments:
                same.append(forms.pop(one.tool))
                one = replace(one, score=max(one.score, form.score))
            elif not one.missing and form.score >= one.score >= form.score - _AS_GOOD:
                one = replace(one, score=form.score + 0.001)
                del forms[one.tool]
        found.append(one)
    return [one for one in found if one not in same]


def order(verb: str, one: Item) -> tuple[bool, bool, bool, float]:
    """The sort key: objects, then what uses all words, then what reads or is asked for by the `verb`."""
    unasked = one.effect == "write" and bool(one.without) and (not verb or verb in one.without)
    return one.kind != "object", bool(one.without), unasked, -one.score


def first_of(found: Sequence[Item]) -> list[Item]:
    """The items that match nearly as well as the best, each once, and at least a few."""
    best = max((one.score for one in found if one.kind != "object"), default=0.0)
    kept: dict[tuple[str, str], Item] = {}
    for place, one in enumerate(found):
        if place < FEWEST or one.score >= best * _NEAR_ENOUGH:
            same = sorted((name, *sorted(str(value).split(" AND "))) for name, value in one.arguments.items())
            kept.setdefault((one.tool, repr(same)), one)
    return list(kept.values())[:_MOST]
