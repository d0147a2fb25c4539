"""Reads the catalogue: every toolkit's service and tools.

The toolkits that come with Callboard are checked by its tests, and those that ``callboard toolkit add`` wrote were checked when
they were written: both are used as they are. Files from elsewhere are checked entry by entry, and their valid entries are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from registry.catalog.folders import SERVICE, Found, OfFolders, ToolkitFolder
from registry.catalog.lines import lines_of
from registry.catalog.listing import place_of, tool_files, unique_names
from registry.catalog.model import Returns, Tool
from registry.catalog.problems import CatalogProblem
from registry.catalog.reading import Unreadable, converted, of_files, read_file
from registry.catalog.service import Service


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


@OfFolders
def services(found: Found) -> Mapping[str, Service]:
    """The services of all toolkits by the toolkits' names, in display order."""
    return {toolkit: service for toolkit, (service, _) in _services(found)[0].items()}


@OfFolders
def load(found: Found) -> Catalog:
    """Read the catalogue from the folders that were found, by default from all."""
    known, of_services = _services(found)
    problems = list(of_services)
    names = unique_names(found)
    tools: dict[str, Tool] = {}
    for toolkit, (service, folder) in known.items():
        own: dict[str, Tool] = {}
        for path in tool_files(folder):
            for tool in _tools(path, folder, service, problems):
                if tool.name in own:
                    problems.append(_of_tool(folder, path, tool.name, "name", "is already in the toolkit"))
                else:
                    own[tool.name] = tool
        for tool in sorted(own.values(), key=place_of(service.groups)):
            name = names.get((toolkit, tool.name), f"{toolkit}.{tool.name}")
            tools[name] = tool if tool.name == name else replace(tool, name=name)
    return Catalog(services(found), tools, tuple(problems))


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
            problems.append(_of_service(folder, "mcp.command", words))
        elif (problem := _clash(service, [other for other, _ in usable.values()])) is not None:
            problems.append(_of_service(folder, *problem))
        else:
            usable[service.toolkit] = service, folder
    return dict(sorted(usable.items(), key=lambda one: one[1][0].order)), tuple(problems)


def _service(folder: ToolkitFolder, problems: list[CatalogProblem]) -> Service | None:
    path = folder.path / SERVICE
    try:
        content = read_file(path)
        if folder.trusted:
            return converted(content, Service)
    except Unreadable as error:
        problems.append(error.at(folder.named(path)))
        return None
    except msgspec.ValidationError as error:
        problems.append(CatalogProblem(folder.named(path), "", "", _of_another_version(folder, error)))
        return None
    from registry.catalog.checking_services import checked_service  # pydantic; only toolkits from elsewhere need it

    return checked_service(content, folder.named(path), problems, lambda field: lines_of(path).of(field))


def _tools(path: Path, folder: ToolkitFolder, service: Service, problems: list[CatalogProblem]) -> Iterator[Tool]:
    file = folder.named(path)
    try:
        content = read_file(path)
    except Unreadable as error:
        problems.append(error.at(file))
        return
    if folder.trusted:
        try:
            tools: Iterable[Tool] = [converted(entry, Tool) for entry in _entries(content, service)]
        except msgspec.ValidationError as error:
            problems.append(CatalogProblem(file, "", "", _of_another_version(folder, error)))
            return
    else:
        from registry.catalog.checking import checked_file  # pydantic; only toolkits from elsewhere need it

        tools = checked_file(content, path, file, service, problems)
    for tool in tools:
        if tool.composed is not None and not folder.built_in:
            words = "names code, which only toolkits that ship may have"
            problems.append(_of_tool(folder, path, tool.name, "composed", words))
        else:
            yield replace(tool, returns=_paged(tool.returns, service))


def _entries(content: Any, service: Service) -> Iterator[Any]:
    """The tools in the content of a file, each with what all tools of its service and its group share."""
    for group in content["groups"]:
        shared = service.shared_by_tools | {"group": group["name"]}
        yield from (shared | entry for entry in group["tools"])


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
        if service.toolkit.lower() == other.toolkit.lower():
            return "toolkit", f"another toolkit {other.toolkit!r} was found first"
        if service.name == other.name:
            return "name", f"the toolkit {other.toolkit!r} already has the name {other.name!r}"
        if shared := set(service.variables) & set(other.variables):
            return "authentication", f"{min(shared)} belongs to the toolkit {other.toolkit!r}; no other may read it"
    return None


def _of_another_version(folder: ToolkitFolder, error: msgspec.ValidationError) -> str:
    return f"was written by another version ({error}); run `callboard toolkit refresh {folder.path.name}`"


def _of_service(folder: ToolkitFolder, field: str, message: str) -> CatalogProblem:
    path = folder.path / SERVICE
    return CatalogProblem(folder.named(path), "", field, message, lines_of(path).of(field))


def _of_tool(folder: ToolkitFolder, path: Path, name: str, field: str, message: str) -> CatalogProblem:
    return CatalogProblem(folder.named(path), name, field, message, lines_of(path).of_tool(name, field))
