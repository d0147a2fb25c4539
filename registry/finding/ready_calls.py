"""Ready calls: typed phrases, and the calls that answer them, from the ``ready_calls.json`` in the toolkits' folders.

Arguments contain slots, which are filled from the typed text: ``failed payments of Ada since yesterday`` → the words ``failed
payments of``, the name ``Ada``, the time since yesterday::

    {name} {email} {amount} {currency} {last4} {phone} {number}   words, an address, money, …: required
    {customer}                                           an id of an object of that type: required
    {customer?}                                          the same, left out if there is none
    {amount total}                                       the typed amount as conditions on a field: more than, between
    {since -24h} {until}                                 the ends of the typed time span, with a default
    {when created -7d}                                   the same as conditions on a field of a search query

An argument, or a condition in a query, is left out if its slot stays empty. What was typed besides is added where the tool has
a field for it: the id of a customer, a card's digits, an amount.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from registry.calling.search_queries import query_fields
from registry.catalog.folders import CatalogProblem
from registry.catalog.loader import ToolkitFile, data_folders, declarations
from registry.catalog.model import Tool
from registry.finding.slots import Slots, Span
from registry.references.routes import SHORTEST_WORDS
from registry.text.filter_line import in_quotes, quoted

SLOT = re.compile(r"\{(?P<name>[a-z_.0-9]+)(?P<optional>\?)?(?: (?P<rest>[^{}]*))?\}")
QUESTION = re.compile(r"\b(how many|how much|when|who)(?:'s)?\b", re.IGNORECASE)
_SHORT = re.compile(rf'~"([^"\\]{{1,{SHORTEST_WORDS - 1}}})"')  # too short for a part of a name: it is the whole one
TIMES = ("since", "until", "when")
_EXACTLY = ("currency", "last4", "number")
_TYPED = ("name", "email", "amount", "currency", "last4", "phone", "number", "money", *TIMES)


class ReadyCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A call with the words that people use for it.

    Attributes:
        title: what it returns, in words; may contain slots.
        words: phrases that ask for it; may contain slots.
        tool: the tool.
        arguments: its arguments; texts may contain slots.
        filter: leaves the rows of the list that are meant, where the service cannot search for them; may contain slots.
        unused: words that ask for it and that it cannot express.
        why: a note for the user, for example that no tool does exactly what was asked.
        answers: by the words of a question (`QUESTION`) the sentence that answers it. It may contain slots, ``{when}`` for the
            typed time, and what `registry.results.headline` takes from the result.
    """

    title: str
    words: tuple[str, ...]
    tool: str
    arguments: dict[str, str | list[str]] = {}
    filter: str = ""
    unused: str = ""
    why: str = ""
    answers: dict[str, str] = {}

    @property
    def texts(self) -> list[str]:
        """All texts in its arguments, and its filter."""
        texts = [text for value in self.arguments.values() for text in ([value] if isinstance(value, str) else value)]
        return [*texts, self.filter]

    @cached_property
    def slots(self) -> list[re.Match[str]]:
        """The slots in its texts."""
        return [slot for text in self.texts for slot in SLOT.finditer(text)]

    @cached_property
    def needed(self) -> frozenset[str]:
        """The required slots: all but times and optional ones."""
        return frozenset(one["name"] for one in self.slots if one["name"] not in TIMES and not one["optional"])


def ready_calls(tools: Mapping[str, Tool]) -> Sequence[ReadyCall]:
    """The ready calls whose tools exist, in the order of the toolkits."""
    return [call for folder in data_folders() for call in _in_folder(folder)[0] if call.tool in tools]


_, _in_folder = declarations("ready_calls.json", ("calls",), lambda file: file.listed("calls", ReadyCall))


def ready_call_problems(folder: Path, tools: Mapping[str, Tool]) -> list[CatalogProblem]:
    """The errors in the ``ready_calls.json`` of a folder, checked against the tools; empty if there is no such file."""
    file = ToolkitFile(folder, "ready_calls.json", ("calls",))
    for place, call in enumerate(file.listed("calls", ReadyCall)):
        for name, message in _faults(call, tools):
            file.problem(f"calls[{place}].{name}", message)
    return file.problems


def _faults(call: ReadyCall, tools: Mapping[str, Tool]) -> Iterator[tuple[str, str]]:
    """The errors of a ready call: field and rule."""
    tool = tools.get(call.tool)
    if tool is None:
        yield "tool", f"there is no tool {call.tool}"
        return
    for name, value in call.arguments.items():
        parameter = tool.parameter(name)
        texts = [value] if isinstance(value, str) else value
        if parameter is None:
            yield f"arguments.{name}", f"is not a parameter of {call.tool}"
        elif isinstance(value, list) != (parameter.type == "array"):
            yield f"arguments.{name}", f"{call.tool} takes {'a list' if parameter.type == 'array' else 'one value'} here"
        elif parameter.enum and (odd := [text for text in texts if text not in parameter.enum and not SLOT.search(text)]):
            yield f"arguments.{name}", f"is one of {', '.join(parameter.enum)}, not {odd[0]}"
    if tool.effect == "delete":
        yield "tool", f"{call.tool} deletes; a deletion is never a ready call"
    types = {type_ for one in tools.values() for parameter in one.parameters for type_ in parameter.refers_to}
    for slot in call.slots:
        if slot["name"] not in _TYPED and slot["name"] not in types:
            yield "arguments", f"{{{slot['name']}}} is neither a slot nor a type of object with an id"
    if not call.words:
        yield "words", "at least one phrase is needed"


