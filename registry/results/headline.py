"""The sentence above a result, and the one that answers a question.

An answer comes from a template: ``[count]`` is how many there are, with their noun; ``[sum amount]`` the sum of a property, by
currency; ``[first created|date]`` a value of the first one; ``[names user.summary]`` the different values of a property. What
is not the whole list says so.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from registry.calling.arguments import window_of
from registry.calling.listing import listing_of
from registry.calling.result import Result, ResultPage
from registry.calling.several_accounts import SeveralAccounts
from registry.catalog.model import Tool
from registry.catalog.properties import in_order, properties_of
from registry.json_text import NotJson
from registry.references.targets import words_for
from registry.results.cells import Names, label_of, tells_state, tone_of
from registry.results.coverage import narrowed
from registry.results.declared import ListedObject, lists_of
from registry.results.spool import values_of
from registry.results.templates import Context, fill, sums, values_at
from registry.text.filter_line import words_of as filter_words
from registry.text.shown import counted, money, shortened, visible_line

_SHOWN = 60
_BETWEEN = {":": " ", "~": " with "}
_TIMES = ("created", "created_at", "since", "until")
_EARLIEST = "1300000000"  # in 2011, before which there are no objects
_PAGING = ("limit", "offset", "page", "cursor_before", "cursor_after", "expand", "zone", "field", "option", "secret")


class Asked:
    """A call's conditions in words: `before` the noun, `after` it, and the separate `rest`; `states`: it asks for states.

    `name_of` returns the name of an id, empty if it is not known.
    """

    def __init__(self, tool: Tool, raw: Mapping[str, object], name_of: Callable[[str], str]) -> None:
        self.before, self.after, self.rest = list[str](), list[str](), list[str]()
        self.states = False
        self._name_of, self._owners = name_of, properties_of(tool.toolkit).owners
        self._known = lists_of(tool.toolkit).listed(tool.returns.objects).conditions
        for parameter in tool.parameters:
            value = raw.get(parameter.name)
            if value in (None, "", []) or parameter.role in _PAGING:
                continue
            if parameter.role == "query":
                self._query(str(value))
            elif parameter.role == "id" or parameter.refers_to:
                ids = map(str, value[:3] if isinstance(value, list) else [value])
                self.after.append("of " + " and ".join(name_of(one) or visible_line(one) for one in ids))
            else:
                self._condition(parameter.wire_name or parameter.name, ":", value)

    @property
    def words(self) -> str:
        """All conditions in a line, without the noun."""
        return " · ".join(filter(None, (" ".join((*self.before, *self.after)), *self.rest)))

    def _query(self, text: str) -> None:
        found = filter_words(text)
        first = found[0] if found else None
        if first is None or any(one.fault or not one.name or one.key is not None for one in found):
            self.rest.append(_quote(text))
        elif any(one.joint == "OR" for one in found):
            # Several fields that are searched for the same value: ``name or email with ada``.
            alike = all(one.joint == "OR" and (one.sign, one.value) == (first.sign, first.value) for one in found[1:])
            is_search = alike and first.sign in _BETWEEN and not any(one.negated for one in found)
            fields = " or ".join(one.name.replace("_", " ") for one in found)
            self.rest.append(f"{fields}{_BETWEEN[first.sign]}{_quote(first.value)}" if is_search else _quote(text))
        else:
            for one in found:
                name, is_equal = one.name.replace("_", " "), one.sign == ":"
                if says := self._known.get(f"{'-' * one.negated}{one.name}{one.sign}{one.value}"):
                    self.rest.append(says)
                elif one.negated:
                    self.rest.append(f"not {one.name} {_quote(one.value)}")
                elif is_equal and one.value == "true":
                    self.before.append(name)
                elif is_equal and one.value == "false":
                    self.rest.append(f"not {name}")
                else:
                    self._condition(one.name, one.sign, one.value)

    def _condition(self, name: str, sign: str, value: object) -> None:
        name, is_equal = name.removesuffix("[]"), sign == ":"
        values, words = value if isinstance(value, list) else [value], name.replace("_", " ")
        if is_equal and (tells_state(name) or tells_state(name.removesuffix("es").removesuffix("s"))):
            self.states = True
            self.before.append(" or ".join(visible_line(str(one)).replace("_", " ") for one in values))
        elif is_equal and (named := self._name_of(str(value)) or (visible_line(str(value)) if name in self._owners else "")):
            self.after.append(f"of {named}")
        elif name in _TIMES and sign in (">", ">=") and str(value) < _EARLIEST:
            pass  # it leaves nothing out: a search without a condition is not possible
        elif name in _TIMES and sign in (":", ">", ">=", "<", "<=") and (day := _day(value)):
            self.after.append(f"{'until' if sign.startswith('<') or name == 'until' else 'since'} {day}")
        elif isinstance(value, bool):
            self.rest.append(f"{words} {'yes' if value else 'no'}")
        else:
            self.rest.append(f"{words}{_BETWEEN.get(sign, f' {sign} ')}{_quote(', '.join(map(str, values)))}")


def _day(value: object) -> str:
    text = str(value)
    if text.isdecimal() and 8 < len(text) < 12:
        at = datetime.fromtimestamp(int(text), UTC)
        return f"{at.day} {at:%b %Y}"
    return visible_line(text) if re.match(r"\d{4}-\d\d-\d\d", text) else ""


def _quote(text: str) -> str:
    return shortened(visible_line(text), _SHOWN)


_AMOUNTS = ("amount", "total")
_READ, _NAMED_STATES, _MOST_PARTS = 1_000, 2, 5


class Headline(Struct, frozen=True):
    """The sentence for a result.

    Attributes:
        words: the sentence, safe to show in one line.
        complete: for a list, whether all of it is there; None if it is not a list or not known.
        share: for a list, how many of how many: ``7 of 7``, ``10 of 133``, ``first 10``.
        totals: the sums in all currencies, if the sentence has no room for them.
    """

    words: str
    complete: bool | None = None
    share: str = ""
    totals: str = ""


def headline_of(tool: Tool, raw: Mapping[str, object], result: Result, names: Names, gone: Collection[str] = ()) -> Headline:
    """The sentence for a result. It reads the body: call it in a thread.

    Args:
        tool: the tool that was called.
        raw: the arguments as typed.
        result: its result.
        names: names of ids.
        gone: ids of objects that were deleted after the result was received; a list is counted without them.
    """
    if result.failure is not None:
        return Headline(visible_line(result.failure.title))
    usual = Headline(visible_line(tool.summary.rstrip(".")))
    try:
        listing = listing_of(result)
    except NotJson:
        return usual
    if not result.body:
        ids = [raw[one.name] for one in tool.parameters if one.role == "id" and one.name in raw]
        # A deletion without a response body: its object is the last one that was named.
        return Headline(_of_object(tool, {"id": ids[-1]}, names)) if ids and tool.returns.kind == "deletion" else usual
    page, several = result.page, isinstance(result, SeveralAccounts)
    if listing is None or not (several or tool.is_list or page is not None):
        return Headline(_of_object(tool, values_of(result.body), names))
    count, values = len(listing.items), [values_of(item) for item in listing.items[:_READ]]
    if isinstance(result, SeveralAccounts):  # missing parts come first
        found = _of_list(tool, raw, ResultPage(items=count, has_more=bool(result.partial)), values, count, names)
        if result.failed:
            return Headline(f"✗ {len(result.failed)} of {len(result.parts)} accounts failed · {found.words}")
        return Headline(f"{found.words} · {len(result.parts)} accounts", found.complete)
    left = [one for one in values if one.get("id") not in gone] if gone and count <= _READ else values
    if (deleted := len(values) - len(left)) and page is not None:
        total = None if page.total is None else max(page.total - deleted, 0)
        page = replace(page, items=len(left), total=total)
    since = (window_of(tool) or (None,))[0]
    if since is not None and since.name not in raw and since.name in result.arguments:
        raw = {**raw, since.name: result.arguments[since.name]}  # what is listed begins there, though nobody asked for it
    found = _of_list(tool, raw, page, left, count - deleted, names)
    return replace(found, words=f"{found.words} · {deleted:,} deleted") if deleted else found


def objects_in(result: Result) -> Sequence[bytes]:
    """The objects of a result, each a JSON text: the first thousand of a list, or the single object."""
    if not result.ok or not result.body:
        return ()
    try:
        listing = listing_of(result)
    except NotJson:
        return ()
    return listing.items[:_READ] if listing is not None else (result.body,)


def nouns(tool: Tool) -> tuple[str, str]:
    """The nouns for one and for several of the objects that a tool returns."""
    type_ = tool.returns.objects[0] if len(tool.returns.objects) == 1 else ""
    declared = lists_of(tool.toolkit).objects.get(type_, ListedObject())
    one = declared.one or (words_for(type_).rpartition(".")[2] if type_ else "entry")
    return one, declared.many or plural(one)


def plural(noun: str) -> str:
    """The plural of a noun."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return noun if noun.endswith("details") else f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def _of_list(
    tool: Tool, raw: Mapping[str, object], page: ResultPage | None, values: Sequence[dict[str, Any]], count: int, names: Names
) -> Headline:
    """The sentence for a list with so many items, of which the first ones are read."""
    one, many = nouns(tool)
    asked, listed = Asked(tool, raw, names.of), lists_of(tool.toolkit).listed(tool.returns.objects)
    total = page.total if page is not None else None
    more = page is not None and (page.next is not None or page.has_more)
    complete = not more and (page is None or page.previous is None)
    number = "No" if not count else f"{count:,}" + (f" of {total:,}" if total is not None and total > count else "")
    noun = one if count == 1 and total in (None, 1) else many
    left_out = narrowed(tool, raw)
    sentence = " ".join([number, *filter(None, asked.before), noun, *([left_out.says] if left_out else []), *asked.after])
    if more and total is None:
        sentence += ", more follow"
    every = [_state(one) for one in values]
    states = Counter(filter(None, every))
    # Amounts of objects in different states do not add up, unless the toolkit says what their sum is.
    adds_up = listed.sum and 1 < count <= _READ and (listed.sum_says or len(set(every)) == 1)
    totals = _totals(values, listed) if adds_up else []
    amounts = [f"{amount} {listed.sum_says}".rstrip() for amount in totals]
    words = ", ".join(amounts) if len(amounts) < 3 else f"{amounts[0]} and {len(amounts) - 1} more currencies"
    if words and not complete:
        words += f" in these {count:,}"
    if reasons := Counter(filter(None, map(listed.notice_of, values))):
        standing_out = [f"{number:,} {says}" for says, number in reasons.most_common(2)]
    elif asked.states:
        standing_out = []
    elif len(states) == 1:
        standing_out = [next(iter(states)).replace("_", " ")] if count > 1 else []
    else:
        telling = [one for one in states.most_common() if tone_of(one[0]) in ("bad", "warn", "plain", "waits")]
        standing_out = [f"{number:,} {visible_line(state).replace('_', ' ')}" for state, number in telling[:_NAMED_STATES]]
    # Do not repeat that all of them meet the requested condition.
    standing_out = [one for one in standing_out if one not in [f"{count:,} {condition}" for condition in asked.before]]
    words = " · ".join(filter(None, [sentence, *asked.rest, words, *standing_out]))
    share = f"{count:,} of {count if complete else total:,}" if complete or total is not None else f"first {count:,}"
    sums_said = f"{listed.sum_says} {' · '.join(totals)}".strip() if len(totals) > 2 else ""
    return Headline(visible_line(words), complete, share, visible_line(sums_said))


