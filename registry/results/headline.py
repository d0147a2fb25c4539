"""The sentence above a result."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from msgspec.structs import replace as with_fields

from registry.calling.arguments import window_of
from registry.calling.result import Result, ResultPage
from registry.calling.several_accounts import SeveralAccounts
from registry.catalog.model import Tool
from registry.catalog.properties import in_order, properties_of
from registry.json_text.reading import NotJson
from registry.references.targets import words_for
from registry.results.cells import tells_state, tone_of
from registry.results.declared import ListedObject, lists_of, narrowed
from registry.results.names import Names, label_of
from registry.text.filter_line import words_of as filter_words
from registry.text.readings import money
from registry.text.safe_text import shortened, visible_line

_SHOWN = 60
_BETWEEN = {":": " ", "~": " with "}
_TIMES = ("created", "created_at", "since", "until")
_EARLIEST = "1300000000"  # in 2011, before which there are no objects
_PAGING = ("limit", "offset", "page", "cursor_before", "cursor_after", "expand", "zone", "field", "option", "secret")


class Asked(Struct):
    """The words: `before` the noun, `after` it, and the separate `rest`.

    `owners` are the fields whose values are ids of whom an object belongs to.
    """

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    states: bool = False
    owners: tuple[str, ...] = ()


def words_of(tool: Tool, raw: Mapping[str, object], name_of: Callable[[str], str]) -> Asked:
    """A call's conditions in words; `name_of` returns the name of an id, empty if it is not known."""
    asked = Asked(owners=properties_of(tool.toolkit).owners)
    conditions = lists_of(tool.toolkit).listed(tool.returns.objects).conditions
    for parameter in tool.parameters:
        value = raw.get(parameter.name)
        if value in (None, "", []) or parameter.role in _PAGING:
            continue
        if parameter.role == "query":
            _query(str(value), asked, name_of, conditions)
        elif parameter.role == "id" or parameter.refers_to:
            asked.after.append(_of(value, name_of))
        else:
            _condition(parameter.wire_name or parameter.name, ":", value, asked, name_of)
    return asked


def _query(text: str, asked: Asked, name_of: Callable[[str], str], conditions: Mapping[str, str]) -> None:
    found = filter_words(text)
    first = found[0] if found else None
    if first is None or any(one.fault or not one.name or one.key is not None for one in found):
        asked.rest.append(_quote(text))
    elif any(one.joint == "OR" for one in found):
        # Several fields that are searched for the same value: ``name or email with ada``.
        alike = all(one.joint == "OR" and (one.sign, one.value) == (first.sign, first.value) for one in found[1:])
        fields = " or ".join(one.name.replace("_", " ") for one in found)
        is_search = alike and first.sign in _BETWEEN and not any(one.negated for one in found)
        asked.rest.append(f"{fields}{_BETWEEN[first.sign]}{_quote(first.value)}" if is_search else _quote(text))
    else:
        for one in found:
            if says := conditions.get(f"{'-' * one.negated}{one.name}{one.sign}{one.value}"):
                asked.rest.append(says)
            elif one.negated:
                asked.rest.append(f"not {one.name} {_quote(one.value)}")
            elif one.sign == ":" and one.value == "true":
                asked.before.append(one.name.replace("_", " "))
            elif one.sign == ":" and one.value == "false":
                asked.rest.append(f"not {one.name.replace('_', ' ')}")
            else:
                _condition(one.name, one.sign, one.value, asked, name_of)


def _condition(name: str, sign: str, value: object, asked: Asked, name_of: Callable[[str], str]) -> None:
    name, is_equal = name.removesuffix("[]"), sign == ":"
    values, words = value if isinstance(value, list) else [value], name.replace("_", " ")
    if is_equal and (tells_state(name) or tells_state(name.removesuffix("es").removesuffix("s"))):
        asked.states = True
        asked.before.append(" or ".join(visible_line(str(one)).replace("_", " ") for one in values))
    elif is_equal and (named := name_of(str(value)) or (visible_line(str(value)) if name in asked.owners else "")):
        asked.after.append(f"of {named}")
    elif name in _TIMES and sign in (">", ">=") and str(value) < _EARLIEST:
        pass  # it leaves nothing out: a search without a condition is not possible
    elif name in _TIMES and sign in (":", ">", ">=", "<", "<=") and (day := _day(value)):
        asked.after.append(f"{'until' if sign.startswith('<') or name == 'until' else 'since'} {day}")
    elif isinstance(value, bool):
        asked.rest.append(f"{words} {'yes' if value else 'no'}")
    else:
        asked.rest.append(f"{words}{_BETWEEN.get(sign, f' {sign} ')}{_quote(', '.join(map(str, values)))}")


