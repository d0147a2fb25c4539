"""Reads the catalogue: every toolkit's service and tools.

The built-in catalogue was checked when it was made, and ``checked.json`` has the digests of its files. An unchanged file
is used without checks; a changed one, and every file from elsewhere, is checked entry by entry, and its valid entries are
used. This saves each command the 0.1 s to import the checks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from registry import __version__
from registry.catalog.entries import fields_of
from registry.catalog.folders import BUILT_IN, CHECKED, SERVICE, Found, OfFolders, ToolkitFolder
from registry.catalog.listing import place_of, tool_files, unique_names
from registry.catalog.model import Parameter, Returns, Tool
from registry.catalog.problems import CatalogProblem
from registry.catalog.reading import Unreadable, content_of, forget_files, read_file
from registry.catalog.service import Paging, Service

if TYPE_CHECKING:
    from registry.catalog.json_position import Steps

_TUPLES = ("enum", "wire_enum", "suggestions", "refers_to")


class Catalog(msgspec.Struct, frozen=True, eq=False):
    """All services and tools, in display order, and the problems with what was left out.

    Attributes:
        toolkits: the service of each toolkit, by the toolkit's name.
        tools: by the unique name in the catalogue: the tool's own, with its toolkit as a prefix if another toolkit has
            a tool with the same name. Built-in tools keep their own names.
        problems: what could not be used.
    """

    toolkits: Mapping[str, Service]
    tools: Mapping[str, Tool]
    problems: tuple[CatalogProblem, ...]

    def find(self, name: str) -> Tool | None:
        """A tool by its full name, or by its own name if that is unique among toolkits; ignores case."""
        found = self.named(name)
        return found[0] if len(found) == 1 else None

    def named(self, name: str) -> list[Tool]:
        """The tools that a name may mean."""
        wanted = name.lower()
        if "." in name:
            return [tool for tool in self.tools.values() if tool.full_name.lower() == wanted]
        return [tool for tool in self.tools.values() if tool.own_name.lower() == wanted]


class Services:
    """The services of toolkits, in display order.

    Attributes:
        by_toolkit: each with its folder, by the toolkit's name.
        problems: the errors of services that were left out.
    """

    def __init__(self, found: Found) -> None:
        self.problems = list(found.problems)
        self._digests = _digests()
        usable: dict[str, tuple[Service, ToolkitFolder]] = {}
        for folder in found.folders:
            service = self._service(folder)
            if service is None:
                continue
            if service.mcp is not None and service.mcp.command and not folder.kept:
                # The author of the file could run any program on this machine.
                words = "names a program to start, which only a toolkit added by `callboard toolkit add --mcp` may do"
                self.problems.append(_of_service(folder, "mcp.command", words))
                continue
            if (problem := _clash(service, [other for other, _ in usable.values()])) is not None:
                self.problems.append(_of_service(folder, *problem))
            else:
                usable[service.toolkit] = service, folder
        self.by_toolkit = dict(sorted(usable.items(), key=lambda one: one[1][0].order))

    def is_checked(self, folder: ToolkitFolder, path: Path) -> bool:
        """Whether a file is unchanged since it was checked; False for files from elsewhere."""
        if folder.built_in:
            return self._digests.get(path.relative_to(BUILT_IN).as_posix()) == digest(path)
        return folder.kept and _digests_of_kept(folder.path).get(path.relative_to(folder.path).as_posix()) == digest(path)

    def _service(self, folder: ToolkitFolder) -> Service | None:
        path = folder.path / SERVICE
        try:
            content = read_file(path)
            if self.is_checked(folder, path):
                return _service(content)
        except Unreadable as error:
            self.problems.append(error.at(folder.named(path)))
            return None
        from registry.catalog.checking_services import checked_service
        from registry.catalog.lines import line_of_tools

        return checked_service(content, folder.named(path), self.problems, line_of_tools(path, [()]))


@OfFolders
def services(found: Found) -> Mapping[str, Service]:
    """The services of all toolkits by the toolkits' names, in display order."""
    return {toolkit: service for toolkit, (service, _) in _services(found).by_toolkit.items()}


