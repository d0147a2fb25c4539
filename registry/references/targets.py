"""The targets of links: from a location in a response to the tool and the arguments that show the object that it names.

Also the actions for an id or an email address that was pasted into the search for tools. Makes no calls and checks no
arguments: values from outside go into a form or a call like any other value.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct

from registry.catalog.loader import bare_type
from registry.catalog.model import Parameter, Tool
from registry.references.knowledge import EMAIL, Knowledge, Types, knowledge
from registry.references.naming import (
    Branch,
    JsonLocation,
    Members,
    NamedObject,
    expand_at,
    expanded,
    holders,
    named,
    objects_at,
    paths_at,
    text_of,
)
from registry.references.routes import Route, Routes, ToolkitRoutes, is_older, largest_page

SIGN = "⚠"
_LONGEST = 2_000
_PLACEHOLDER = re.compile(r"\\\{(\w+)\\\}")


def _arguments(tool: Tool, path: str, query: dict[str, str]) -> dict[str, object] | None:
    """The arguments with which a tool calls an address; None if it cannot."""
    found = _pattern(tool.path).fullmatch(path)
    if found is None:
        return None
    values = {name: unquote(value) for name, value in found.groupdict().items()} | query
    arguments: dict[str, object] = {one.name: values[name] for one in tool.parameters if (name := one.wire_name) in values}
    return None if missing_from(arguments, tool) else arguments


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(_PLACEHOLDER.sub(r"(?P<\1>[^/]+)", re.escape(template)))


Arguments = Mapping[str, object]


class _Around:
    """What is around a place in a response: the call that returned it, the toolkit's routes, the objects, innermost first."""

    def __init__(self, place: JsonLocation, tool: Tool, arguments: Arguments, ways: Routes) -> None:
        self.place, self.tool, self.arguments, self.ways = place, tool, arguments, ways
        self.kit = ways.of(tool)
        self.holders = list(holders(place, tool, self.kit.known))

    @property
    def innermost(self) -> Members:
        """The properties of the innermost object; empty without one."""
        own = self.holders[0].own if self.holders else None
        return own.members if own is not None else {}

    def ids(self, parameters: Iterable[Parameter], of: NamedObject) -> dict[str, str]:
        """The ids for parameters, to reach an object; without those that neither the response nor the call has.

        The nearest to the object is used: its own field, the object around it, that object's field, and so on outwards; then
        the arguments of the call that returned the response.
        """
        found = {one.name: next(self._owner_ids(one.refers_to, of), None) for one in parameters}
        return {name: id_ for name, id_ in found.items() if id_ is not None}

    def _owner_ids(self, wanted: Types, of: NamedObject) -> Iterator[str]:
        types = {id(one.own.members): one.type for one in self.holders if one.own is not None}
        for branch in self.place.chain:
            type_, own = types.get(id(branch.members)), text_of(branch.members)
            if type_ in wanted and own is not None and not (of.own and type_ == of.type and own == of.id):
                yield own
            yield from (found for one in wanted if (found := _in_field(branch, type_, one, self.kit.known)) is not None)
        for parameter in self.tool.parameters:
            value = text_of(self.arguments.get(parameter.name))
            if value is not None and parameter.role == "id" and set(parameter.refers_to) & set(wanted):
                yield value


def _in_field(branch: Branch, type_: str | None, wanted: str, known: Knowledge) -> str | None:
    """The id in the field with the wanted type's name, if the field refers to that type."""
    name = known.kind(wanted).field or wanted.rpartition(".")[2]
    text = text_of(branch.members.get(name))
    if text is None:
        return None
    kind = known.kind(type_ or "")
    refers = kind.refers.get(name) or kind.holds.get(name) or known.types_by_id(text)
    return text if wanted in refers else None


Reach = Literal["object", "expanded", "single", "found", "list", "offer"]

_EFFECTS = {"read": 0, "write": 1, "delete": 2}
_SIGNS_OF_A_PAGE = ("has_more", "url")
_KNOWN_BY = ("summary", "name", "email")


