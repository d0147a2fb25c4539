"""A page as values: an object and its related objects, at one moment of loading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from registry.display.readings import money
from registry.pages.definition import Tone
from registry.pages.readings import words

if TYPE_CHECKING:
    from registry.calling.result import Failure, Result

State = Literal["loading", "waiting", "complete", "partial", "failed"]


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a page: an object's type and id, and the call that reads it.

    Attributes:
        type: the object's type.
        id: its id.
        tool: the name of the tool that reads it; one that lists its type where none reads it by its id.
        arguments: the call's arguments.
        listed: the call answers with a list in which the object has to be found.
    """

    type: str
    id: str
    tool: str
    arguments: Mapping[str, object]
    listed: bool = False


@dataclass(frozen=True, slots=True)
class ObjectLink:
    """A link to an object: enough to open its page.

    Attributes:
        toolkit: the toolkit that it belongs to.
        type: its type; empty where only its id tells.
        id: its id.
        owners: ids of the objects around it, by type; what is reached through its owner only needs one of them.
    """

    toolkit: str
    type: str
    id: str
    owners: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PageRow:
    """An object of a section.

    Attributes:
        state: its state in words; empty where it has none.
        tone: how the state is meant.
        cells: what else is said of it.
        link: the object; None for what has no id.
        item: the object itself, credentials and the like redacted.
        at: its time in Unix seconds, where it has one.
    """

    state: str
    tone: Tone
    cells: tuple[str, ...]
    link: ObjectLink | None
    item: Mapping[str, Any]
    at: float | None = None


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section, with the state of its call.

    Attributes:
        id: its name within the page.
        title: its heading.
        tool: the tool behind it; empty where the object itself holds it.
        arguments: with which it is called.
        state: ``loading``; ``waiting`` for another section; ``complete``; ``partial``, where the list goes on or a later page
            of it failed; ``failed``.
        count: how many objects there are, as far as it is known.
        is_total: the service has told the number of all; otherwise it is the number of those that were read.
        rows: those that were read, in the service's order.
        by_state: how many of those that were read are in each state, by the service's own word.
        sums: the sum of their amounts by currency, in its smallest unit.
        sum_label: what the sums are: ``due``, ``received``.
        reason: why it failed, is partial or waits, in words.
        note: what the reader should know of it.
        brief: shown in a line where all is well.
        results: what came of its calls.
    """

    id: str
    title: str
    tool: str = ""
    arguments: Mapping[str, object] | None = None
    state: State = "loading"
    count: int = 0
    is_total: bool = False
    rows: tuple[PageRow, ...] = ()
    by_state: Mapping[str, int] = field(default_factory=dict)
    sums: Mapping[str, int] = field(default_factory=dict)
    sum_label: str = ""
    reason: str = ""
    note: str = ""
    brief: bool = False
    results: tuple[Result, ...] = ()

    @property
    def loaded(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ("complete", "partial", "failed")

    @property
    def summary(self) -> str:
        """How many of each state, and the sums, in words: ``3 paid, 1 open · $42.00``."""
        states = (
            ", ".join(f"{count} {words(state)}" for state, count in self.by_state.items()) if len(self.by_state) > 1 else ""
        )
        sums = [money(amount, currency) for currency, amount in self.sums.items() if amount]
        if sums and self.sum_label:
            sums[-1] += f" {self.sum_label}"
        return " · ".join(filter(None, (states, *sums)))

    @property
    def counted(self) -> str:
        """How many there are, in words: ``4``, ``100+``, or ``not known``."""
        if self.state == "failed" or not self.loaded:
            return "not known" if self.state == "failed" else ""
        return f"{self.count}" if self.state == "complete" or self.is_total else f"{self.count}+"


@dataclass(frozen=True, slots=True)
class Attention:
    """Something that needs attention, and its reason."""

    words: str
    why: str
    tone: Tone
    link: ObjectLink | None


@dataclass(frozen=True, slots=True)
class Moment:
    """An entry of the timeline.

    Attributes:
        at: when, in Unix seconds; later than now for what is to come.
        words: what happens.
        tone: how it is meant.
        section: the section that it comes from; empty for the object itself.
        toolkit: the toolkit of that section.
        link: the object that it happened to.
    """

    at: float
    words: str
    tone: Tone
    section: str
    toolkit: str
    link: ObjectLink | None


@dataclass(frozen=True, slots=True)
class Repeated:
    """Neighbours of the timeline that say the same, the newest first; mostly one alone."""

    moments: tuple[Moment, ...]

    @property
    def first(self) -> Moment:
        """The earliest."""
        return self.moments[-1]

    @property
    def last(self) -> Moment:
        """The latest."""
        return self.moments[0]


def repeated(moments: Iterable[Moment], now: float) -> list[Repeated]:
    """A timeline with neighbours folded that say the same of the same section; what is to come stays apart from what was."""

    def said(one: Moment) -> tuple[object, ...]:
        return one.words, one.section, one.toolkit, one.tone, one.at > now

    return [Repeated(tuple(group)) for _, group in groupby(moments, key=said)]


@dataclass(frozen=True, slots=True)
class Page:
    """The page of an object.

    Attributes:
        subject: what it is about.
        toolkit: the toolkit of the object.
        title: what people call it.
        headline: what it is, and whether it is well, in a sentence.
        tone: how that is meant.
        facts: what else is known of it.
        object: the object itself, credentials and the like redacted; None until it came.
        head: the call that read it.
        failure: why the object could not be read.
        attention: what needs attention; while sections load, as far as it is known.
        sections: in the order of the definition.
        timeline: the newest first.
        now: the present for which all of this is said, in Unix seconds.
        seconds: how long loading took so far.
        requests: how many requests were sent.
        shared: the shared folder whose definition it follows; empty for the toolkit's own.
        zone: the zone that its times are told in; None for this computer's.
        develops: what it says changes by itself, such as an incident that is open: it is to be read again and again.
    """

    subject: Subject
    toolkit: str
    title: str = ""
    headline: str = ""
    tone: Tone = "text"
    facts: tuple[str, ...] = ()
    object: Mapping[str, Any] | None = None
    head: Result | None = None
    failure: Failure | None = None
    attention: tuple[Attention, ...] = ()
    sections: tuple[PageSection, ...] = ()
    timeline: tuple[Moment, ...] = ()
    now: float = 0.0
    seconds: float = 0.0
    requests: int = 0
    shared: str = ""
    zone: tzinfo | None = None
    develops: bool = False

    @property
    def loaded(self) -> bool:
        """Whether nothing more will come."""
        return self.failure is not None or (self.object is not None and all(one.loaded for one in self.sections))

    @property
    def complete(self) -> bool:
        """Whether everything was read."""
        return self.object is not None and all(one.state == "complete" for one in self.sections)
