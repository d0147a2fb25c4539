"""Verifies an audit log: its chain, its entries, and the copy of the chain on a team's server.

It finds rows that were edited, removed, inserted or moved, and entries that differ from their rows. A chain alone cannot show
that its end was cut off, nor that the whole chain was rewritten with valid hashes; the server's copy shows both.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Literal

from registry.journal.chain import FIRST, Link, legible, links, sent, values_of
from registry.journal.store import Store

Kind = Literal["edited", "missing", "moved", "does not follow", "cut off", "differs", "entry"]

_MOST_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class Fault:
    """A mismatch.

    Attributes:
        where: ``here``, or ``server``.
        kind: the kind of mismatch; ``entry`` is about an entry, all others about rows of the chain.
        first, last: the numbers of the rows, or of the entry, that it is about.
        words: a sentence that describes it.
    """

    where: str
    kind: Kind
    first: int
    last: int
    words: str


@dataclass(slots=True)
class Verified:
    """The result of verifying a chain.

    Attributes:
        chain: its id.
        rows: the number of rows.
        entries: how many entries are in the log; 0 on a server.
        faults: the mismatches.
        hashes: the hash of each row, by its number.
        sent: the last row that was known to be on the server.
    """

    chain: str = ""
    rows: int = 0
    entries: int = 0
    faults: list[Fault] = field(default_factory=list)
    hashes: dict[int, str] = field(default_factory=dict)
    sent: int = 0

    @property
    def last(self) -> int:
        """The number of the last row."""
        return max(self.hashes, default=0)


class Reading:
    """One pass over a chain, from its first row to its last; does not keep the contents.

    Args:
        where: ``here``, or ``server``.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self.found = Verified()
        self._pruned: dict[int, str] = {0: FIRST}
        self._gaps: list[tuple[int, int, str]] = []
        self._before: Link | None = None
        self._bad: list[Link] = []
        self._bad_numbers: set[int] = set()
        self._unfollowing: list[int] = []

    def take(self, link: Link) -> None:
        """Check the next row."""
        found, before = self.found, self._before
        found.chain, found.rows = link.chain, found.rows + 1
        found.hashes[link.sequence] = link.hash
        if not link.fits():
            self._bad_numbers.add(link.sequence)
            if len(self._bad) < _MOST_KEPT:
                self._bad.append(link)
        elif link.event == "pruned" and (rows := _number(link.values.get("rows"))):  # 0 if only entries were removed
            self._pruned[rows] = link.values.get("hash", "")
        if before is None or link.sequence != before.sequence + 1:
            self._gaps.append((before.sequence + 1 if before is not None else 1, link.sequence - 1, link.previous))
        elif link.previous != before.hash:
            self._unfollowing.append(link.sequence)
        self._before = link

    def end(self) -> Verified:
        """The result; call it once, after the last row."""
        for first, last, previous in self._gaps:
            if self._pruned.get(last) == previous or (last + 1 in self._bad_numbers and first > last):
                continue
            if first > last:
                self._fault("does not follow", 1, 1, "Row 1 does not begin a chain.")
            else:
                self._missing(first, last)
        places = {hash_: number for number, hash_ in self.found.hashes.items() if number not in self._bad_numbers}
        for link in self._bad:
            place = places.get(link.previous, -1) + 1
            if place and place != link.sequence and link.fits(place):
                places[link.hash] = place
                words = f"Row {link.sequence} belongs in place {place}: rows were exchanged, or one was inserted or removed."
                self._fault("moved", link.sequence, place, words)
            else:
                self._fault("edited", link.sequence, link.sequence, f"Row {link.sequence} was edited.")
        for number in self._unfollowing:
            if not {number, number - 1} & self._bad_numbers:
                words = f"Row {number} does not follow row {number - 1}: one of them was inserted, exchanged or rewritten."
                self._fault("does not follow", number, number, words)
        self.found.faults.sort(key=lambda one: one.first)
        return self.found

    def _missing(self, first: int, last: int) -> None:
        words = f"Row {first} is missing." if first == last else f"Rows {first} to {last} are missing."
        self._fault("missing", first, last, words)

    def _fault(self, kind: Kind, first: int, last: int, words: str) -> None:
        self.found.faults.append(Fault(self._where, kind, first, last, words))


def verify_log(store: Store) -> Verified:
    """Verify an audit log alone: its chain, and each entry against its rows. Blocks.

    Raises:
        sqlite3.Error, OSError: the file cannot be read.
    """
    with closing(store.open()) as database:
        database.text_factory = legible
        database.execute("BEGIN")  # all reads see the same state
        reading, entries, pruned = Reading("here"), dict[int, dict[str, int]](), 0
        for link in links(database):
            reading.take(link)
            if link.event == "pruned":
                pruned = max(pruned, _number(link.values.get("entries")))
            elif link.entry:
                entries.setdefault(link.entry, {}).update({name: hash(repr(one)) for name, one in link.values.items()})
        found = reading.end()
        for row in database.execute("SELECT * FROM changes ORDER BY id"):
            found.entries += 1
            _compare(found, row, entries.pop(row["id"], None))
        for number in sorted(entries):
            if number > pruned:
                found.faults.append(Fault("here", "entry", number, number, f"Entry {number} was removed from the log."))
        found.sent = sent(database)
        return found


def _compare(found: Verified, row: sqlite3.Row, held: dict[str, int] | None) -> None:
    number = row["id"]
    if held is None:
        words = f"Entry {number} has no row in the chain: it was inserted, or its rows were removed."
        found.faults.append(Fault("here", "entry", number, number, words))
        return
    now = {name: hash(repr(value)) for name, value in values_of(row).items()}
    if edited := [name for name, value in now.items() if held.get(name) != value]:
        words = f"Entry {number} was edited: {', '.join(edited)}."
        found.faults.append(Fault("here", "entry", number, number, words))


def compare_copies(here: Verified, there: Verified) -> list[Fault]:
    """The faults that only a comparison with the server's copy can show."""
    faults = [
        Fault("here", "differs", number, number, f"Row {number} is not the one that was sent to the server.")
        for number, hash_ in sorted(there.hashes.items())
        if number in here.hashes and here.hashes[number] != hash_
    ]
    if there.last > here.last:
        words = f"The end was cut off: the server has the rows {here.last + 1} to {there.last} of this log."
        faults.append(Fault("here", "cut off", here.last + 1, there.last, words))
    if there.last < here.sent:
        words = f"The rows {there.last + 1} to {here.sent} were sent, and the server does not have them any more."
        faults.append(Fault("server", "cut off", there.last + 1, here.sent, words))
    return faults


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0
