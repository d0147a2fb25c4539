"""The table of contents of the catalogue, for the tree and the search of tools; and synonyms of their verbs and nouns.

The words that every toolkit shares are in ``words.json`` next to this module, those of one service in the ``words.json``
of its toolkit's folder. Only whole words are listed: the search finds prefixes, plurals and typing errors by
itself. If a word has several meanings, the most likely comes first.

Tools have titles: the resource, then the action: ``Customer · get``, ``Invoices · search``. They are made from a tool's method,
path and kind of response. Exceptions are data: ``titles.json`` in the toolkit's folder has ``titles`` and ``resources`` by
tool, the ``words`` for path segments, and the resources that come ``first``. Two tools of a toolkit never have the same title.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from jellyfish import damerau_levenshtein_distance

from registry.catalog.folders import CatalogProblem, Found, of_files
from registry.catalog.loader import ToolkitFile, data_folders, load
from registry.catalog.model import Tool

_COMMON = Path(__file__).parent
_AROUND = " \t\n\"'`“”‘’<>()[],;:?!"
_MAY = re.compile(r"\b(?:who|whom|which \w+|what role)\s+(?:can|may|could|is allowed|are allowed|has|have)\b", re.IGNORECASE)


class Vocabulary(msgspec.Struct, frozen=True):
    """Words that find tools, in addition to the tools' own words.

    Attributes:
        fillers: words of questions that do not distinguish tools.
        phrases: several words, and the one word that replaces them.
        meanings: a word, and what it may mean, most likely first; a meaning of several words must be adjacent in a tool.
        deletion: the verbs that ask for a deletion.
        contents: what objects contain, by the folder of the toolkit: for each of `CONTENTS` the words by type of object.
    """

    fillers: frozenset[str]
    phrases: Mapping[str, str]
    meanings: Mapping[str, tuple[str, ...]]
    deletion: frozenset[str] = frozenset()
    contents: Mapping[Path, Mapping[str, Mapping[str, str]]] = msgspec.field(default_factory=dict)


def vocabulary() -> Vocabulary:
    """The common words together with those of every toolkit."""
    return _vocabulary(data_folders())


def word_problems(folder: Path) -> list[CatalogProblem]:
    """The errors in the ``words.json`` of a toolkit's folder; empty if there is no such file."""
    file = _read(folder)
    for part in _PARTS:
        file.entries(part, str)
    return file.problems


CONTENTS = ("states", "fields", "errors")
"""What a type's objects contain besides names: the values of states and kinds, the names of fields, the codes of errors."""

_PARTS = ("phrases", "meanings", *CONTENTS)
_COMMON_PARTS = ("fillers", "deletion")


@of_files
def _vocabulary(folders: tuple[Path, ...]) -> Vocabulary:
    common, *files = map(_read, (_COMMON, *folders))
    phrases: dict[str, str] = {}
    meanings: dict[str, list[str]] = {}
    for file in (common, *files):
        for phrase, word in file.entries("phrases", str).items():
            phrases.setdefault(phrase, word)
        for meant, said in file.entries("meanings", str).items():
            for word in said.split():
                meanings.setdefault(word, []).append(meant)
    fillers, deletion = (frozenset(common.value(key, str, "").split()) for key in _COMMON_PARTS)
    read = zip(folders, files, strict=True)
    contents = {folder: {part: file.entries(part, str) for part in CONTENTS} for folder, file in read}
    return Vocabulary(fillers, phrases, {word: tuple(meant) for word, meant in meanings.items()}, deletion, contents)


def _read(folder: Path) -> ToolkitFile:
    return ToolkitFile(folder, "words.json", (*_PARTS, *_COMMON_PARTS) if folder == _COMMON else _PARTS)


def asks_for_deletion(text: str) -> bool:
    """Whether a text contains a verb of deletion, also misspelt or as a part of a tool's name."""
    verbs = vocabulary().deletion
    if _MAY.search(text):
        return False  # it asks who may do it
    words = [part.strip(_AROUND).lower() for part in re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).split()]
    plain = [word.removesuffix("ing").removesuffix("l") for word in words if word.endswith("ing")]
    # A past participle is a state and not a request: deleted, removed.
    return (
        "get rid of" in text.lower()
        or not verbs.isdisjoint((*words, *plain, *(f"{word}e" for word in words + plain)))
        or any(
            damerau_levenshtein_distance(word, verb) == 1 and word.endswith("d") == verb.endswith("d")
            for word in words
            for verb in verbs
            if min(len(word), len(verb)) > 4 and abs(len(word) - len(verb)) < 2
        )
    )


