"""Texts with values in them: ``{amount|money} due {due_date|date}``; and conditions, in JMESPath.

Between braces is a dotted path, with ``[0]`` for an item of a list, and after ``|`` how the value is shown. ``{@name.path}`` is
a value of the first object of a section, ``{@page.path}`` of the page's object, ``{#name}`` the number of a section's objects,
and ``{start..end|span}`` how long it was between two times. A part between ``[[`` and ``]]`` is omitted if one of its values is
missing; elsewhere a missing value makes the whole text empty.

Conditions use an object's own properties. In addition there are ``now``, ``week_ago``, ``month_ago``, ``week_ahead`` and
``month_ahead`` (Unix seconds), ``this_year``, ``page``, the object of the page, and ``first.section``, the first object of a
section.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

from msgspec import Struct, field

from registry.results.query import Interpreter, QueryError, parse
from registry.text.filter_line import in_quotes
from registry.text.shown import age, countdown, currency_beside, date, distance, lasted, money, shortened, visible_line, when

_PART = re.compile(r"\[\[(.*?)\]\]|\{([^{}|]*)(?:\|(\w+))?\}", re.DOTALL)
_ONE = r"[@#]?[^\s.\[\]{}|]+(\.[^\s.\[\]{}|]+|\[\d+\])*"
_PATH = re.compile(rf"{_ONE}(\.\.{_ONE})?")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_DECIMAL = re.compile(r"-?\d{1,18}(\.\d{1,12})?")
_LONGEST, _LISTED = 300, 3
_LAST_SECOND = 4_102_444_800


def at_path(value: Any, path: str) -> Any:
    """The value inside an object at a dotted path, such as ``items.data[0].price``; None if there is none."""
    for step in _steps(path):
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value


@cache
def _steps(path: str) -> tuple[str | int, ...]:
    return tuple(int(index) if index else name for name, index in _STEP.findall(path))


def currency_along(value: Any, path: str) -> str:
    """The currency of a value: from the innermost object on the path that has one; empty without one."""
    steps = path.split(".")
    holders = ((at_path(value, ".".join(steps[:end])), steps[end]) for end in range(len(steps) - 1, -1, -1))
    found = (currency_beside(step.partition("[")[0], holder.get) for holder, step in holders if isinstance(holder, Mapping))
    return next(filter(None, found), "")


def values_at(value: Any, path: str, currency: str = "") -> Iterator[tuple[Any, str]]:
    """The values at a dotted path, in every item of the lists on it; each with the currency beside or around it."""
    if isinstance(value, list):
        for one in value:
            yield from values_at(one, path, currency)
    elif not path:
        yield value, currency
    elif isinstance(value, Mapping) and (name := path.partition("."))[0] in value:
        yield from values_at(value[name[0]], name[2], currency_beside(name[0], value.get) or currency)


def sums(items: Iterable[Mapping[str, Any]], path: str) -> dict[str, int]:
    """The sum of the amounts at a path by currency, that of most amounts first; different currencies are never added."""
    found = [one for item in items for one in values_at(item, path) if type(one[0]) is int and one[1]]
    currencies = [currency for currency, _ in Counter(currency for _, currency in found).most_common()]
    return {currency: sum(amount for amount, of in found if of == currency) for currency in currencies}


class Context(Struct, frozen=True):
    """The values for a template: the object of the text, that of the page, the first object and the count of each section.

    Counts are texts: ``4``, ``100+``. `title` is for ``{@page.title}``, `now` in Unix seconds; without `zone` times are this
    computer's.
    """

    item: Mapping[str, Any]
    page: Mapping[str, Any] = field(default_factory=dict)
    now: float = 0.0
    firsts: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    zone: tzinfo | None = None


def fill(template: str | Sequence[str], context: Context) -> str:
    """A template with its values, safe for a line on a screen; of several, the first whose values all exist; else empty."""
    texts = (_filled(one, context) for one in ((template,) if isinstance(template, str) else template))
    return visible_line(next((text for text in texts if text is not None), ""))


def fill_arguments(
    arguments: Mapping[str, str | Sequence[str]], context: Context, queries: Sequence[str] = ()
) -> dict[str, object] | None:
    """Arguments of a call, without empty ones; None if a value is missing.

    Quotes and backslashes are removed from the values of `queries`, the parameters that take search expressions.
    """
    found: dict[str, object] = {}
    for name, template in arguments.items():
        if not isinstance(template, str):
            found[name] = list(template)
            continue
        text = _filled(template, context, clean=name in queries, plain=True)
        if text is None:
            return None
        if text:
            found[name] = text
    return found


def template_problem(template: str) -> str:
    """Why a template is invalid; empty if it is valid."""
    bare = _PART.sub("", template)
    if "{" in bare or "}" in bare or "[[" in bare or "]]" in bare:
        return f"has an unmatched brace or bracket: {shortened(template, 60)}"
    for inner, path, reading in _PART.findall(template):
        if inner and (problem := template_problem(inner)):
            return problem
        if not inner and not _PATH.fullmatch(path):
            return f"{{{path}}} is not a path like {{card.last4}} or {{items.data[0].id}}"
        if reading and reading not in READINGS:
            return f"unknown |{reading}; available: {', '.join(sorted(READINGS))}"
    return ""


def paths_in(template: str) -> list[str]:
    """The paths of a template's values, in order, including those in optional parts."""
    found: list[str] = []
    for inner, path, _ in _PART.findall(template):
        found += paths_in(inner) if inner else path.split("..")
    return found