class Target(Struct, frozen=True):
    """A call that shows what a place names.

    Attributes:
        tool: the tool's name.
        arguments: its known arguments, by parameter.
        missing: required parameters whose ids are not found around the place.
        reach: ``object`` (retrieves it by its id), ``expanded`` (the same call again, with the object in the id's place),
            ``single`` (the one that its owner has), ``found`` (by its name), ``list`` (a list that holds it) or ``offer``.
        words: a description of the target for a menu. It has text from outside.
    """

    tool: str
    arguments: Mapping[str, object]
    missing: tuple[str, ...]
    reach: Reach
    words: str

    @property
    def raw(self) -> dict[str, object]:
        """The arguments as a form gives them: texts and lists of texts."""
        return as_raw(self.arguments)

    def is_shown_by(self, tool: Tool, arguments: Arguments) -> bool:
        """Whether a call is already this one, ignoring further arguments and the page size."""
        ids = {name: value for name, value in self.arguments.items() if not isinstance(value, int)}
        return self.tool == tool.name and all(
            value in (own := arguments.get(name), text_of(own)) for name, value in ids.items()
        )


def _to(tool: Tool, arguments: Arguments, reach: Reach, words: str = "") -> Target:
    return Target(tool.name, arguments, missing_from(arguments, tool), reach, words or tool.summary)


def targets(place: JsonLocation, tool: Tool, arguments: Arguments, ways: Routes) -> list[Target]:
    """The calls that show the object that a location names, one for each possible type.

    `tool` and `arguments` are the call that returned the response. Calls that lack an id are returned only if none is complete.
    A property that says that a list inside an object has more items leads to the whole list.
    """
    if place.step in _SIGNS_OF_A_PAGE and place.around:
        pages = pages_of(place, tool, ways)
        if pages is not None and place.around[0].members.get("object") == "list":
            return [pages]
    if not (ones := named(place, tool, ways.of(tool).known)):
        return []
    here = _Around(place, tool, arguments, ways)
    found = [target for one in ones if (target := _target(one, here)) is not None]
    return [target for target in found if not target.missing] or found


def offers(place: JsonLocation, tool: Tool, arguments: Arguments, ways: Routes) -> list[Target]:
    """Every tool that takes the id of the object that a location names, or else is in. Reads are first, deletions last."""
    return offers_of(objects_at(place, tool, ways.of(tool).known), place, tool, arguments, ways)


def offers_of(ones: Sequence[NamedObject], place: JsonLocation, tool: Tool, arguments: Arguments, ways: Routes) -> list[Target]:
    """Like `offers`, for objects that are already known to be named at the place."""
    if not ones:
        return []
    found: dict[str, tuple[Tool, Target]] = {}
    here = _Around(place, tool, arguments, ways)
    for one in ones:
        for other, parameter in here.kit.taking.get(one.type, ()):
            further = (needed for needed in other.parameters if needed.required and needed is not parameter)
            id_ = [one.id] if parameter.type == "array" else one.id
            target = _to(other, {parameter.name: id_, **here.ids(further, one)}, "offer")
            found.setdefault(other.name, (other, target))
        for other, query in here.kit.owned_by(one.type, one.id or ""):
            found.setdefault(other.name, (other, _to(other, query, "offer")))
    types = {one.type for one in ones}
    return [target for _, target in sorted(found.values(), key=lambda one: _rank(one[0], one[1], types))]


def _rank(tool: Tool, target: Target, types: set[str]) -> tuple[int, bool, bool, bool]:
    """The sort key: first complete calls, then newer tools, then tools that show the object itself."""
    shows_it = tool.returns.kind == "object" and not types.isdisjoint(tool.returns.objects)
    return _EFFECTS[tool.effect], bool(target.missing), is_older(tool), not shows_it


def pages_of(place: JsonLocation, tool: Tool, ways: Routes, type_: str | None = None) -> Target | None:
    """The call that pages through the list inside an object that a place is in or on, a list of objects of this type.

    None if there is no such list, or no tool for it.
    """
    url = next((one.members.get("url") for one in place.chain[:-1] if one.members.get("object") == "list"), None)
    if not isinstance(url, str) or len(url) > _LONGEST:
        return None
    try:
        address = urlsplit(url)
    except ValueError:
        return None
    for one in ways.of(tool).tools:
        types = one.returns.objects
        if one.returns.kind == "list" and one.effect == "read" and (type_ is None or type_ in types):
            arguments = _arguments(one, address.path, dict(parse_qsl(address.query)))
            if arguments is not None:
                ids = ", ".join(str(value) for value in arguments.values())
                return Target(one.name, arguments, (), "list", f"every {', '.join(map(words_for, types))} of {ids}")
    return None