def _totals(values: Sequence[Mapping[str, Any]], listed: ListedObject) -> list[str]:
    """The sum in each currency, and what was paid back of it; only of objects in the state that says what the sum is."""
    values = [one for one in values if listed.sum_says in ("", _state(one))]
    back = sums(values, listed.refunded) if listed.refunded else {}
    return [
        f"{money(amount, currency)} ({money(back[currency], currency)} refunded)"
        if back.get(currency)
        else money(amount, currency)
        for currency, amount in sums(values, listed.sum).items()
        if amount
    ]


def _state(values: Mapping[str, Any]) -> str:
    return next((value for name, value in values.items() if tells_state(name) and isinstance(value, str)), "")


def _of_object(tool: Tool, values: Mapping[str, Any], names: Names) -> str:
    """An object by its type, name, amount and state."""
    if len(values) == 1 and isinstance(inner := next(iter(values.values())), dict):
        values = inner
    if tool.returns.kind == "composite":
        return _of_record(tool, values)
    noun, label = nouns(tool)[0], label_of(values)
    noun = noun[:1].upper() + noun[1:]
    if isinstance(data := values.get("data"), list) and "id" not in values:
        return f"{noun} · {len(data):,} entries"
    if values.get("deleted") is True or tool.returns.kind == "deletion":
        label = names.of(str(values.get("id"))) or label
        return visible_line(f"{noun} {label} is deleted".replace("  ", " "))
    parts = [f"{noun} {label}" if label else noun]
    declared = properties_of(tool.toolkit)
    if owner := next(filter(None, (_owner(name, values, names) for name in declared.owners)), ""):
        parts[0] += f" of {owner}"
    amount = fill([f"{{{name}|money}}" for name in in_order(declared.sentence.amounts, _AMOUNTS)], Context(values))
    return visible_line(" · ".join(filter(None, (*parts, amount, _state(values).replace("_", " ")))))