_VERSION = re.compile(r"v?\d+([.-]\d+)*")
_SAY_NOTHING = ("api", "apis", "rest")
_ONE = re.compile(r"/\{[^/]*$")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}
_SEPARATOR = " · "
Texts = Mapping[str, str]


class ToolTitle(NamedTuple):
    """A tool's title on screen.

    Attributes:
        text: the whole title.
        resource: its heading: the resource in the plural.
        action: what it does with the resource; sufficient below the heading.
        place: its sort key within the toolkit's group: resources in order; in each, searches and lists, then single objects,
            then parts, then changes, deletions last.
    """

    text: str = ""
    resource: str = ""
    action: str = ""
    place: tuple[int, str, int, str] = (0, "", 0, "")


class _Parts(NamedTuple):
    """The parts of a path that a title uses."""

    above: tuple[str, ...]
    collection: str
    below: tuple[str, ...]
    one: bool
    last_is_one: bool


def titles_of(tools: Sequence[Tool], folder: Path) -> dict[str, ToolTitle]:
    """The title of each tool of the toolkit in a folder, by the tool's own name; equal ones get that name added."""
    own, heads, words, first, _ = read_titles(folder)
    parts = {tool.own_name: _parts(tool) for tool in tools}
    above = defaultdict(set)
    for one in parts.values():
        above[one.collection].add(one.above)
    paths = [tool.path.removesuffix(".json") for tool in tools if tool.method != "POST" or "}" in tool.path.rpartition("/")[2]]
    things = {_ONE.sub("", path) for path in paths}
    patched = {tool.path for tool in tools if tool.method == "PATCH"}
    titles: dict[str, tuple[str, str, str, int]] = {}
    for tool in tools:
        name, one = tool.own_name, parts[tool.own_name]
        prefix = one.above if len(above[one.collection]) > 1 else ()
        said = " ".join(_words(step, words) for step in (*prefix, one.collection))
        resource = heads.get(name) or said[:1].upper() + said[1:]
        verb = "replace" if tool.method == "PUT" and tool.path in patched else _VERBS.get(tool.method, "")
        action, rank = _action(tool, one, words, verb, is_thing=tool.path.removesuffix(".json") in things)
        text = own.get(name, f"{singular(resource) if one.one else resource}{_SEPARATOR}{action}")
        titles[name] = text, resource, text.rpartition(_SEPARATOR)[2], rank
    count, tools_of = Counter(text for text, *_ in titles.values()), Counter(resource for _, resource, *_ in titles.values())
    best: dict[str, int] = {}
    for _, resource, _, rank in titles.values():
        best[resource] = min(rank, best.get(resource, 2))
    placed = {}
    for name, (text, resource, action, rank) in titles.items():
        order = first.index(resource) if resource in first else 1_000 * (1 + best[resource]) - tools_of[resource]
        added = f" ({name})" if count[text] > 1 else ""
        placed[name] = ToolTitle(text + added, resource, action + added, (order, resource, rank, action + added))
    return placed


def read_titles(folder: Path) -> tuple[Texts, Texts, Texts, list[str], list[CatalogProblem]]:
    """The content of the ``titles.json`` of a toolkit's folder, empty if there is no such file, and its problems."""
    file = ToolkitFile(folder, "titles.json", ("titles", "resources", "words", "first"))
    own, heads, words = file.entries("titles", str), file.entries("resources", str), file.entries("words", str)
    return own, heads, words, file.value("first", list[str], []), file.problems


def _parts(tool: Tool) -> _Parts:
    path = tool.path.removesuffix(".json")
    segments = [one for one in path.split("/") if one and one not in _SAY_NOTHING and not _VERSION.fullmatch(one)]
    if len(segments) > 1 and segments[-1] == "search":
        segments.pop()
    start = next((place for place, one in enumerate(segments) if one.startswith("{")), None)
    if start is None:
        return _Parts(tuple(segments[:-1]), segments[-1] if segments else tool.own_name, (), False, False)
    if start == 0:
        return _Parts((), tool.own_name, (), True, True)
    below = tuple(one for one in segments[start + 1 :] if not one.startswith("{"))
    return _Parts(tuple(segments[: start - 1]), segments[start - 1], below, True, segments[-1].startswith("{"))