def path_of(path: str) -> tuple[str, ...]:
    """The steps of a path: names, and the places of items in lists."""
    return tuple(map(str, _steps(path)))


def root_of(path: str) -> str:
    """The first part of a path: the property of the object, or the name after ``@`` or ``#``."""
    return re.split(r"[.\[]", path.lstrip("@#"), maxsplit=1)[0]


def value_at(path: str, context: Context) -> Any:
    """The unchanged value at a path of a template, for ``a..b`` both values; None if there is none."""
    if ".." in path:
        return [value_at(one, context) for one in path.split("..")]
    if path.startswith("#"):
        return context.counts.get(path[1:])
    root, inside = _rooted(path, context)
    return at_path(root, inside)


def _rooted(path: str, context: Context) -> tuple[Any, str]:
    """The object that a path of a template begins at, and the path inside it."""
    if not path.startswith("@"):
        return context.item, path
    name = root_of(path)
    return context.page if name == "page" else context.firsts.get(name), path[1 + len(name) :].removeprefix(".")


def _filled(template: str, context: Context, *, clean: bool = False, plain: bool = False) -> str | None:
    """The filled text; None if a value is missing. `clean`: as between quotes; `plain`: values unchanged and of any length."""
    parts: list[str] = []
    last = 0
    for found in _PART.finditer(template):
        parts.append(template[last : found.start()])
        last = found.end()
        if found[1] is not None:
            parts.append(_filled(found[1], context, clean=clean, plain=plain) or "")
            continue
        text = context.title
        if found[2] != "@page.title":
            root, inside = _rooted(found[2], context)
            currency = currency_along(root, inside) or currency_along(context.page, "")
            text = READINGS[found[3] or "plain"](Value(value_at(found[2], context), currency, context.now, context.zone))
        if not text:
            return None
        text = text if plain else shortened(text, _LONGEST)
        parts.append(in_quotes(text) if clean else text)
    return "".join((*parts, template[last:]))


# Conditions


def holds(condition: str, of: Mapping[str, Any], now: float, beside: Mapping[str, Any] | None = None) -> bool:
    """Whether an object meets a condition; an empty one is always met, one that cannot be run is not.

    As in JMESPath, false, null and empty values are false. `beside` are further values by name, such as ``page``.
    """
    if not condition:
        return True
    days = {"now": 0, "week_ago": -7, "month_ago": -30, "week_ahead": 7, "month_ahead": 30}
    moments = {name: int(now) + 86_400 * count for name, count in days.items()}
    moments["this_year"] = datetime.fromtimestamp(now, UTC).year
    try:
        value = Interpreter().run(condition, {**of, **(beside or {}), **moments})
    except QueryError:
        return False
    return value is not False and value is not None and value not in ("", [], {})


def condition_problem(condition: str) -> str:
    """Why a text is not a valid condition; empty if it is."""
    try:
        if condition:
            parse(condition)
    except QueryError as error:
        return f"is not valid JMESPath: {error}"
    return ""


# How values are shown


class Value(NamedTuple):
    """A value, the currency beside it, the current time in Unix seconds, and the zone of times; None for this computer's."""

    value: Any
    currency: str
    now: float
    zone: tzinfo | None = None


def seconds(value: Any) -> float | None:
    """The Unix seconds of a time, which is given as such or as ISO text with a zone; None if it is not a time."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if 0 < value < _LAST_SECOND else None
    if isinstance(value, str) and "T" in value:
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            return None
        return at.timestamp() if at.tzinfo is not None else None
    return None


def words(text: str) -> str:
    """A name of the service's as words: ``past_due`` → ``past due``."""
    return text.replace("_", " ").strip()