def _of(value: object, name_of: Callable[[str], str]) -> str:
    values = value if isinstance(value, list) else [value]
    return "of " + " and ".join(name_of(str(one)) or visible_line(str(one)) for one in values[:3])


def _day(value: object) -> str:
    text = str(value)
    if text.isdecimal() and 8 < len(text) < 12:
        at = datetime.fromtimestamp(int(text), UTC)
        return f"{at.day} {at:%b %Y}"
    return visible_line(text) if re.match(r"\d{4}-\d\d-\d\d", text) else ""


def _quote(text: str) -> str:
    return shortened(visible_line(text), _SHOWN)


_AMOUNTS = ("amount", "total")
_READ, _LARGEST, _NAMED_STATES, _MOST_PARTS = 1_000, 2_000_000, 2, 5


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
    try:
        listing = result.listing if result.body else None
    except NotJson:
        return Headline(visible_line(tool.summary.rstrip(".")))
    if not result.body:
        return Headline(visible_line(tool.summary.rstrip(".")))
    if listing is not None and isinstance(result, SeveralAccounts):
        return _of_several(tool, raw, result, listing.items, names)
    if listing is None or not (tool.returns.kind in ("list", "search_result") or result.page is not None):
        return Headline(_of_object(tool, result.body, names))
    items, page = listing.items, result.page
    left = [item for item in items if _object(item).get("id") not in gone] if gone and len(items) <= _READ else items
    if (deleted := len(items) - len(left)) and page is not None:
        total = None if page.total is None else max(page.total - deleted, 0)
        page = with_fields(page, items=len(left), total=total)
    since = (window_of(tool) or (None,))[0]
    if since is not None and since.name not in raw and since.name in result.arguments:
        raw = {**raw, since.name: result.arguments[since.name]}  # what is listed begins there, though nobody asked for it
    found = _of_list(tool, raw, page, left, names)
    return replace(found, words=f"{found.words} · {deleted:,} deleted") if deleted else found


def objects_in(result: Result) -> Sequence[bytes]:
    """The objects of a result, each a JSON text: the first thousand of a list, or the single object."""
    if not result.ok or not result.body:
        return ()
    try:
        listing = result.listing
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


def _of_list(tool: Tool, raw: Mapping[str, object], page: ResultPage | None, items: Sequence[bytes], names: Names) -> Headline:
    one, many = nouns(tool)
    asked = words_of(tool, raw, names.of)
    count, total = len(items), page.total if page is not None else None
    more = page is not None and (page.next is not None or page.has_more)
    complete = not more and (page is None or page.previous is None)
    number = "No" if not count else f"{count:,}" + (f" of {total:,}" if total is not None and total > count else "")
    noun = " ".join(filter(None, [" ".join(asked.before), one if count == 1 and (total is None or total == 1) else many]))
    left_out = narrowed(tool, raw)
    sentence = " ".join([number, noun, *([left_out.says] if left_out is not None else []), *asked.after])
    if more and total is None:
        sentence += ", more follow"
    sums = _sums(tool, items) if 1 < count <= _READ else []
    amounts = ", ".join(sums) if len(sums) < 3 else f"{sums[0]} and {len(sums) - 1} more currencies"
    if amounts and not complete:
        amounts += f" in these {count:,}"
    said = [f"{count:,} {words}" for words in asked.before]  # do not repeat that all of them meet the requested condition
    standing_out = [words for words in _standing_out(tool, items[:_READ], states=not asked.states) if words not in said]
    words = " · ".join(filter(None, [sentence, *asked.rest, amounts, *standing_out]))
    share = f"{count:,} of {count if complete else total:,}" if complete or total is not None else f"first {count:,}"
    return Headline(visible_line(words), complete, share, visible_line(" · ".join(sums)) if len(sums) > 2 else "")