def _target(one: NamedObject, here: _Around) -> Target | None:
    """The best call for an object: by its id; in place; as its owner's only one; by its name; in a list; with missing ids."""
    by_id = [_call(way, one, here, "object") for way in here.kit.retrieving.get(one.type, ()) if one.id is not None]
    complete = next((target for target in by_id if not target.missing), None)
    if complete is not None:
        return complete
    if not one.own and (found := _in_place(one, here)) is not None:
        return found
    found = _single(one, here) or _by_name(one, here)
    if found is None and not by_id:
        found = _in_list(one, here)
    return found or min(by_id, key=lambda target: len(target.missing), default=None)


def _in_place(one: NamedObject, here: _Around) -> Target | None:
    """The call that expands an object in place of its id: the current call, or one for an object around the place."""
    words = f"{words_for(one.type)} {one.id}, expanded in place"
    if (changed := expand_at(here.place, here.tool, here.arguments)) is not None:
        return Target(here.tool.name, changed, (), "expanded", words)
    for holder, path in paths_at(here.place, here.tool):
        for way in here.kit.retrieving.get(holder.type, ()) if holder.id is not None else ():
            call = _call(way, holder, here, "expanded")
            if not call.missing and (changed := expanded(way.tool, call.arguments, path)) is not None:
                return Target(call.tool, changed, (), "expanded", f"{words} of {words_for(holder.type)} {holder.id}")
    return None


def _call(way: Route, one: NamedObject, here: _Around, reach: Reach) -> Target:
    known = here.ids(way.owners, one)
    own: dict[str, object] = {way.by.name: one.id} if way.by is not None else {}
    id_ = f" {one.id}" if one.id is not None else ""
    of = "".join(f" of {words_for(owner.refers_to[0])} {known[owner.name]}" for owner in way.owners if owner.name in known)
    return _to(way.tool, own | known, reach, f"{words_for(one.type)}{id_}{of}")


def _single(one: NamedObject, here: _Around) -> Target | None:
    """The call for the only object of its type that an owner has, if it is this one."""
    belongs = here.kit.known.kind(one.type).belongs
    if one.id is not None and not (one.own and belongs):
        return None
    owners = {name for name in belongs if text_of(here.innermost.get(name)) is not None}
    for way in here.kit.single.get(one.type, ()):
        target = _call(way, one, here, "single")
        of = {owner.refers_to[0] for owner in way.owners}
        if not target.missing and (not belongs or owners == of):
            return target
    return None


def _by_name(one: NamedObject, here: _Around) -> Target | None:
    """The call that finds an object by the name beside its id."""
    members = here.innermost if one.own else {}
    words = next((text for name in _KNOWN_BY if isinstance(text := members.get(name), str) and text), None)
    if words is not None:
        for way in here.kit.finding.get(one.type, ()):
            if way.by is not None:
                return Target(way.tool.name, {way.by.name: words}, (), "found", f"{words_for(one.type)} {words}, found by name")
    return None


def _in_list(one: NamedObject, here: _Around) -> Target | None:
    """The call for a list that contains an object which cannot be retrieved by itself."""
    if one.own and (pages := pages_of(here.place, here.tool, here.ways, one.type)) is not None:
        return pages
    if here.kit.known.kind(one.type).passing:
        return None
    calls = []
    for way in here.kit.listing.get(one.type, ()):
        arguments = {**here.ids(way.owners, one), **largest_page(way.tool)}
        calls.append(_to(way.tool, arguments, "list", f"the list containing {words_for(one.type)} {one.id}"))
    return min(calls, key=lambda target: len(target.missing), default=None)


def as_raw(arguments: Mapping[str, object]) -> dict[str, object]:
    """Arguments as a form gives them: texts and lists of texts."""
    return {name: value if isinstance(value, list) else str(value) for name, value in arguments.items()}