@OfFolders
def load(found: Found) -> Catalog:
    """Read the catalogue from the folders that were found, by default from all."""
    known = _services(found)
    problems = list(known.problems)
    names = unique_names(found)
    tools: dict[str, Tool] = {}
    for toolkit, (service, folder) in known.by_toolkit.items():
        own: dict[str, Tool] = {}
        for path in tool_files(folder):
            for tool in _tools(path, folder, service, known, problems):
                if tool.name in own:
                    problems.append(_of_tool(folder, path, tool.name, "name", "is already in the toolkit"))
                else:
                    own[tool.name] = tool
        for tool in sorted(own.values(), key=place_of(service.groups)):
            name = names.get((toolkit, tool.name), f"{toolkit}.{tool.name}")
            tools[name] = tool if tool.name == name else replace(tool, name=name)
    return Catalog({toolkit: service for toolkit, (service, _) in known.by_toolkit.items()}, tools, tuple(problems))


def shipped_tool(found: Found, name: str) -> Tool | None:
    """A built-in tool by its exact name, without building any other; None if only the whole catalogue can answer that."""
    if not all(folder.built_in for folder in found.folders):
        return None  # a tool from elsewhere may have the same name
    known, spelled = _services(found), json.dumps(name).encode()
    made: list[Tool] = []
    for service, folder in known.by_toolkit.values():
        for path in tool_files(folder):
            try:
                if spelled not in content_of(path):
                    continue
            except Unreadable:
                return None
            if not known.is_checked(folder, path):
                return None
            made += _tools(path, folder, service, known, [], name)
    return made[0] if len(made) == 1 else None


def forget() -> None:
    """Forget what was read; the files have changed."""
    from registry.catalog import folders, listing, toolkit_files

    forget_files()
    for cached in (_services, folders._found, folders.built_in, listing._tools, listing._read):
        cached.cache_clear()
    for one in (services, load, listing.entries, listing.table_of_contents, listing.toolkit_titles, listing.unique_names):
        one.forget()
    toolkit_files.folders_by_toolkit.forget()


def digest(path: Path) -> str:
    """The SHA-256 of a file's content, as in ``checked.json``."""
    return hashlib.sha256(content_of(path)).hexdigest()


@cache
def _services(found: Found) -> Services:
    return Services(found)


def _of_service(folder: ToolkitFolder, field: str, message: str) -> CatalogProblem:
    from registry.catalog.lines import lines_of

    path = folder.path / SERVICE
    return CatalogProblem(folder.named(path), "", field, message, lines_of(path).of(field))


def _of_tool(folder: ToolkitFolder, path: Path, name: str, field: str, message: str) -> CatalogProblem:
    from registry.catalog.lines import lines_of

    return CatalogProblem(folder.named(path), name, field, message, lines_of(path).of_tool(name, field))


def _clash(service: Service, others: Iterable[Service]) -> tuple[str, str] | None:
    """A value that a service must not share with an earlier one, but does: (field, message)."""
    for other in others:
        if service.toolkit.lower() == other.toolkit.lower():
            return "toolkit", f"another toolkit {other.toolkit!r} was found first"
        if service.name == other.name:
            return "name", f"the toolkit {other.toolkit!r} already has the name {other.name!r}"
        if shared := set(service.variables) & set(other.variables):
            return "authentication", f"{min(shared)} belongs to the toolkit {other.toolkit!r}; no other may read it"
    return None