def _of_several(
    tool: Tool, raw: Mapping[str, object], result: SeveralAccounts, items: Sequence[bytes], names: Names
) -> Headline:
    """The sentence for a list of several accounts: missing parts come first, and nothing is added up across accounts."""
    page = ResultPage(items=len(items), has_more=bool(result.partial))
    found = _of_list(tool, raw, page, items, names)
    if result.failed:
        return Headline(f"✗ {len(result.failed)} of {len(result.parts)} accounts failed · {found.words}")
    return Headline(f"{found.words} · {len(result.parts)} accounts", found.complete)


def _sums(tool: Tool, items: Sequence[bytes]) -> list[str]:
    """The sum of the items in each currency, the most frequent first; none if the items have different states."""
    listed = lists_of(tool.toolkit).listed(tool.returns.objects)
    every = [_object(item) for item in items] if listed.sum else []
    if not listed.sum_says and len({_state(one) for one in every}) > 1:
        return []
    sums: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for values in every:
        amount, currency = values.get(listed.sum), values.get("currency")
        if type(amount) is int and isinstance(currency, str):
            sums[currency.lower()] += amount
            found[currency.lower()] += 1
    amounts = [money(sums[currency], currency) for currency, _ in found.most_common() if sums[currency]]
    return [f"{amount} {listed.sum_says}".rstrip() for amount in amounts]


def _standing_out(tool: Tool, items: Sequence[bytes], *, states: bool) -> list[str]:
    """How many items have a notice, by reason; otherwise by state, if the states differ."""
    notice = lists_of(tool.toolkit).listed(tool.returns.objects).notice
    if notice is not None and (reasons := Counter(filter(None, map(notice, items)))):
        return [f"{count:,} {says}" for says, count in reasons.most_common(2)]
    if not states:
        return []
    found = Counter(filter(None, (_state(_object(item)) for item in items)))
    if len(found) < 2:
        return [next(iter(found)).replace("_", " ")] if len(found) == 1 and len(items) > 1 else []
    telling = [one for one in found.most_common() if tone_of(one[0]) in ("bad", "warn", "plain", "waits")]
    return [f"{count:,} {visible_line(state).replace('_', ' ')}" for state, count in telling[:_NAMED_STATES]]


def _state(values: Mapping[str, Any]) -> str:
    return next((value for name, value in values.items() if tells_state(name) and isinstance(value, str)), "")


def _of_object(tool: Tool, body: bytes, names: Names) -> str:
    """An object by its type, name, amount and state."""
    values = _object(body)
    if len(values) == 1 and isinstance(inner := next(iter(values.values())), dict):
        values = inner
    if tool.returns.kind == "composite":
        return _of_record(tool, values)
    if isinstance(data := values.get("data"), list) and "id" not in values:
        return f"{tool_noun(tool)} · {len(data):,} entries"
    noun, label = tool_noun(tool), label_of(values)
    if values.get("deleted") is True or tool.returns.kind == "deletion":
        label = names.of(str(values.get("id"))) or label
        return visible_line(f"{noun} {label} is deleted".replace("  ", " "))
    parts = [f"{noun} {label}" if label else noun]
    declared = properties_of(tool.toolkit)
    if owner := next(filter(None, (_owner(name, values, names) for name in declared.owners)), ""):
        parts[0] += f" of {owner}"
    amounts = (values.get(name) for name in in_order(declared.sentence.amounts, _AMOUNTS))
    amount, currency = next((one for one in amounts if type(one) is int), None), values.get("currency")
    if amount is not None and isinstance(currency, str):
        parts.append(money(amount, currency.lower()))
    return visible_line(" · ".join(filter(None, (*parts, _state(values).replace("_", " ")))))


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


def tool_noun(tool: Tool) -> str:
    """The noun for the object that a tool returns, capitalised for the start of a sentence."""
    one, _ = nouns(tool)
    return one[:1].upper() + one[1:]


def _object(text: bytes) -> dict[str, Any]:
    if len(text) > _LARGEST:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
