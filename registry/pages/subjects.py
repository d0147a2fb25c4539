"""Finds the subjects of an id: its possible types, each with the call that reads the object."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from registry.catalog.loader import full_types
from registry.pages.definition import pages_of
from registry.pages.page import ObjectLink, Subject
from registry.references.knowledge import Knowledge
from registry.references.naming import Branch, JsonLocation, NamedObject
from registry.references.routes import Route, Routes, ToolkitRoutes, largest_page
from registry.references.targets import Target, offers_of, with_article, words_for
from registry.text.shown import shortened, visible_line

MOST_TYPES = 16
_FREE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,99}")


class PageRequest(NamedTuple):
    """A request for a page, with the arguments of `subjects_of`; `connection` is empty for the default account."""

    id: str
    type: str = ""
    owner: str = ""
    connection: str = ""


class NoPage(LookupError):
    """No page can be opened for an id; the text says why, and what to do."""


def subjects_of(id_: str, routes: Routes, *, type_: str = "", owner: str = "") -> list[Subject]:
    """The possible subjects of an id or an email address, the most likely first. After a 404 the next one is tried.

    The type is needed for ids that do not show theirs, `owner`'s id for objects that are reached only through their owner.

    Raises:
        NoPage: no tool reads an object with such an id.
    """
    id_ = id_.strip()
    if not id_ or len(id_) > 255 or not id_.isprintable():
        raise NoPage("Enter an id: 1 to 255 characters on one line.")
    kits = [(kit, kit.known) for kit in routes.toolkits.values()]
    types = [(kit, one) for kit, known in kits for one in _types(id_, known, kit, type_)]
    if not types and _FREE.fullmatch(id_):  # too short or misspelt, but its prefix shows what is looked for
        types = [(kit, one) for kit, known in kits for one in known.types_by_prefix(id_)]
    owners = tuple((one, owner) for _, known in kits for one in known.types_by_id(owner)) if owner else ()
    number, id_ = id_.startswith("#"), id_.removeprefix("#")
    found = [subject for kit, one in types for subject in subjects(ObjectLink("", one, id_, owners), kit, owner)]
    if not type_:
        if "@" in id_:
            found = []
            for tool, way in ((one, known.by_email.get(one.own_name)) for kit, known in kits for one in kit.tools):
                if way is not None and tool.effect == "read" and tool.returns.objects:
                    values: dict[str, object] = {name: value.replace("{}", id_) for name, value in way.items()}
                    listed = tool.returns.kind != "object"
                    found.append(Subject(tool.returns.objects[0], id_, tool.name, values, listed=listed))
        by_shape = dict.fromkeys(kit for kit, _ in types)
        for kit, known in kits:
            if kit in by_shape and not known.types_by_id(id_) and not known.types_by_number(f"#{id_}"):
                found += _from_lists(id_, kit)
        if not number and _FREE.fullmatch(id_) and not any(known.types_by_id(id_) for _, known in kits):
            found += [one for kit, _ in kits for one in _by_no_prefix(id_, kit)]
    if not found:
        raise NoPage(_why_not(id_, types, type_, owner))
    return found[:MOST_TYPES]


def subject_of_link(link: ObjectLink, routes: Routes) -> list[Subject]:
    """The subject of a link.

    Raises:
        NoPage: no tool reads such an object.
    """
    kit = routes.toolkits.get(link.toolkit)
    if kit is None:
        raise NoPage(f"Unknown toolkit {link.toolkit!r}.")
    types = [link.type] if link.type else list(kit.known.types_by_id(link.id) or kit.known.types_by_shape(link.id))
    found = [one for type_ in types for one in subjects(ObjectLink(link.toolkit, type_, link.id, link.owners), kit)]
    if not found:
        raise NoPage(_why_not(link.id, [(kit, type_) for type_ in types], link.type, ""))
    return found[:MOST_TYPES]


def related_tools(link: ObjectLink, routes: Routes) -> list[Target]:
    """Every tool that accepts an object, and every search that finds objects that belong to it; reads first."""
    kit = routes.toolkits.get(link.toolkit)
    if kit is None or not kit.tools:
        return []
    place = JsonLocation("id", link.id, (Branch("", dict(link.owners)),))
    return offers_of([NamedObject(link.type, link.id)], place, kit.tools[0], {}, routes)


def subjects(link: ObjectLink, kit: ToolkitRoutes, owner: str = "") -> Iterator[Subject]:
    """The best call for an object whose type is known: by its id, or from a list that holds it.

    `owner` is an id to use for any owner of the object.
    """
    around = dict(link.owners)
    for route in kit.retrieving.get(link.type, ()):
        known = _owner_ids(route, around, owner)
        if route.by is not None and known is not None:
            page = pages_of(route.tool.toolkit).objects.get(link.type)
            further = page.arguments if page is not None and page.tool in ("", route.tool.own_name) else {}
            values = {name: value if isinstance(value, str) else list(value) for name, value in further.items()}
            yield Subject(link.type, link.id, route.tool.name, {route.by.name: link.id, **known, **values})
            return
    for route in (*kit.listing.get(link.type, ()), *kit.single.get(link.type, ())):
        known = _owner_ids(route, around, owner)
        if known is not None:
            yield Subject(link.type, link.id, route.tool.name, {**known, **largest_page(route.tool)}, listed=True)


def _owner_ids(route: Route, around: Mapping[str, str], owner: str) -> dict[str, object] | None:
    found: dict[str, object] = {}
    for parameter in route.owners:
        id_ = next((around[type_] for type_ in parameter.refers_to if type_ in around), owner)
        if not id_:
            return None
        found[parameter.name] = id_
    return found


def _types(id_: str, known: Knowledge, kit: ToolkitRoutes, type_: str) -> Iterable[str]:
    if type_:
        reachable = {one for tool in kit.tools for one in tool.returns.objects} | set(known.kinds)
        return [one for one in full_types(type_) if one in reachable][:1]
    found: Iterable[str] = known.types_by_id(id_) or known.types_by_shape(id_)
    if not found:  # the pattern's lookahead only separates ids from words in prose
        shapes = {name: kind.shape or "" for name, kind in known.kinds.items()}
        loose = {name: shape.partition(")")[2] for name, shape in shapes.items() if shape.startswith("(?=")}
        found = [name for name, shape in loose.items() if re.fullmatch(shape, id_)]
    found = found or known.types_by_number(id_) or known.types_by_number(f"#{id_}")
    defined = pages_of(kit.tools[0].toolkit).objects
    return sorted(found, key=lambda one: one not in defined)


def _from_lists(id_: str, kit: ToolkitRoutes) -> Iterator[Subject]:
    """The types that can only be listed, in a toolkit whose ids look like this one."""
    defined = pages_of(kit.tools[0].toolkit).objects
    for type_ in sorted(kit.listing, key=lambda one: one not in defined):
        if type_ not in kit.retrieving and kit.known.kind(type_).shape is None:
            yield from subjects(ObjectLink("", type_, id_), kit)


def _by_no_prefix(id_: str, kit: ToolkitRoutes) -> Iterator[Subject]:
    """The types whose ids are chosen freely, such as a coupon's; only the service knows whether the id exists."""
    for type_, routes in kit.retrieving.items():
        kind = kit.known.kind(type_)
        if not kind.prefixes and kind.shape is None and not routes[0].owners:
            yield from subjects(ObjectLink("", type_, id_), kit)


def _why_not(id_: str, types: list[tuple[ToolkitRoutes, str]], type_: str, owner: str) -> str:
    shown = shortened(visible_line(id_), 60)
    if not types:
        if type_:
            return f"Unknown type {visible_line(type_)!r}. callboard tools lists all tools."
        words = shlex.quote(shown)
        way_out = f"Find it by name with callboard find {words}, or pass its type: callboard page {words} --type coupon."
        return f"{shown} does not look like an id of any toolkit. {way_out}"
    for kit, one in types:
        routes = kit.retrieving.get(one) or kit.listing.get(one) or ()
        needed = [words_for(parameter.refers_to[0]) for route in routes[:1] for parameter in route.owners]
        if needed and not owner:
            what = f"{with_article(words_for(one)).capitalize()} is reached through its {needed[0]}"
            return f"{what}. Pass that id too: callboard page {shown} --of {needed[0].upper().replace(' ', '_')}_ID."
    return f"No tool can get {with_article(words_for(types[0][1]))} by its id."