def _action(tool: Tool, parts: _Parts, words: Mapping[str, str], verb: str, *, is_thing: bool) -> tuple[str, int]:
    """The action, and its rank within the resource. `is_thing`: other tools have what the path ends with, too."""
    kind = tool.returns.kind
    part = " ".join(_words(one, words) for one in parts.below)
    creates = tool.method == "POST" and (is_thing or not parts.last_is_one)
    if kind == "search_result" or tool.path.endswith("/search"):
        return f"search {part}".strip(), 0
    if creates and part and not is_thing:
        return part, 5  # the path ends with what is done, such as attach
    if kind != "list" and (parts.last_is_one or creates):
        part = singular(part)
    if kind == "deletion" or tool.method == "DELETE":
        return f"delete {part}".strip(), 7 + bool(part)
    if verb:
        verb = "update" if tool.method == "POST" and not creates else verb
        return f"{verb} {part}".strip(), 5 + (verb != "create")
    if part:
        return part, 3 if kind == "list" else 4
    is_list = kind == "list" if parts.last_is_one else kind in ("list", "composite") and not parts.one
    return ("list", 1) if is_list else ("get", 2)


def _words(segment: str, words: Mapping[str, str]) -> str:
    """A path segment in words."""
    if segment in words:
        return words[segment]
    spaced = segment if segment.islower() else _CAPITAL.sub(" ", segment).lower()
    return spaced.replace("_", " ").replace("-", " ")


def singular(text: str) -> str:
    """A plural in the singular."""
    if text.endswith("ies") and len(text) > 4:
        return f"{text[:-3]}y"
    if text.endswith(("sses", "xes", "ches", "shes", "zes")):
        return text[:-2]
    return text[:-1] if text.endswith("s") and not text.endswith(("ss", "us", "is", "news", "settings", "details")) else text


EFFECT_SIGNS = {"read": " ", "write": "+", "delete": "×"}
"""The sign in front of a tool, by its effect."""

NO_SIGN = "□"


class ToolSummary(NamedTuple):
    """One tool in the table of contents.

    `name` is unique in the catalogue. `effect` is ``read``, ``write`` or ``delete``; `objects` are the types in its response.
    `title` is its name on screen.
    """

    toolkit: str
    group: str
    name: str
    operation: str
    summary: str
    effect: str
    deprecated: bool
    objects: tuple[str, ...]
    title: ToolTitle = ToolTitle()


class ToolkitTitle(NamedTuple):
    """A toolkit in the table of contents.

    `sign` and `hue` are as in `Service`; `version` is empty if the toolkit names none; `kept`: the user added it.
    """

    name: str
    title: str
    sign: str = NO_SIGN
    hue: str = ""
    version: str = ""
    kept: bool = False

    @property
    def named(self) -> str:
        """Its title, with the version if there is one."""
        return f"{self.title} {self.version}".rstrip()


def table_of_contents(found: Found | None = None) -> tuple[ToolSummary, ...]:
    """Every tool, in display order."""
    catalog = load(found)
    tools = catalog.tools.values()
    titles = {
        toolkit: titles_of([tool for tool in tools if tool.toolkit == toolkit], folder.path)
        for toolkit, folder in catalog.folders.items()
    }
    return tuple(
        ToolSummary(
            *(tool.toolkit, tool.group, tool.name, tool.operation, tool.summary, tool.effect, tool.deprecated),
            *(tool.returns.objects, titles[tool.toolkit][tool.own_name]),
        )
        for tool in tools
    )


def toolkit_titles(found: Found | None = None) -> tuple[ToolkitTitle, ...]:
    """The toolkits in display order."""
    catalog = load(found)
    return tuple(
        ToolkitTitle(name, one.title, one.sign, one.hue or "", one.version or "", catalog.folders[name].kept)
        for name, one in catalog.toolkits.items()
    )
