"""The table of contents of the catalogue: enough to show the tree and to find a tool.

It is fast enough to read before the first frame: it reads the same files as the full catalogue, without validation. The loader
reports errors in entries; an entry without a usable name, toolkit or group, or with unsafe text, is left out here.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from registry.catalog.folders import SERVICE, Found, OfFolders, ToolkitFolder
from registry.catalog.reading import MOST_FILES, Unreadable, of_files, read_file
from registry.catalog.titles import FILE, ToolTitle, titles_of
from registry.text.safe_text import visible_line

EFFECT_SIGNS = {"read": " ", "write": "+", "delete": "×"}
"""The sign in front of a tool, by its effect."""

NO_SIGN = "□"
_SIGNS, _HUES = ("■", "▲", "●", NO_SIGN), ("violet", "orange", "teal")
_NAME = re.compile(r"[A-Z][A-Za-z0-9]{0,99}")


class ToolSummary(NamedTuple):
    """One tool in the table of contents.

    `name` is unique in the catalogue: if several toolkits have a tool with that name, it has its toolkit as a prefix, except
    for a built-in tool. `effect` is ``read``, ``write`` or ``delete``; `response` is the kind of response (``object``,
    ``list``, …) and `objects` the types in it. `title` is its name on screen.
    """

    toolkit: str
    group: str
    name: str
    operation: str
    summary: str
    effect: str
    deprecated: bool
    response: str
    objects: tuple[str, ...]
    title: ToolTitle = ToolTitle()


class ToolkitTitle(NamedTuple):
    """A toolkit in the table of contents.

    `variables` are the ways to set a credential in the environment; `sign` and `hue` are as in `Service`; `version` is empty
    if the toolkit names none; `kept`: the user added it.
    """

    name: str
    title: str
    summary: str
    variables: tuple[tuple[str, ...], ...] = ()
    sign: str = NO_SIGN
    hue: str = ""
    version: str = ""
    kept: bool = False

    @property
    def named(self) -> str:
        """Its title, with the version if there is one."""
        return f"{self.title} {self.version}".rstrip()


class Entry(NamedTuple):
    """A toolkit's folder, and the data of its service for lists."""

    folder: ToolkitFolder
    toolkit: str
    title: str
    summary: str
    groups: tuple[str, ...]
    order: int
    variables: tuple[tuple[str, ...], ...]
    sign: str
    hue: str
    version: str


def tool_files(folder: ToolkitFolder) -> list[Path]:
    """The files with a toolkit's tools, sorted by name."""
    try:
        names = sorted(name for name in os.listdir(folder.path / "tools") if name.endswith(".json"))
    except OSError:
        return []
    return [folder.path / "tools" / name for name in names[:MOST_FILES]]


@OfFolders
def entries(found: Found) -> tuple[Entry, ...]:
    """The toolkits that can be listed, in display order; of those with the same name the first."""
    listed: dict[str, Entry] = {}
    for folder in found.folders:
        if (entry := _entry(folder)) is not None:
            listed.setdefault(entry.toolkit.lower(), entry)
    return tuple(sorted(listed.values(), key=lambda entry: entry.order))


@OfFolders
def table_of_contents(found: Found) -> tuple[ToolSummary, ...]:
    """Every tool that can be listed, in display order."""
    names = unique_names(found)
    return tuple(
        tool if (name := names[tool.toolkit, tool.name]) == tool.name else tool._replace(name=name)
        for entry in entries(found)
        for tool in sorted(_tools(entry), key=place_of(entry.groups))
    )


@OfFolders
def toolkit_titles(found: Found) -> tuple[ToolkitTitle, ...]:
    """The toolkits in display order."""
    return tuple(
        ToolkitTitle(
            *(entry.toolkit, entry.title, entry.summary, entry.variables, entry.sign, entry.hue, entry.version),
            kept=entry.folder.kept,
        )
        for entry in entries(found)
    )


