"""A list of items as a table: its rows are the items, its columns those that were found or chosen.

A row is parsed when it is shown and not kept, so that a table of a million rows on disk needs no more memory than one of a
hundred.

The filter that people type is in the grammar of `registry.text.filter_line`: words that must all match, in any case. A word is

- ``text``: a cell of any shown column contains it;
- ``column:text``: the cell of that column contains it; ``column=text`` and ``column!=text``: the whole cell is that, or is not;
  ``column=""``: it is empty, null or absent;
- ``column>9``, ``>=``, ``<`` and ``<=``: compares numbers, amounts in whole units of their currency (``amount>42.50``), times
  in the usual grammar (``created>-7d``, ``created<2025-08-12``), and text alphabetically;
- ``!`` before a word, or ``-`` before a column: negated; ``AND`` between words changes nothing;
- quotes around text with spaces or signs: ``"a b"``, ``name:"a b"``.

Columns are named by their titles, or by the last part of one (``city`` for ``address.city``) if that is unambiguous.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from difflib import get_close_matches
from operator import itemgetter
from typing import TypeVar

from registry.results.cells import cell, moment_of, number, typed_number
from registry.results.columns import CellReader, Column, Value
from registry.text.filter_line import Word, words_of
from registry.text.shown import shortened, visible_line

Check = Callable[[int], None]  # called now and then with the number of items done; raises `Cancelled` to end the work

T = TypeVar("T")
_EVERY = 1_024


def go_on(_: int) -> None:
    """The check for work that is never cancelled."""


def watched(things: Iterable[T], check: Check) -> Iterator[T]:
    """Things one by one, with a check now and then and at the end."""
    done = 0
    for done, one in enumerate(things):
        if done % _EVERY == 0:
            check(done)
        yield one
    check(done)


Order = list[int]  # indexes of items

_LONGEST = 1_000


def order(
    items: Sequence[bytes],
    column: Column,
    *,
    descending: bool = False,
    among: Order | None = None,
    check: Check = go_on,
) -> Order:
    """The indexes of the items in the order of a column.

    Numbers, amounts and times come before text, and both before null; absent values come last, in both directions. Numbers
    compare by their exact value, amounts in whole units of their currency, text case-insensitively and by its first thousand
    characters. Equal rows keep their order. `among`: the indexes to sort, by default all.
    """
    places = among if among is not None else range(len(items))
    numbers: list[tuple[Decimal, int]] = []
    texts: list[tuple[str, int]] = []
    nulls: Order = []
    absent: Order = []
    reader = CellReader([column])
    for place in watched(places, check):
        value = reader.values(items[place])[0]
        if value[1] is None:
            absent.append(place)
        elif value[1] == b"null":
            nulls.append(place)
        elif (counts_as := number(*value)) is not None:
            numbers.append((counts_as, place))
        else:
            texts.append((cell(*value).text[:_LONGEST].casefold(), place))
    numbers.sort(key=itemgetter(0), reverse=descending)
    texts.sort(key=itemgetter(0), reverse=descending)
    found = [[place for _, place in numbers], [place for _, place in texts]]
    first, second = reversed(found) if descending else found
    return [*first, *second, *nulls, *absent]


Test = Callable[[Value], bool]


class BadFilter(ValueError):
    """An invalid filter; the message says why."""


# A test of the values of some columns, by their places, and whether at least one must pass it or none may.
_Word = tuple[Sequence[int], Test, bool]


class Filter:
    """A parsed filter. Words without a column are searched in those that are `shown`; `every` column may be named.

    Raises:
        BadFilter: it is invalid.
    """

    def __init__(self, text: str, shown: Sequence[Column], every: Sequence[Column], now: float | None = None) -> None:
        self._now = time.time() if now is None else now
        self._shown = shown
        self._every = every
        self._columns: list[Column] = []
        self._words = [self._word(found, text) for found in _words(text)]

    def matching(self, items: Sequence[bytes], *, check: Check = go_on) -> Order:
        """The indexes of the matching items, in order."""
        reader = CellReader(self._columns)
        found = []
        for place in watched(range(len(items)), check):
            values = reader.values(items[place])
            if all(any(test(values[one]) for one in places) == wanted for places, test, wanted in self._words):
                found.append(place)
        return found

    def _word(self, found: Word, line: str) -> _Word:
        text, wanted = found.value, not found.negated
        column = self._column(found.name, found.sign) if found.name else None
        if column is None or (not text and not found.quoted and found.end < len(line)):
            if found.name:  # a text with a colon in it
                wanted = not line.startswith("!", found.start)
                text = line[found.start + (not wanted) : found.end]
            return [self._place(column) for column in self._shown], _contains(text), wanted
        if not text and not found.quoted:
            raise BadFilter(f"{column.title}{found.sign} needs a value")
        places = [self._place(column)]
        if found.sign[0] not in "<>":
            return places, _contains(text) if found.sign in (":", "~") else _equals(text), wanted
        as_number, as_time = typed_number(text), moment_of(text, self._now)
        shown = f"{column.title}{found.sign} compares {{}}, and “{visible_line(shortened(text, 40))}” is none"
        if column.kind == "time" and as_time is None and as_number is None:
            raise BadFilter(f"{shown.format('times')}; write 2026-11-24, -7d or yesterday")
        if column.kind in ("number", "money") and as_number is None:
            raise BadFilter(f"{shown.format('numbers')}; write 1234.50")
        return places, _compares(found.sign, text, as_number, as_time), wanted

    def _column(self, name: str, sign: str) -> Column | None:
        """The column with a name; None for a name that is none, and not nearly one: it is text, as in ``https://…``."""
        wanted = name.casefold()
        whole = [column for column in self._every if column.title.casefold().replace(" ", "_") == wanted]
        last = [column for column in self._every if column.path and column.path[-1].casefold() == wanted]
        if whole or len(last) == 1:
            return (whole or last)[0]
        shown = visible_line(shortened(name, 40))
        if last:
            raise BadFilter(f"several columns are named “{shown}”: " + ", ".join(column.title for column in last[:4]))
        if near := get_close_matches(wanted, [column.title for column in self._every], 1):
            raise BadFilter(f"no column is named “{shown}”; did you mean {near[0]}?")
        if sign[0] in "<>":
            raise BadFilter(f"no column is named “{shown}”")
        return None

    def _place(self, column: Column) -> int:
        if column not in self._columns:
            self._columns.append(column)
        return self._columns.index(column)


