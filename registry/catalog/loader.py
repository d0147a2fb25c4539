"""Reads the catalogue: every toolkit's service and tools.

The toolkits that come with Callboard are checked by its tests, and those that ``callboard toolkit add`` wrote were checked when
they were written: both are used as they are. Files from elsewhere are checked entry by entry, and their valid entries are used.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from registry.catalog.folders import SERVICE, Found, ToolkitFolder, of_folders
from registry.catalog.model import Returns, Tool
from registry.catalog.problems import CatalogProblem
from registry.catalog.reading import MOST_FILES, Unreadable, converted, of_files, read_file
from registry.catalog.service import Service


class Catalog(msgspec.Struct, frozen=True, eq=False):
    """All services and tools, in display order, and the problems with what was left out.

    Attributes:
        toolkits: the service of each toolkit, by the toolkit's name.
        tools: by the unique name in the catalogue: the tool's own, with its toolkit as a prefix if another toolkit has
            a tool with the same name. Built-in tools keep their own names, so that no other toolkit can take one over.
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
        return [one for one in self.tools.values() if (one.full_name if "." in name else one.own_name).lower() == wanted]


@of_folders
def services(found: Found) -> Mapping[str, Service]:
    """The services of all toolkits by the toolkits' names, in display order."""
    return {toolkit: service for toolkit, (service, _) in _services(found)[0].items()}


@of_folders
def folders(found: Found) -> Mapping[str, ToolkitFolder]:
    """The folders of all toolkits by the toolkits' names, in display order. Called for every object of a response."""
    return {toolkit: folder for toolkit, (_, folder) in _services(found)[0].items()}


@of_folders
def load(found: Found) -> Catalog:
    """Read the catalogue from the folders that were found, by default from all."""
    known, of_services = _services(found)
    problems = list(of_services)
    tools: list[tuple[Tool, ToolkitFolder]] = []
    for service, folder in known.values():
        own: dict[str, Tool] = {}
        for path in tool_files(folder):
            for tool in _tools(path, folder, service, problems):
                if own.setdefault(tool.name, tool) is not tool:
                    problems.append(CatalogProblem(folder.named(path), tool.name, "name", "is already in the toolkit"))
        places = {group: place for place, group in enumerate(service.groups)}
        tools += ((tool, folder) for tool in sorted(own.values(), key=lambda one: places.get(one.group, len(places))))
    count = Counter(tool.name for tool, _ in tools)
    named = (
        tool if count[tool.name] == 1 or folder.built_in else replace(tool, name=f"{tool.toolkit}.{tool.name}")
        for tool, folder in tools
    )
    return Catalog(services(found), {tool.name: tool for tool in named}, tuple(problems))


def tool_files(folder: ToolkitFolder) -> list[Path]:
    """The files with a toolkit's tools, sorted by name."""
    try:
        names = sorted(name for name in os.listdir(folder.path / "tools") if name.endswith(".json"))
    except OSError:
        return []
    return [folder.path / "tools" / name for name in names[:MOST_FILES]]


def bare_type(type_: str) -> str:
    """A type without its toolkit's prefix: ``crm_user`` is a user. Code uses the full names; people see the bare ones."""
    return type_.removeprefix(next((one for one in _prefixes() if type_.startswith(one)), ""))


def full_types(type_: str) -> list[str]:
    """The full names that a typed type may mean: unchanged, or with a toolkit's prefix."""
    return [type_, *(f"{one}{type_}" for one in _prefixes())]


def _prefixes() -> list[str]:
    return [one.type_prefix for one in services().values() if one.type_prefix]


@of_files
def _services(found: Found) -> tuple[dict[str, tuple[Service, ToolkitFolder]], tuple[CatalogProblem, ...]]:
    """The usable services with their folders by toolkit, in display order, and the problems of the others."""
    problems = list(found.problems)
    usable: dict[str, tuple[Service, ToolkitFolder]] = {}
    for folder in found.folders:
        service = _service(folder, problems)
        if service is None:
            continue
        if service.mcp is not None and service.mcp.command and not folder.kept:
            # The author of the file could run any program on this machine.
            words = "names a program to start, which only a toolkit added by `callboard toolkit add --mcp` may do"
            problem: tuple[str, str] | None = "mcp.command", words
        else:
            problem = _clash(service, [other for other, _ in usable.values()])
        if problem is None:
            usable[service.toolkit] = service, folder
        else:
            problems.append(CatalogProblem(folder.named(folder.path / SERVICE), "", *problem))
    return dict(sorted(usable.items(), key=lambda one: one[1][0].order)), tuple(problems)


def _service(folder: ToolkitFolder, problems: list[CatalogProblem]) -> Service | None:
    path = folder.path / SERVICE
    try:
        content = read_file(path)
        if folder.trusted:
            return converted(content, Service)
    except (Unreadable, msgspec.ValidationError) as error:
        problems.append(_unusable(folder, path, error))
        return None
    from registry.catalog.checking_services import checked_service  # pydantic; only toolkits from elsewhere need it

    return checked_service(content, folder.named(path), problems)


def _tools(path: Path, folder: ToolkitFolder, service: Service, problems: list[CatalogProblem]) -> Iterator[Tool]:
    try:
        content = read_file(path)
        if folder.trusted:
            # Each tool with what all tools of its service and its group share.
            shared = [(service.shared_by_tools | {"group": group["name"]}, group["tools"]) for group in content["groups"]]
            tools: Iterable[Tool] = [converted(common | entry, Tool) for common, entries in shared for entry in entries]
        else:
            from registry.catalog.checking import checked_file  # pydantic; only toolkits from elsewhere need it

            tools = checked_file(content, folder.named(path), service, problems)
    except (Unreadable, msgspec.ValidationError) as error:
        problems.append(_unusable(folder, path, error))
        return
    for tool in tools:
        if tool.composed is not None and not folder.built_in:
            words = "names code, which only toolkits that ship may have"
            problems.append(CatalogProblem(folder.named(path), tool.name, "composed", words))
        else:
            yield replace(tool, returns=_paged(tool.returns, service))


def _paged(returns: Returns, service: Service) -> Returns:
    """What a tool returns, with its service's paging unless the tool has its own."""
    paging = returns.paging
    if paging is None and (returns.kind == "list" or returns.kind == "search_result"):
        paging = service.response.paging.get(returns.kind)
    if paging is not None and returns.items is not None:
        paging = replace(paging, items=returns.items)
    return replace(returns, paging=paging)


def _clash(service: Service, others: Iterable[Service]) -> tuple[str, str] | None:
    """A value that a service must not share with an earlier one, but does: (field, message)."""
    for other in others:
        shared = sorted(set(service.variables) & set(other.variables))
        if service.toolkit.lower() == other.toolkit.lower():
            return "toolkit", f"another toolkit {other.toolkit!r} was found first"
        if service.name == other.name:
            return "name", f"the toolkit {other.toolkit!r} already has the name {other.name!r}"
        if shared:
            return "authentication", f"{shared[0]} belongs to the toolkit {other.toolkit!r}; no other may read it"
    return None


def _unusable(folder: ToolkitFolder, path: Path, error: Unreadable | msgspec.ValidationError) -> CatalogProblem:
    if isinstance(error, Unreadable):
        return error.at(folder.named(path))
    words = f"was written by another version ({error}); run `callboard toolkit refresh {folder.path.name}`"
    return CatalogProblem(folder.named(path), "", "", words)