def _plain(of: Value) -> str:
    value = of.value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        value = value.get("summary") or value.get("name") or value.get("id")
        return value if isinstance(value, str) else ""
    return str(value) if isinstance(value, str | int | float) else ""


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def decimal(value: Any) -> Decimal | None:
    """An amount that is written as a text, because it may have parts of the currency's smallest unit; None for other values."""
    return Decimal(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else None


def _money(of: Value) -> str:
    value = of.value if type(of.value) is int else decimal(of.value)
    return money(value, of.currency) if of.currency and value is not None else ""


def _names(of: Value) -> str:
    """The names of the objects in a list, or of those inside them: three, and how many more there are."""
    items = [one for one in of.value if isinstance(one, Mapping)] if isinstance(of.value, list) else []
    parts = ((one, *(inside for inside in one.values() if isinstance(inside, Mapping))) for one in items)
    names = [next((name for part in one if (name := _plain(Value(part, "", of.now)))), "") for one in parts]
    return ", ".join(names[:_LISTED]) + (f" +{len(names) - _LISTED}" if len(names) > _LISTED else "")


def _span(of: Value) -> str:
    start, end = (seconds(one) for one in of.value) if isinstance(of.value, list) and len(of.value) == 2 else (None, None)
    return lasted(end - start) if start is not None and end is not None else ""


def _unlike(of: Value) -> str:
    """The second of two codes, in upper case, where it is not the first one."""
    first, second = of.value if isinstance(of.value, list) and len(of.value) == 2 else (None, None)
    return second.upper() if isinstance(first, str) and isinstance(second, str) and first != second else ""


def _moment(at: float, of: Value) -> str:
    then = datetime.fromtimestamp(at).astimezone(of.zone)
    return f"{then:%a} {date(at, of.now, of.zone)} {then:%H:%M %Z}"


def _timed(show: Callable[[float, Value], str]) -> Callable[[Value], str]:
    """Shows a time; empty for other values."""
    return lambda of: show(at, of) if (at := seconds(of.value)) is not None else ""


CLOCKS = ("age", "left", "until")
"""The ways to show a time that change each second."""

# By their names in templates.
READINGS: Mapping[str, Callable[[Value], str]] = {
    "plain": _plain,
    "money": _money,
    "names": _names,
    "more": lambda of: f"+{len(of.value) - 1}" if isinstance(of.value, list) and len(of.value) > 1 else "",
    "span": _span,
    "unlike": _unlike,
    "some_money": lambda of: _money(of) if of.value else "",
    "several": lambda of: str(of.value) if type(of.value) is int and of.value > 1 else "",
    "date": _timed(lambda at, of: date(at, of.now, of.zone)),
    "when": _timed(lambda at, of: when(at, of.now, of.zone)),
    "moment": _timed(_moment),
    "ago": _timed(lambda at, of: distance(at, of.now)),
    "late": _timed(lambda at, of: distance(at, of.now).removesuffix(" ago") if at <= of.now else ""),
    "age": _timed(lambda at, of: age(of.now - at)),
    "left": _timed(lambda at, of: countdown(at, of.now).partition(",")[0]),
    "until": _timed(lambda at, of: f"in {countdown(at, of.now)}" if at > of.now else "now"),
    # For the end of a period that includes it.
    "minute_after": _timed(lambda at, _: datetime.fromtimestamp(at + 60, UTC).isoformat(timespec="seconds")),
    "count": lambda of: str(len(of.value)) if isinstance(of.value, list | Mapping) else "",
    "words": lambda of: words(", ".join(filter(None, (_plain(Value(one, *of[1:])) for one in _items(of.value))))),
    "kind": lambda of: words(_plain(of)).removesuffix(" reference"),
    "title": lambda of: words(_plain(of)).capitalize(),
    "mode": lambda of: {True: "live", False: "test"}[of.value] if isinstance(of.value, bool) else "",
    "yes": lambda of: _plain(of) if isinstance(of.value, bool) else "",
    "only_yes": lambda of: "yes" if of.value is True else "",
    "upper": lambda of: _plain(of).upper(),
    "usd": lambda of: money(of.value, "usd") if type(of.value) is int else "",
    "active": lambda of: {True: "active", False: "inactive"}[of.value] if isinstance(of.value, bool) else "",
    "list": lambda of: ", ".join(filter(None, (_plain(Value(one, *of[1:])) for one in _items(of.value)))),
}
