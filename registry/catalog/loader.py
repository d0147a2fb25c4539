"""Reads the catalogue: every toolkit's service and tools, and the optional files and functions of its folder.

The toolkits that come with Callboard are checked by its tests, and those that ``callboard toolkit add`` wrote were checked when
they were written: both are used as they are. Files from elsewhere are checked entry by entry, and their valid entries are used.

Optional files are read entry by entry, too (`ToolkitFile`): an invalid one becomes a problem that names file, field and rule.
pydantic checks tools and services from elsewhere (`checking`); msgspec, which imports in a fraction of the time, checks these
files, which are read at every start.

Functions that belong to one toolkit are found by name and imported on first use. They are in modules of its folder: ``rules``
(arguments), ``composed`` (tools with several requests) and ``deleting`` (checks before a change). Code is imported only from
the package ``registry.toolkits``: a user's folder is data only.
"""

import difflib
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from registry.catalog.folders import (
    BUILT_IN,
    MOST_FILES,
    SERVICE,
    UNFIT,
    CatalogProblem,
    Found,
    ToolkitFolder,
    converted,
    in_words,
    of_files,
    read_file,
    toolkit_folders,
    unfit,
)
from registry.catalog.model import Tool
from registry.catalog.service import Service


class UnknownTool(LookupError):
    """There is no tool with this name, or several; the text names them, or the nearest ones."""


class Catalog(msgspec.Struct, frozen=True, eq=False):
    """All services and tools, in display order, and the problems with what was left out.

    Attributes:
        toolkits: the service of each toolkit, by the toolkit's name.
        tools: by the unique name in the catalogue: the tool's own, with its toolkit as a prefix if another toolkit has
            a tool with the same name. Built-in tools keep their own names, so that no other toolkit can take one over.
        problems: what could not be used.
        folders: the folder of each toolkit, by the toolkit's name.
    """

    toolkits: Mapping[str, Service]
    tools: Mapping[str, Tool]
    problems: tuple[CatalogProblem, ...]
    folders: Mapping[str, ToolkitFolder] = msgspec.field(default_factory=dict)

    def find(self, name: str) -> Tool | None:
        """A tool by its full name, or by its own name if that is unique among toolkits; ignores case."""
        found = self.named(name)
        return found[0] if len(found) == 1 else None

    def tool(self, name: str) -> Tool:
        """The same; `UnknownTool` if there is none."""
        found = self.named(name)
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownTool(f"{name} may be {' or '.join(one.full_name for one in found)}; give the name with its toolkit")
        if problem := next((one for one in self.problems if one.tool == name), None):
            raise UnknownTool(f"cannot load {name}: {problem}")
        nearest = difflib.get_close_matches(name.rpartition(".")[2], self.tools, n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(nearest)}?" if nearest else ""
        raise UnknownTool(f"unknown tool {name!r}{hint}")

    def named(self, name: str) -> list[Tool]:
        """The tools that a name may mean."""
        wanted = name.lower()
        return [one for one in self.tools.values() if (one.full_name if "." in name else one.own_name).lower() == wanted]


def load(found: Found | None = None) -> Catalog:
    """The catalogue of the folders that were found, by default of all; read once. Called for every object of a response."""
    return _catalog(toolkit_folders() if found is None else found)


@of_files
def _catalog(found: Found) -> Catalog:
    problems = list(found.problems)
    known: list[tuple[Service, ToolkitFolder]] = []
    for folder in found.folders:
        if (usable := _service(folder, [service for service, _ in known], problems)) is not None:
            known.append((usable, folder))
    known.sort(key=lambda one: one[0].order)
    tools: list[tuple[Tool, ToolkitFolder]] = []
    for service, folder in known:
        own: dict[str, Tool] = {}
        for path in sorted((folder.path / "tools").glob("*.json"))[:MOST_FILES]:
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
    toolkits, folders = {one.toolkit: one for one, _ in known}, {one.toolkit: folder for one, folder in known}
    return Catalog(toolkits, {tool.name: tool for tool in named}, tuple(problems), folders)


def bare_type(type_: str) -> str:
    """A type without its toolkit's prefix: ``crm_user`` is a user. Code uses the full names; people see the bare ones."""
    return type_.removeprefix(next((one for one in _prefixes() if type_.startswith(one)), ""))


def full_types(type_: str) -> list[str]:
    """The full names that a typed type may mean: unchanged, or with a toolkit's prefix."""
    return [type_, *(f"{one}{type_}" for one in _prefixes())]


def _prefixes() -> list[str]:
    return [one.type_prefix for one in load().toolkits.values() if one.type_prefix]


def _service(folder: ToolkitFolder, others: Sequence[Service], problems: list[CatalogProblem]) -> Service | None:
    """The service of a folder; None, and its problems, if it is not usable or clashes with others."""
    path = folder.path / SERVICE
    try:
        content = read_file(path)
        service = converted(content, Service) if folder.trusted else None
    except ValueError as error:
        problems.append(_unusable(folder, path, error))
        return None
    if not folder.trusted:
        from registry.catalog.checking import checked_service  # pydantic; only toolkits from elsewhere need it

        service = checked_service(content, folder.named(path), problems)
    if service is None:
        return None
    problem = None if folder.built_in else _clash(service, others)
    if service.mcp is not None and (service.mcp.command or service.mcp.config) and not folder.kept:
        # The author of the file could run any program on this machine, or send any file's credentials anywhere.
        words = "names a program to start or settings to read, as only a toolkit from `callboard toolkit add --mcp` may"
        problem = "mcp.command", words
    if problem is not None:
        problems.append(CatalogProblem(folder.named(path), "", *problem))
        return None
    return service


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
    except ValueError as error:
        problems.append(_unusable(folder, path, error))
        return
    for tool in tools:
        if tool.composed is not None and not folder.built_in:
            words = "names code, which only toolkits that ship may have"
            problems.append(CatalogProblem(folder.named(path), tool.name, "composed", words))
        else:
            # With its service's paging, unless it has its own, and the place of its items there.
            paging, kind = tool.returns.paging, tool.returns.kind
            if paging is None and (kind == "list" or kind == "search_result"):
                paging = service.response.paging.get(kind)
            if paging is not None and tool.returns.items is not None:
                paging = replace(paging, items=tool.returns.items)
            items = paging.items if paging is not None else tool.returns.items
            yield replace(tool, returns=replace(tool.returns, items=items, paging=paging))