def _words(text: str) -> list[Word]:
    found = words_of(text)
    for word in found:
        if ("quote" in word.fault and text[word.value_start] == '"') or (not word.quoted and '"' in word.value):
            raise BadFilter("unmatched quote, or text directly next to a quote")
        if word.joint == "OR":
            raise BadFilter("OR does not work here: all words must match")
        if word.fault and not word.name and "quote" not in word.fault:
            lacks = "! needs a text or a condition after it" if word.negated else f"{word.joint} needs something after it"
            raise BadFilter(lacks)
        if word.key is not None:
            raise BadFilter("put brackets in quotes")
    return found


def _contains(text: str) -> Test:
    wanted = visible_line(text).casefold()
    return lambda value: wanted in cell(*value).text.casefold()


def _equals(text: str) -> Test:
    wanted, as_number = visible_line(text).casefold(), typed_number(text)

    def test(value: Value) -> bool:
        if not wanted:
            return cell(*value).kind == "nothing"
        if as_number is not None and number(*value) == as_number:
            return True
        return cell(*value).text.casefold() == wanted

    return test


def _compares(sign: str, text: str, as_number: Decimal | None, as_time: Decimal | None) -> Test:
    wanted = visible_line(text).casefold()
    greater, or_same = sign.startswith(">"), sign.endswith("=")

    def test(value: Value) -> bool:
        shown = cell(*value)
        if shown.kind == "nothing":
            return False
        if (counts_as := number(*value)) is not None:
            limit = as_time if shown.kind == "time" and as_time is not None else as_number
            if limit is None:
                return False
            return (or_same and counts_as == limit) or (counts_as > limit if greater else counts_as < limit)
        said = shown.text.casefold()
        return (or_same and said == wanted) or (said > wanted if greater else said < wanted)

    return test
