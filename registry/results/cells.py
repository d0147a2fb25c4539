"""The text of a table's cells, their sort keys, the tones of states, and the names of ids that this run has seen.

A cell is made from the JSON text of its value, and its words are safe for a screen: no control sequences, and secrets redacted.
Absent, null and empty look different: no text, ``null``, and ``""`` or ``[]`` or ``{}``.
"""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, NamedTuple

from registry.accounts.secrets import MASK
from registry.calling.receiving import is_sensitive
from registry.calling.times import InvalidValue, instant
from registry.results.spool import elements, members, string, values_of
from registry.text.shown import counted, is_amount, moment, money, places, shortened, visible_json, visible_line

_NAME_PROPERTIES = ("name", "display_name", "summary", "title", "number", "nickname", "email", "description", "id")
_MOST, _LONGEST = 20_000, 60


class Names:
    """Ids with their names. Beyond twenty thousand, the oldest are removed."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def of(self, id_: str) -> str:
        """The name of an id; empty if it is not known."""
        return self._names.get(id_, "")

    def learn(self, items: Iterable[bytes]) -> None:
        """Learn names from objects, each a JSON text; also those next to an id (``owner``, ``owner_name``)."""
        for item in items:
            self._take(values_of(item))
        for one in list(self._names)[: max(len(self._names) - _MOST, 0)]:
            del self._names[one]

    def note(self, names: Mapping[str, str]) -> None:
        """Add names from elsewhere, by id; known ones stay."""
        for id_, words in names.items():
            if id_ not in self._names:
                self._note(id_, words)

    def _take(self, found: Mapping[str, Any], deep: int = 0) -> None:
        for name, value in found.items():
            if isinstance(value, dict) and deep < 2:
                self._take(value, deep + 1)
            elif isinstance(value, str) and isinstance(words := found.get(f"{name}_name"), str):
                self._note(value, words)
        id_, words = found.get("id"), label_of(found)
        if isinstance(id_, str) and words != id_:
            self._note(id_, words)

    def _note(self, id_: str, words: str) -> None:
        if id_ and words.strip():
            self._names[id_] = shortened(visible_line(words), _LONGEST)


def label_of(values: Mapping[str, Any]) -> str:
    """What names an object: the first of its properties that do, else its id; empty without any. Secrets name nothing."""
    for name in _NAME_PROPERTIES:
        words = values.get(name)
        if (
            isinstance(words, str)
            and 0 < len(words.strip()) <= _LONGEST
            and not is_sensitive(json.dumps(name), json.dumps(words))
        ):
            return words
    return ""


ValueKind = Literal["text", "number", "money", "time", "word", "whole", "nothing"]

_NAMING = ("summary", "name", "id")
_LISTED = 3
_CURRENCY = 8
_AMOUNT_IN_WORDS = re.compile(r"(?<![\w.,-])-?[\d,]+(?:\.\d+)? [A-Z]{3}\b")
_TYPED_NUMBER = re.compile(r"([-+]?(?:\d{1,3}(?:,\d{3})+|\d*)(?:\.\d*)?(?:[eE][-+]?\d+)?)(?: [A-Z]{3})?")


class Cell(NamedTuple):
    """A cell: its words, and the kind of its value.

    ``word`` is true or false, ``whole`` a summary of an object or a list, ``nothing`` a value that is absent, null, empty or
    masked.
    """

    text: str
    kind: ValueKind


ABSENT = Cell("", "nothing")
NULL = Cell("null", "nothing")
_MASKED = Cell(MASK, "nothing")


def cell(key: str | None, value: bytes | None, currency: str | None = None) -> Cell:
    """The cell of a value, given as its JSON text; `key` is the property's name in JSON, None for an item itself."""
    if value is None:
        return ABSENT
    text = value.decode("utf-8", errors="replace")
    match text[:1]:
        case '"':
            if is_sensitive(key, text):
                return _MASKED
            if (at := moment(key, text)) is not None:
                return Cell(f"{at:%Y-%m-%d %H:%M}", "time")
            said = visible_line(string(value) or "")
            return Cell(said, "text") if said else Cell('""', "nothing")
        case "{" | "[":
            return _whole(value)
        case "n":
            return NULL
        case "t" | "f":
            return Cell(text, "word")
    if (at := moment(key, text)) is not None:
        return Cell(f"{at:%Y-%m-%d %H:%M}", "time")
    if currency and is_amount(key, text):
        return Cell(visible_line(money(int(text), currency)), "money")
    return Cell(visible_line(text), "number")