def _owner(name: str, values: Mapping[str, Any], names: Names) -> str:
    """The name of whom an object belongs to, whose id is the property with this name; empty if it is not known."""
    id_ = values.get(name)
    owner = values.get(f"{name}_name") or (names.of(id_) if isinstance(id_, str) else "")
    return owner if isinstance(owner, str) else ""


def _of_record(tool: Tool, values: Mapping[str, Any]) -> str:
    """A record combined of several: ``Team Payments · 3 members``, ``20 searched · 0 accepted · 2 matches``."""
    type_ = next(iter(tool.returns.objects), "entry")
    noun, itself = words_for(type_).capitalize(), values.get(type_)
    parts = [f"{noun} {label_of(itself)}".strip()] if isinstance(itself, dict) else []
    sizes = {name: len(value) if isinstance(value, list) else value for name, value in values.items()}
    for name, size in sizes.items():
        if type(size) is int:
            one = next((one for one in (name[:-2], f"{name[:-3]}y", name[:-1]) if plural(one) == name), name)
            parts.append(f"{size:,} {one if size == 1 else name}")
    return visible_line(" · ".join(parts[:_MOST_PARTS]).replace("_", " ")) or noun


_SLOT = re.compile(r"\[(?P<what>count|sum|first|names)(?: (?P<path>[\w.|]+))?\]")
_MOST_NAMES = 5


