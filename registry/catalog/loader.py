"""Reading the catalogue.

The catalogue that ships was checked where it was made, and ``checked.json`` holds the digests of its files. A file that is the
same still is taken as it is; any other one is checked entry by entry, and everything in it that can be used is used. That
spares every command the tenth of a second that loading the checking takes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from registry.catalog.entries import fields_of
from registry.catalog.listing import DATA, read_file, tool_files
from registry.catalog.model import Authentication, Parameter, Returns, Tool, Toolkit

if TYPE_CHECKING:
    from registry.catalog.checking import CatalogProblem

CHECKED = "checked.json"
_TOOLKITS = "toolkits.json"
_TUPLES = ("enum", "wire_enum", "suggestions", "refers_to")


@dataclass(frozen=True, slots=True)
class Catalog:
    """All that can be called: toolkits and tools by name, in the order in which they are shown, and what was left out."""

    toolkits: Mapping[str, Toolkit]
    tools: Mapping[str, Tool]
    problems: tuple[CatalogProblem, ...]

    def find(self, name: str) -> Tool | None:
        """A tool by its name, with or without its toolkit in front, in any case."""
        wanted = name.rpartition(".")[2] if "." in name else name
        tool = self.tools.get(wanted) or next(
            (tool for tool in self.tools.values() if tool.name.lower() == wanted.lower()), None
        )
        if tool is None or ("." in name and tool.full_name.lower() != name.lower()):
            return None
        return tool


@cache
def load(directory: Path = DATA) -> Catalog:
    """Read the catalogue in a folder: ``toolkits.json`` and a file for each set of resource groups."""
    problems: list[CatalogProblem] = []
    digests = _digests(directory)
    toolkits = {toolkit.name: toolkit for toolkit in _toolkits(directory, digests, problems)}
    tools: dict[str, Tool] = {}
    for path in tool_files(directory):
        file = path.relative_to(directory).as_posix()
        for tool in _tools(path, file, digests, problems):
            if tool.name in tools:
                problems.append(_problem(file, tool.name, "name", "is in the catalogue already"))
            elif tool.toolkit not in toolkits:
                problems.append(_problem(file, tool.name, "toolkit", f"there is no toolkit {tool.toolkit!r}"))
            else:
                tools[tool.name] = tool
    return Catalog(toolkits, tools, tuple(problems))


def digest(path: Path) -> str:
    """What stands for a file's content in the list of checked files."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def data_files(directory: Path = DATA) -> list[Path]:
    """All files that the catalogue is read from."""
    return [directory / _TOOLKITS, *tool_files(directory)]


def _toolkits(directory: Path, digests: Mapping[str, str], problems: list[CatalogProblem]) -> Iterable[Toolkit]:
    path = directory / _TOOLKITS
    entries = _content(path, _TOOLKITS, "toolkits", problems)
    if entries and digests.get(_TOOLKITS) == digest(path):
        return [_toolkit(entry) for entry in entries]
    from registry.catalog.checking import checked_toolkits

    return checked_toolkits(entries, _TOOLKITS, problems)


def _tools(path: Path, file: str, digests: Mapping[str, str], problems: list[CatalogProblem]) -> Iterable[Tool]:
    groups = _content(path, file, "groups", problems)
    if not groups:
        return ()
    toolkit = read_file(path).get("toolkit")
    entries: list[Any] = []
    for group in groups:
        if not isinstance(group, dict) or not isinstance(group.get("tools"), list):
            problems.append(_problem(file, "", "groups", "each group needs a name and a list of tools"))
            continue
        common = {"toolkit": toolkit, "group": group.get("name")}
        entries += [common | entry if isinstance(entry, dict) else entry for entry in group["tools"]]
    if digests.get(file) == digest(path):
        return [_tool(entry) for entry in entries]
    from registry.catalog.checking import checked_tools

    return checked_tools(entries, file, problems)


def _content(path: Path, file: str, key: str, problems: list[CatalogProblem]) -> list[Any]:
    try:
        content = read_file(path)
    except OSError as error:
        problems.append(_problem(file, "", "", f"cannot be read: {error.strerror}"))
        return []
    except ValueError as error:
        problems.append(_problem(file, "", "", f"is not JSON: {error}"))
        return []
    entries = content.get(key) if isinstance(content, dict) else None
    if not isinstance(entries, list):
        problems.append(_problem(file, "", key, "a list is needed here"))
        return []
    return entries


def _digests(directory: Path) -> Mapping[str, str]:
    try:
        digests = read_file(directory / CHECKED)
    except (OSError, ValueError):
        return {}
    return digests if isinstance(digests, dict) else {}


def _problem(file: str, tool: str, field: str, message: str) -> CatalogProblem:
    from registry.catalog.checking import CatalogProblem

    return CatalogProblem(file, tool, field, message)


def _toolkit(entry: dict[str, Any]) -> Toolkit:
    authentication = dict(entry["authentication"])
    authentication["scopes"] = tuple(authentication.get("scopes", ()))
    return Toolkit(**entry | {"authentication": Authentication(**authentication), "capabilities": tuple(entry["capabilities"])})


def _tool(entry: dict[str, Any]) -> Tool:
    returns = entry["returns"]
    return Tool(
        **entry
        | {
            "returns": Returns(kind=returns["kind"], objects=tuple(returns["objects"])),
            "parameters": tuple(_parameter(fields_of(parameter)) for parameter in entry["parameters"]),
            "scopes": tuple(entry.get("scopes", ())),
            "fixed_query": tuple((name, value) for name, value in entry.get("fixed_query", ())),
        }
    )


def _parameter(fields: dict[str, Any]) -> Parameter:
    fields = {key: tuple(value) if key in _TUPLES else value for key, value in fields.items()}
    for key in ("properties", "branches"):
        if key in fields:
            fields[key] = tuple(_parameter(inner) for inner in fields[key])
    if "items" in fields:
        fields["items"] = _parameter(fields["items"])
    return Parameter(**fields)