def number(key: str | None, value: bytes | None, currency: str | None = None) -> Decimal | None:
    """The value of a number, an amount (in whole units of its currency) or a time (in Unix seconds); None for other values."""
    if value is None or value[:1] in b"{[tfn":
        return None
    text = value.decode("utf-8", errors="replace")
    if (at := moment(key, text)) is not None:
        return Decimal(repr(at.timestamp()))
    if text.startswith('"'):
        # An amount in words: with parts of the smallest unit, or the least of several.
        said = _AMOUNT_IN_WORDS.search(text) if is_amount(key, "0") else None
        return typed_number(said[0]) if said is not None else None
    amount = exact(text)
    if amount is not None and currency and is_amount(key, text):
        return amount.scaleb(-places(currency))
    return amount


def typed_number(text: str) -> Decimal | None:
    """A number as people type it, or as tables show it: ``1,234.50 USD``; None if it is not a number."""
    typed = _TYPED_NUMBER.fullmatch(text.strip())
    return exact(typed[1].replace(",", "")) if typed is not None else None


def exact(text: str) -> Decimal | None:
    """A number exactly as written, of any size; None if it is not a number."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        # The exponent is too large.
        return Decimal("-Infinity" if text.startswith("-") else "Infinity") if text[-1:].isdecimal() else None
    return None if found.is_nan() else found


def moment_of(text: str, now: float) -> Decimal | None:
    """The Unix seconds of a typed time, in UTC like the times in tables; None if it is not a time."""
    try:
        return Decimal(repr(instant(text, now, UTC).at.timestamp()))
    except InvalidValue:
        return None


def currency_of(value: bytes | None) -> str | None:
    """A currency's code in lower case, if a value is one."""
    said = string(value) if value is not None and len(value) <= _CURRENCY else None
    return said.lower() if said else None


def quoted(name: str) -> str:
    """A property's name as in JSON text."""
    return json.dumps(name, ensure_ascii=False)


def _whole(value: bytes) -> Cell:
    """An object's summary, name or id, or else its first values; a list's items if there are few, or their number."""
    if value.startswith(b"["):
        return _several(elements(value), "")
    inside = members(value)
    if not inside:
        return Cell("{}", "nothing")
    if (name := _name(inside)) is not None:
        return Cell(name, "whole")
    if (data := inside.get("data", b"")).startswith(b"["):
        return _several(elements(data), "+" if inside.get("has_more") == b"true" else "")
    said = [
        f"{visible_line(name)} {text}" for name, value in inside.items() if (text := _scalar(value)) not in (None, "", "null")
    ]
    return Cell(", ".join(said[:_LISTED]) + (", …" if len(said) > _LISTED else "") or "…", "whole")


def _several(values: list[bytes], more: str) -> Cell:
    if not values:
        return Cell("[]", "nothing")
    if len(values) <= _LISTED and not more:
        names = [_name(members(value)) if value.startswith(b"{") else _scalar(value) for value in values]
        if all(name is not None for name in names):
            return Cell(", ".join(name for name in names if name is not None), "whole")
    return Cell(f"{len(values):,}+ items" if more else counted(len(values), "item"), "whole")


def _name(inside: dict[str, bytes]) -> str | None:
    for member in _NAMING:
        if said := string(inside.get(member, b"")):
            return visible_line(said)
    return None


def _scalar(value: bytes) -> str | None:
    if value[:1] in b"[{":
        return None
    said = string(value)
    return visible_line(said) if said is not None else visible_json(value.decode("utf-8", errors="replace"))


# The tones of states, by the words of services: whether all is in order, or attention is needed.

# `waits`: something is under way. `over`: it ended and needs no attention. `plain`: the word is not known.
Tone = Literal["good", "warn", "bad", "waits", "over", "plain"]

# The sign of each tone, so that colour is never the only difference.
SIGNS: dict[Tone, str] = {"good": "✓", "warn": "!", "bad": "✗", "waits": "◦", "over": "×", "plain": " "}

_WORDS: dict[Tone, str] = {
    "good": (
        "paid succeeded active complete completed won accepted verified enabled available approved trialing ok resolved posted "
        "online ready delivered confirmed"
    ),
    "warn": (
        "past_due unpaid requires_action requires_payment_method requires_confirmation incomplete needs_response paused "
        "warning warning_needs_response maintenance restricted under_review warning_under_review uncollectible acknowledged"
    ),
    "bad": (
        "failed lost blocked declined errored unverified incomplete_expired critical triggered timed_out internal_failure "
        "verification_failed rejected"
    ),
    "waits": "draft pending processing scheduled in_transit queued in_progress requires_capture awaiting_funds advancing",
    "over": "void voided canceled cancelled expired inactive disabled closed archived deleted used unrequested offline",
}
_TONES: dict[str, Tone] = {word: tone for tone, words in _WORDS.items() for word in words.split()}
_PROPERTIES = frozenset(("status", "state", "payment_status", "verification_status"))


def tells_state(name: str) -> bool:
    """Whether a property with this name holds a state."""
    return name.casefold() in _PROPERTIES


def tone_of(state: str) -> Tone:
    """The tone of a state."""
    return _TONES.get(state.casefold().replace(" ", "_"), "plain")
