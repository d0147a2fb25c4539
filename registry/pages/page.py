"""A page as values: an object and its related objects, at one moment of loading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import groupby
from typing import Any, Literal

from registry.calling.result import Failure, Result
from registry.pages.definition import Tone
from registry.pages.templates import words
from registry.text.readings import money

State = Literal["loading", "waiting", "complete", "partial", "failed"]


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a page: an object's type and id, and the call that reads it.

    Attributes:
        type: the object's type.
        id: its id.
        tool: the name of the tool that reads it, or of one that lists its type if no tool reads it by its id.
        arguments: the call's arguments.
        listed: the call returns a list in which the object must be found.
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
        toolkit: its toolkit.
        type: its type; empty if only its id shows it.
        id: its id.
        owners: ids of the objects around it, by type; objects that are reached only through their owner need one of them.
    """

    toolkit: str
    type: str
    id: str
    owners: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PageRow:
    """An object of a section.

    Attributes:
        state: its state in words; may be empty.
        tone: the state's tone.
        cells: the other cells of the row.
        link: the link to the object; None without an id.
        item: the object itself, with secrets redacted.
        at: its time in Unix seconds, if it has one.
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
        tool: the tool that reads it; empty if the object itself holds it.
        arguments: the tool's arguments.
        state: ``loading``; ``waiting`` for another section; ``complete``; ``partial`` (there are more pages, or one
            failed); ``failed``.
        count: the number of objects, as far as known.
        is_total: the service reported this number; otherwise it is the number of objects that were read.
        rows: the objects that were read, in the service's order.
        by_state: the number of read objects in each state, by the service's own word.
        sums: the sums of their amounts by currency, in its smallest unit.
        sum_label: what the sums are: ``due``, ``received``.
        reason: why it failed, is partial or waits, in words.
        note: a note for the reader.
        brief: shown in one line if all is in order.
        results: the results of its calls.
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
        """The number of each state, and the sums, in words: ``3 paid, 1 open · $42.00``."""
        states = (
            ", ".join(f"{count} {words(state)}" for state, count in self.by_state.items()) if len(self.by_state) > 1 else ""
        )
        sums = [money(amount, currency) for currency, amount in self.sums.items() if amount]
        if sums and self.sum_label:
            sums[-1] += f" {self.sum_label}"
        return " · ".join(filter(None, (states, *sums)))

    @property
    def counted(self) -> str:
        """The number of objects in words: ``4``, ``100+``, or ``not known``."""
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
        at: when, in Unix seconds; may be in the future.
        words: what happens.
        tone: how it is meant.
        section: the section that it comes from; empty for the object itself.
        toolkit: the toolkit of that section.
        link: its object.
    """

    at: float
    words: str
    tone: Tone
    section: str
    toolkit: str
    link: ObjectLink | None


def repeated(moments: Iterable[Moment], now: float) -> list[tuple[Moment, ...]]:
    """A timeline with adjacent equal entries of one section together; future entries are not put together with past ones."""

    def said(one: Moment) -> tuple[object, ...]:
        return one.words, one.section, one.toolkit, one.tone, one.at > now

    return [tuple(group) for _, group in groupby(moments, key=said)]


@dataclass(frozen=True, slots=True)
class ObjectPage:
    """The page of an object.

    Attributes:
        subject: its subject.
        toolkit: the toolkit of the object.
        title: the object's name for people.
        headline: a sentence that says what it is, and whether it is in order.
        tone: the headline's tone.
        facts: the facts below the headline.
        object: the object itself, with secrets redacted; None until it was read.
        head: the call that read it.
        failure: why the object could not be read.
        attention: what needs attention; while sections load, as far as known.
        sections: in the order of the definition.
        timeline: the newest first.
        now: the time to which all of this refers, in Unix seconds.
        seconds: how long loading has taken so far.
        requests: how many requests were sent.
        shared: the shared folder with its definition; empty for the toolkit's own.
        zone: the zone of its times; None for this computer's.
        develops: whether its object changes by itself, such as an open incident, so that it must be read repeatedly.
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
    def is_deleted(self) -> bool:
        """Whether the service says that the object was deleted."""
        return self.object is not None and self.object.get("deleted") is True

    @property
    def complete(self) -> bool:
        """Whether everything was read."""
        return self.object is not None and all(one.state == "complete" for one in self.sections)

    @property
    def progress(self) -> str:
        """How much of it was read, in words: ``loading …``, ``complete``, ``partial`` or ``not loaded``."""
        if not self.loaded:
            return "loading …"
        return "complete" if self.complete else "partial" if self.object is not None else "not loaded"