def _tools(
    path: Path, folder: ToolkitFolder, service: Service, known: Services, problems: list[CatalogProblem], only: str = ""
) -> Iterator[Tool]:
    file = folder.named(path)
    try:
        content = read_file(path)
        checked = known.is_checked(folder, path)
    except Unreadable as error:
        problems.append(error.at(file))
        return
    entries, places = _entries(content, service, only)
    if checked:
        tools: Iterable[Tool] = map(_tool, entries)
    else:
        from registry.catalog.checking import checked_tools
        from registry.catalog.checking_groups import group_problems
        from registry.catalog.lines import line_of_tools

        problems += group_problems(content, file, path)
        tools = checked_tools(entries, file, service, problems, line_of_tools(path, places))
    for tool in tools:
        if tool.composed is not None and not folder.built_in:
            words = "names code, which only toolkits that ship may have"
            problems.append(_of_tool(folder, path, tool.name, "composed", words))
            continue
        yield replace(tool, returns=_paged(tool.returns, service))


def _entries(content: Any, service: Service, only: str) -> tuple[list[Any], list[Steps]]:
    """The tools in the content of a file, with what all tools of the service share, and the path of each in the file.

    Groups without a name or a list of tools are left out; `registry.catalog.checking_groups` tells them.
    """
    style = service.request
    shared = {"toolkit": service.toolkit, "arrays": style.arrays, "nested": style.nested, "exact": style.exact}
    groups = content.get("groups") if isinstance(content, dict) else None
    entries: list[Any] = []
    places: list[Steps] = []
    for number, group in enumerate(groups if isinstance(groups, list) else ()):
        if not (isinstance(group, dict) and isinstance(group.get("name"), str) and isinstance(group.get("tools"), list)):
            continue
        common = shared | {"group": group["name"]}
        for place, entry in enumerate(group["tools"]):
            if not only or entry.get("name") == only:
                entries.append(common | entry if isinstance(entry, dict) else entry)
                places.append(("groups", number, "tools", place))
    return entries, places


def _paged(returns: Returns, service: Service) -> Returns:
    """What a tool returns, with its service's paging unless the tool has its own."""
    paging = returns.paging
    if paging is None and (returns.kind == "list" or returns.kind == "search_result"):
        paging = service.response.paging.get(returns.kind)
    if paging is not None and returns.items is not None:
        paging = replace(paging, items=returns.items)
    return replace(returns, paging=paging)


def _digests() -> Mapping[str, str]:
    try:
        digests = read_file(BUILT_IN / CHECKED)
    except Unreadable:
        return {}
    return digests if isinstance(digests, dict) else {}


def _digests_of_kept(folder: Path) -> Mapping[str, str]:
    """The digests that this version of the program wrote; another version may have had other rules."""
    try:
        content = read_file(folder / CHECKED)
    except Unreadable:
        return {}
    files = content.get("files") if isinstance(content, dict) and content.get("version") == __version__ else None
    return files if isinstance(files, dict) else {}


def _service(entry: dict[str, Any]) -> Service:
    """A service that was checked when ``checked.json`` was written."""
    from registry.catalog.typed_json import converted

    return converted(entry, Service)


def _tool(entry: dict[str, Any]) -> Tool:
    returns = entry["returns"]
    return Tool(
        **entry
        | {
            "returns": _returns(returns),
            "parameters": tuple(_parameter(fields_of(parameter)) for parameter in entry["parameters"]),
            "scopes": tuple(entry.get("scopes", ())),
            "fixed_query": tuple((name, value) for name, value in entry.get("fixed_query", ())),
        }
    )


def _returns(entry: dict[str, Any]) -> Returns:
    paging = Paging(**entry["paging"]) if "paging" in entry else None
    return Returns(kind=entry["kind"], objects=tuple(entry["objects"]), items=entry.get("items"), paging=paging)


def _parameter(fields: dict[str, Any]) -> Parameter:
    fields = {key: tuple(value) if key in _TUPLES else value for key, value in fields.items()}
    for key in ("properties", "branches"):
        if key in fields:
            fields[key] = tuple(_parameter(inner) for inner in fields[key])
    if "items" in fields:
        fields["items"] = _parameter(fields["items"])
    return Parameter(**fields)