def filled(call: ReadyCall, slots: Slots) -> dict[str, str | list[str]] | None:
    """A ready call's arguments with its slots filled; None if a required slot has no value.

    The usual time is left out if an object's id was typed: all of its payments are wanted.
    """
    if not all(map(slots.value, call.needed)):
        return None
    arguments: dict[str, str | list[str]] = {}
    for name, value in call.arguments.items():
        texts = [text for one in ([value] if isinstance(value, str) else value) if (text := with_values(one, slots))]
        texts = [_SHORT.sub(r':"\1"', text) for text in texts]
        if texts:
            arguments[name] = texts[0] if isinstance(value, str) else texts
    return arguments


def narrowed(tool: Tool, arguments: dict[str, str | list[str]], slots: Slots, words: Collection[str]) -> dict[str, str]:
    """Add to a call's arguments what else was typed, where its tool takes it; returns that by slots and types."""
    added: dict[str, str] = {}
    for parameter in tool.parameters:
        id_ = next((slots.ids[one] for one in parameter.refers_to if one in slots.ids), "")
        if id_ and parameter.name not in arguments:
            arguments[parameter.name] = [id_] if parameter.type == "array" else id_
            added[id_] = id_
        query, known = str(arguments.get(parameter.name, "")), query_fields(tool)
        if parameter.role != "query" or known is None or " OR " in query:
            continue
        conditions = [query] if query else []
        for name, field in known.fields.items():
            slot = name.rpartition(".")[2]
            value = slots.ids.get(field.refers or "") or (slots.value(slot) if slot in _EXACTLY else "")
            value = value or next((word for word in words if word in field.values), "")
            if re.search(rf"(?<!\w){re.escape(slot)}\W", query) or {slot, value} & added.keys():
                continue
            if field.type == "amount" and slots.amounts:
                conditions.append(_of_amount(name, slots))
                added["money"] = slots.value("money")
            elif value:
                conditions.append(f"{name}:{quoted(value)}")
                added[slot] = value.upper() if slot == "currency" else value
        arguments |= {parameter.name: " AND ".join(conditions)} if conditions else {}
    return added


def answer_in(call: ReadyCall, slots: Slots) -> str:
    """The sentence that answers the question in a text with a call, its slots filled; empty if none is declared."""
    asked = QUESTION.search(slots.text)
    template = call.answers.get(asked[1].lower(), "") if asked is not None else ""
    span = slots.span or Span("")
    when = f"{span.said} (since {span.began})" if span.began else span.said
    return " ".join(shown(template.replace("{when}", when), slots).split())


def shown(text: str, slots: Slots) -> str:
    """A title with its slots filled, with names for ids; a missing value is replaced by its type."""

    def words(slot: re.Match[str]) -> str:
        value = slots.value(slot["name"])
        return slots.labels.get(value) or value or slot["name"].replace("_", " ")

    return SLOT.sub(words, text)


def with_values(text: str, slots: Slots) -> str:
    """A text with its slots filled; a condition whose optional value is missing is removed together with its AND."""

    def is_kept(part: str) -> bool:
        return all(not slot["optional"] or slots.value(slot["name"]) for slot in SLOT.finditer(part))

    parts = [SLOT.sub(lambda slot: _value(slot, slots), part) for part in text.split(" AND ") if is_kept(part)]
    return " AND ".join(filter(None, parts))


def _value(slot: re.Match[str], slots: Slots) -> str:
    name, rest, span = slot["name"], slot["rest"] or "", slots.span
    if name in ("since", "until"):
        return rest if span is None else span.since if name == "since" else span.until
    if name == "amount" and rest:
        return _of_amount(rest, slots)
    if name == "when":
        by, _, usual = rest.partition(" ")
        since, until, *_ = span or Span("" if slots.ids else usual)
        since, until = (quoted(one) if " " in one else one for one in (since, until))
        conditions = (f"{by}{'>=' if until else '>'}{since}" if since else "", f"{by}<{until}" if until else "")
        return " AND ".join(filter(None, conditions))
    return in_quotes(slots.value(name))


def _of_amount(field: str, slots: Slots) -> str:
    return " AND ".join(f"{field}{sign}{amount}" for sign, amount in slots.amounts)