def missing_from(arguments: Mapping[str, object], tool: Tool) -> tuple[str, ...]:
    """The required parameters of a tool that are not among the arguments."""
    return tuple(one.name for one in tool.parameters if one.required and one.name not in arguments)


def words_for(type_: str) -> str:
    """An object type in words: ``financial connections account``."""
    return bare_type(type_).replace(".", " ").replace("_", " ")


def with_article(words: str) -> str:
    """A noun with its article, by its sound: ``an invoice``, ``a user``."""
    return f"{'an' if words[:1] in ('a', 'e', 'i', 'o') else 'a'} {words}"


def wrong_kind(toolkit: str, parameter: Parameter, text: str) -> str:
    """Advice on an id while it is typed: its type and the type that the parameter takes, in words; empty if they match.

    It is no refusal: the prefixes of ids come from documentation, and a service may know better.
    """
    if not parameter.refers_to:
        return ""
    known = knowledge(toolkit)
    for part in (part.strip() for part in text.split(",")):
        types = known.types_by_id(part)
        if types and not set(types) & set(parameter.refers_to):
            taken = " or ".join(words_for(type_) for type_ in parameter.refers_to[:3])
            return f"{SIGN} {part} looks like the id of another type ({words_for(types[0])}); expected: {taken}"
    return ""


_LONGEST_ID = 255
_AROUND = " \t\"'`“”‘’<>()[],;"


class Pasted(NamedTuple):
    """An id or an address in a line of text, the other words, and the actions, first those that show the object itself."""

    id: str
    words: str
    targets: list[Target]


def pasted(text: str, ways: Routes) -> Pasted | None:
    """The actions for the first id or address in a text; None if no tool takes one."""
    parts = text.split()
    for place, part in enumerate(parts):
        id_ = part.strip(_AROUND)
        if (len(id_) > 3 or id_.startswith("#")) and len(id_) <= _LONGEST_ID and (targets := _targets(id_, ways)):
            return Pasted(id_, " ".join(parts[:place] + parts[place + 1 :]), targets)
    return None


def _targets(id_: str, ways: Routes) -> list[Target]:
    found: list[tuple[Tool, Target]] = []
    for kit in ways.toolkits.values():
        if "@" not in id_:
            found += _of_types(kit.known.types_of(id_), id_.removeprefix("#"), kit, ways)
        elif EMAIL.fullmatch(id_) is not None:
            found += _by_email(id_, kit)
    # The one that shows the object comes first, from any toolkit; the rest keep the toolkits' order.
    found.sort(key=lambda one: (one[1].reach == "offer", _EFFECTS[one[0].effect]))
    return [target for _, target in found]


def _by_email(address: str, kit: ToolkitRoutes) -> Iterator[tuple[Tool, Target]]:
    for tool in kit.tools:
        if (arguments := kit.known.by_email.get(tool.own_name)) is not None:
            reach: Reach = "found" if tool.effect == "read" else "offer"
            yield tool, _to(tool, {name: value.replace("{}", address) for name, value in arguments.items()}, reach)


def of_type(type_: str, id_: str, ways: Routes, toolkit: str = "") -> list[Target]:
    """The actions for the id of an object whose type is known; without a toolkit, in all that have the type."""
    kits = [kit for name, kit in ways.toolkits.items() if toolkit in ("", name)]
    return [target for kit in kits for _, target in _of_types((type_,), id_, kit, ways)]


def _of_types(types: Types, id_: str, kit: ToolkitRoutes, ways: Routes) -> Iterator[tuple[Tool, Target]]:
    if not kit.tools:
        return
    shown = set()
    for type_ in types:
        for way in kit.retrieving.get(type_, ())[:1]:
            if way.by is not None and way.tool.name not in shown:
                shown.add(way.tool.name)
                yield way.tool, _to(way.tool, {way.by.name: id_}, "object")
    tools, ones = {tool.name: tool for tool in kit.tools}, [NamedObject(type_, id_) for type_ in types]
    for target in offers_of(ones, JsonLocation("id", id_), kit.tools[0], {}, ways):
        if target.tool not in shown:
            yield tools[target.tool], target
