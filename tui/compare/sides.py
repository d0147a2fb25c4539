"""The sides of a comparison: a result, or an item in it, with the details that distinguish it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from registry.results.names import label_of
from registry.results.picking import values_of
from registry.text.readings import local_moment
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.choose import Choice, ChooseDialog

_LONGEST_ARGUMENT, _LONGEST_NAME = 24, 40


class NoSide(Exception):
    """There is nothing to compare with; the message says why, in words."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side.

    Attributes:
        tool: the tool that returned it.
        body: its JSON text.
        connection: the account of the call.
        at: when the call began, in Unix seconds.
        arguments: the arguments of the call, secrets redacted.
        part: the path of an item; empty for a whole result.
        page: the number of items on its page, in words; empty if it is not a page.
    """

    tool: str
    body: bytes = field(repr=False)
    connection: str
    at: float
    arguments: Mapping[str, str] = field(default_factory=dict)
    part: str = ""
    page: str = ""


class Candidate(Struct, frozen=True):
    """Something to compare a result with.

    Attributes:
        title: what it is, in a few words.
        subtitle: what distinguishes it from others.
        side: returns it; raises `NoSide` if that fails.
    """

    title: str
    subtitle: str
    side: Callable[[], Awaitable[Side]]


class CompareWith(ChooseDialog[Candidate]):
    """The dialog for choosing what to compare a result with; returns the candidate.

    Args:
        what: what will be compared, in a few words.
        candidates: at least one.
    """

    def __init__(self, what: str, candidates: Sequence[Candidate]) -> None:
        choices = [Choice(one.title, one.subtitle) for one in candidates]
        super().__init__(f"Compare {what} with", choices, candidates, "Compare")


def differing(side: Side, other: Side) -> str:
    """The arguments of one side that differ from the other's, in words; empty if there are none."""
    differences = []
    for name in sorted({*side.arguments, *other.arguments}):
        value, beside = side.arguments.get(name), other.arguments.get(name)
        if value != beside:
            differences.append(
                f"{name} {shortened(visible_line(value), _LONGEST_ARGUMENT) if value is not None else 'not set'}"
            )
    return ", ".join(differences)


def _name_in(body: bytes) -> str:
    """A name for an object: its name, number or email, or else its id; empty if it has none of these."""
    return shortened(visible_line(label_of(values_of(body))), _LONGEST_NAME)


def heading(side: Side, other: Side) -> tuple[str, str]:
    """The heading of a side: how it differs from the other, or its name; and its account and time."""
    account, part = visible_line(side.connection), visible_line(side.part)
    name = _name_in(side.body)
    called = name if name and (part or name != _name_in(other.body)) else part
    apart = [account] if side.connection != other.connection else []
    apart += [one for one in (called, differing(side, other)) if one]
    ours = account if account not in apart else ""
    facts = ["" if part == called else part, side.tool if apart else "", ours, local_moment(side.at), side.page]
    return " · ".join(apart) or side.tool, " · ".join(one for one in facts if one)