def answer_of(template: str, title: str, tool: Tool, raw: Mapping[str, object], result: Result) -> str:
    """The sentence; without a template the call's title with how many there are and their sums. Empty if there are none."""
    items = [*filter(None, map(values_of, objects_in(result)))]
    if not items:
        return ""
    page = result.page
    rest = f" · first {len(items)}" if page is not None and (page.has_more or page.next is not None) else ""
    if not template:
        count, totals = counted(len(items), *nouns(tool)), headline_of(tool, raw, result, Names()).totals
        return visible_line(f"{title}: {' · '.join(filter(None, (count, totals)))}{rest}")
    return visible_line(_SLOT.sub(lambda slot: _words(slot["what"], slot["path"] or "", tool, items), template)) + rest


def _words(what: str, path: str, tool: Tool, items: Sequence[dict[str, Any]]) -> str:
    if what == "count":
        return counted(len(items), *nouns(tool))
    if what == "sum":
        listed = lists_of(tool.toolkit).listed(tool.returns.objects)
        return " + ".join(_totals(items, listed if listed.sum == path else ListedObject(sum=path)))
    if what == "first":
        return fill(f"{{{path}}}", Context(items[0]))
    names = list(dict.fromkeys(str(value) for item in items for value, _ in values_at(item, path) if value))
    return ", ".join(names[:_MOST_NAMES]) + (f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else "")