def _clash(service: Service, others: Sequence[Service]) -> tuple[str, str] | None:
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


def _unusable(folder: ToolkitFolder, path: Path, error: ValueError) -> CatalogProblem:
    words = str(error)
    if isinstance(error, msgspec.ValidationError):
        words = f"was written by another version ({error}); run `callboard toolkit refresh {folder.path.name}`"
    return CatalogProblem(folder.named(path), "", "", words)


_Record = TypeVar("_Record")
_Declared = TypeVar("_Declared")


def folder_of(toolkit: str) -> Path | None:
    """The folder of the toolkit with a name; None if it has none."""
    found = load().folders.get(toolkit)
    return found.path if found is not None else None


_Read = Callable[[Path], tuple[_Declared, tuple[CatalogProblem, ...]]]


def declarations(
    name: str, keys: Collection[str], content_of: Callable[["ToolkitFile"], _Declared]
) -> tuple[Callable[[str], _Declared], _Read[_Declared]]:
    """Functions that read one kind of file, as if it were empty where it is not: of a toolkit, and of a folder with problems.

    Args:
        name: the file's name.
        keys: its keys.
        content_of: what a file declares.
    """

    @of_files
    def of_folder(folder: Path) -> tuple[_Declared, tuple[CatalogProblem, ...]]:
        file = ToolkitFile(folder, name, keys)
        return content_of(file), tuple(file.problems)

    return lambda toolkit: of_folder(folder_of(toolkit) or Path(os.devnull))[0], of_folder


def data_folders() -> tuple[Path, ...]:
    """The folders of all toolkits, in display order."""
    return tuple(folder.path for folder in load().folders.values())


class ToolkitFile:
    """The content of one file; empty if the folder does not have it.

    Args:
        folder: the toolkit's folder, or another one.
        name: the file's name.
        keys: its keys; others are errors.
        content: its content if it was read already.

    Attributes:
        folder: the folder.
        problems: the errors in the file, in the order in which it was read.
    """

    def __init__(self, folder: Path, name: str, keys: Collection[str], content: Any = None) -> None:
        self.folder = folder
        self.problems: list[CatalogProblem] = []
        self._file = f"{folder.name}/{name}" if folder.parent == BUILT_IN else str(folder / name)
        self._content: dict[str, Any] = {}
        try:
            if content is None:
                content = read_file(folder / name) if (folder / name).exists() else {}
        except ValueError as error:
            self.problem("", str(error))
        else:
            if isinstance(content, dict):
                self._content = content
            else:
                self.problem("", "must be an object")
        for key in self._content:
            if key not in keys and key != "$schema":
                self.problem(key, f"is not a field here; there are: {', '.join(keys)}")

    def problem(self, field: str, message: str) -> None:
        """Add an error in a field."""
        self.problems.append(CatalogProblem(self._file, "", field, message))

    def value(self, key: str, type_: type[_Record], default: _Record) -> _Record:
        """The value of a key; the default if the key is absent or its value has a wrong type."""
        found: _Record | None = self.converted(key, self._content[key], type_) if key in self._content else None
        return default if found is None else found

    def entries(self, key: str, type_: type[_Record]) -> dict[str, _Record]:
        """The entries of the object under a key, without those of a wrong type, and texts that are not safe to show."""
        raw = self._content.get(key, {})
        if not isinstance(raw, dict):
            self.problem(key, "must be an object")
            return {}
        found = {name: self.converted(f"{key}.{name}", one, type_) for name, one in raw.items()}
        for name in [name for name, one in found.items() if isinstance(one, str) and unfit(one) is not None]:
            self.problem(f"{key}.{name}", UNFIT)
            del found[name]
        return {name: one for name, one in found.items() if one is not None}

    def listed(self, key: str, type_: type[_Record]) -> list[_Record]:
        """The entries of the list under a key, without those of a wrong type."""
        raw = self.value(key, list[object], [])
        found = [self.converted(f"{key}[{place}]", one, type_) for place, one in enumerate(raw)]
        return [one for one in found if one is not None]

    def converted(self, field: str, value: Any, type_: type[_Record]) -> _Record | None:
        """A JSON value converted to a type; None, and a problem, if it has a wrong type."""
        try:
            return converted(value, type_)
        except msgspec.ValidationError as error:
            inside, rule = in_words(error)
            self.problem(field + inside, rule)
        except UnicodeEncodeError:
            self.problem(field, "has half of a surrogate pair, which is not a character")
        return None


def optional_hook(toolkit: str, module: str, name: str) -> Callable[..., Any] | None:
    """The function with a name in a module of a toolkit; None if the toolkit does not have it."""
    folder = folder_of(toolkit)
    if folder is None or folder.parent != BUILT_IN:
        return None
    full_name = f"registry.toolkits.{folder.name}.{module}"
    try:
        return getattr(import_module(full_name), name, None)
    except ModuleNotFoundError as error:
        if error.name != full_name:
            raise
        return None