@OfFolders
def unique_names(found: Found) -> Mapping[tuple[str, str], str]:
    """The unique name of each tool in the catalogue, by toolkit and name: with the toolkit in front if others have the name.

    Built-in tools always keep their names, so that no other toolkit can take a name over.
    """
    names = {entry: dict.fromkeys(tool.name for tool, _ in _read(entry)) for entry in entries(found)}
    count = Counter(name for of_one in names.values() for name in of_one)
    return {
        (entry.toolkit, name): name if count[name] == 1 or entry.folder.built_in else f"{entry.toolkit}.{name}"
        for entry, of_one in names.items()
        for name in of_one
    }


def place_of(groups: tuple[str, ...]) -> Callable[[Any], int]:
    """The position of a tool's group in the declared order; groups that are not declared come last."""
    places = {group: place for place, group in enumerate(groups)}
    return lambda tool: places.get(tool.group, len(places))


def _entry(folder: ToolkitFolder) -> Entry | None:
    try:
        content = read_file(folder.path / SERVICE)
        groups, order = content.get("groups", []), content.get("order", 100)
        entry = Entry(
            folder,
            content["toolkit"],
            content["title"],
            content["summary"],
            tuple(group for group in groups if isinstance(group, str)),
            order if isinstance(order, int) else 100,
            tuple(_variables(way) for way in content["authentication"]),
            sign if (sign := content.get("sign")) in _SIGNS else NO_SIGN,
            hue if (hue := content.get("hue")) in _HUES else "",
            content.get("version") or "",
        )
    except (Unreadable, KeyError, TypeError, AttributeError):
        return None
    texts = (entry.title, entry.summary, entry.version, *(name for way in entry.variables for name in way))
    return entry if folder.built_in or (_is_name(entry.toolkit) and _is_fit(texts)) else None


def _variables(way: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(way[name] for name in ("user_variable", "variable") if way.get(name))


@of_files
def _tools(entry: Entry) -> tuple[ToolSummary, ...]:
    titles = titles_of([content for _, content in _read(entry)], _titles(entry.folder))
    return tuple(tool._replace(title=titles[tool.name]) for tool, _ in _read(entry))


@of_files
def _read(entry: Entry) -> tuple[tuple[ToolSummary, dict[str, Any]], ...]:
    """The tools of a toolkit without titles, each with its entry in the file."""
    read: list[tuple[ToolSummary, dict[str, Any]]] = []
    for path in tool_files(entry.folder):
        try:
            for group in read_file(path)["groups"]:
                for tool in group["tools"]:
                    read += ((found, tool) for found in _tool(entry, group["name"], tool))
        except (Unreadable, KeyError, TypeError):
            continue
    return tuple(read)


def _titles(folder: ToolkitFolder) -> Mapping[str, Any]:
    """The toolkit's own title data; empty if it cannot be read or is not safe to show."""
    if not (folder.path / FILE).exists():
        return {}
    try:
        content = read_file(folder.path / FILE)
    except Unreadable:
        return {}
    if not isinstance(content, dict):
        return {}
    texts = [text for one in content.values() if isinstance(one, dict) for text in one.values()]
    return content if folder.built_in or _is_fit(tuple(texts)) else {}


def _tool(entry: Entry, group: str, tool: dict[str, Any]) -> Iterator[ToolSummary]:
    try:
        returns = tool["returns"]
        listed = ToolSummary(
            entry.toolkit,
            group,
            tool["name"],
            tool["operation"],
            tool["summary"],
            tool["effect"],
            bool(tool.get("deprecated")),
            returns["kind"],
            tuple(returns["objects"]),
        )
    except (KeyError, TypeError):
        return
    texts = (listed.group, listed.operation, listed.summary, listed.effect, listed.response, *listed.objects)
    if entry.folder.built_in or (_is_name(listed.name) and _is_fit(texts)):
        yield listed


def _is_name(text: object) -> bool:
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


def _is_fit(texts: tuple[object, ...]) -> bool:
    """Whether texts are safe to show unchanged. Callers skip this for built-in toolkits, which were checked."""
    return all(isinstance(text, str) and visible_line(text) == text for text in texts)
