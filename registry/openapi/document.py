"""A document as nodes that are read lazily (`Node`), with the user's corrections; and its words made plain and short.

Operations are named by ``METHOD /path`` or by their ``operationId``. What an overlay omits stays as in the document.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag

import msgspec
from msgspec.structs import replace

from registry.catalog.folders import decoded
from registry.catalog.model import OWN_OPTIONS
from registry.text.shown import shortened, visible_line

_TAG = re.compile(r"<[a-zA-Z/!][^<>]{0,300}>")
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
_MARKS = re.compile(r"(?m)^\s{0,3}(?:#{1,6}\s+|[-*+]\s+|>\s+)|[*`]{1,3}")
_EMPHASIS = re.compile(r"(?<!\w)(_{1,2})(?=\w)(.{0,300}?)(?<=\w)\1(?!\w)")
_BLANKS = re.compile(r"\s+")
_SENTENCE = re.compile(r"[.!](?=\s|$)")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNFIT = re.compile(r"[^A-Za-z0-9]+")
_MOST_READ = 3_000
_TAKEN = frozenset(one.replace("-", "_") for one in OWN_OPTIONS)
CONVENTIONS: dict[str, Any] = json.loads(Path(__file__).with_name("conventions.json").read_text("utf-8"))
"""Names of paging, lists, wrappers and errors, and styles of parameters. Of ``roles``, the query parameters for paging, cursors
are text and the others whole numbers; ``more``, ``total``, ``next``, ``position`` and ``size`` are properties of a page."""


def plain(text: object, most: int = 300) -> str:
    """A description as a line of plain text: no markup, no control characters, cut at a word."""
    if not isinstance(text, str):
        return ""
    said = text[:_MOST_READ]
    if "<" in said or "&" in said:
        said = unescape(_TAG.sub(" ", said))
    said = _EMPHASIS.sub(r"\2", _MARKS.sub("", _LINK.sub(r"\1", said)))
    said = visible_line(_BLANKS.sub(" ", said).strip())
    if len(said) <= most:
        return said
    cut = said[: most - 1].rpartition(" ")[0]
    return (cut if len(cut) > most // 2 else said[: most - 1]) + "…"


def first_sentence(text: object) -> str:
    """The first sentence of a description, as a line of plain text."""
    said = plain(text, _MOST_READ)
    if (found := _SENTENCE.search(said, 3)) is not None:
        said = said[: found.end()]
    return plain(said, 140)


def words_of(text: str) -> list[str]:
    """The words in a name, in lower case: ``listPetsByID`` → list, pets, by, id."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return [word.lower() for part in _UNFIT.split(ascii_text) for word in _CAPITAL.split(part) if word]


def pascal(text: str) -> str:
    """A text as a tool's or toolkit's name: ``repos/list-for-org`` → ReposListForOrg; empty without letters."""
    name = "".join(word[0].upper() + word[1:] for word in words_of(text)).lstrip("0123456789")
    return name[:1].upper() + name[1:100]


def snake(text: str) -> str:
    """A text as a parameter's or type's name: ``X-Api-Version`` → x_api_version; empty without letters."""
    name = "_".join(words_of(text))
    return f"n_{name}"[:80] if name[:1].isdecimal() else name[:80]


def unique(name: str, taken: set[str], separator: str = "") -> str:
    """The name, with a number if it is taken, and added to `taken`. Names that differ only in case count as equal."""
    found, number = name, 2
    while found.lower() in taken:
        found, number = f"{name[:90]}{separator}{number}", number + 1
    taken.add(found.lower())
    return found


def parameter_name(wire_name: str, place: str, taken: set[str]) -> str:
    """A parameter's name for callers: unique in its tool, and different from the command line's own options."""
    name = snake(wire_name) or "parameter"
    if name in _TAKEN or name in taken:
        name = f"{place}_{name}"
    return unique(name, taken, "_")


def fits(text: object) -> bool:
    """Whether a text can be shown and sent unchanged."""
    return isinstance(text, str) and bool(text) and visible_line(text) == text


def short(text: str, most: int = 40) -> str:
    """A label: one line, shortened."""
    return shortened(visible_line(_BLANKS.sub(" ", text).strip()), most)


FILE = "overlay.json"


class OperationOverlay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The overrides of one operation; of one that is `hidden` no tool is made.

    `title` is its name on screen: ``Issues · search``. `items` is the path of the list's items, empty if the response is the
    list, and `paging` is as in ``service.json``. `refers_to` has by wire name of a parameter the types whose ids it takes.
    """

    name: str | None = None
    title: str | None = None
    group: str | None = None
    effect: str | None = None
    hidden: bool = False
    items: str | None = None
    paging: dict[str, Any] | None = None
    objects: tuple[str, ...] | None = None
    refers_to: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    rule: str | None = None


class Overlay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The overrides of a document.

    `title` is the service's name that people read. `header` is the header with the credential of all operations, whatever the
    document says, and `scheme` the text before a credential in its header. `references` and
    `pages` are the contents of these files. `kept` are the ids of guesses that the user keeps.
    """

    toolkit: str | None = None
    title: str | None = None
    server: str | None = None
    header: str | None = None
    scheme: str | None = None
    operations: Mapping[str, OperationOverlay] = msgspec.field(default_factory=dict)
    references: dict[str, Any] | None = None
    pages: dict[str, Any] | None = None
    kept: tuple[str, ...] = ()

    def of(self, method: str, path: str, operation: str) -> OperationOverlay:
        """The overrides of an operation; for most operations empty."""
        return self.operations.get(f"{method} {path}") or self.operations.get(operation) or OperationOverlay()


def overlay_of(content: bytes, file: str) -> Overlay:
    """An overlay from its file.

    Raises:
        DocumentRefused: it is not JSON, or has an unknown key.
    """
    place = ""
    try:
        return decoded(content, Overlay)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `$")
    except msgspec.DecodeError as error:
        reason = f"is not JSON: {error}"
    except RecursionError:
        reason = "is nested too deeply"
    raise DocumentRefused(file, place.rstrip("`").replace(".", "/"), reason)


_MOST_STEPS = 50


class Remark(NamedTuple):
    """A part of a document that was omitted or changed: the file or address, a JSON pointer (RFC 6901, or empty), and why."""

    document: str
    pointer: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.document}#{self.pointer}" if self.pointer else self.document
        return visible_line(f"{shortened(place, 300)}: {shortened(self.reason, 400)}")


class DocumentRefused(ValueError):
    """A document, or a part of it, that cannot be used; `remark` has the document, the position and the reason."""

    def __init__(self, document: str, pointer: str, reason: str) -> None:
        self.remark = Remark(document, pointer, reason)
        super().__init__(str(self.remark))


class Document(msgspec.Struct):
    """One document, by its file or address: the whole tree, and the version (``2.0``, ``3.0``, ``3.1`` or ``3.2``)."""

    name: str
    root: dict[str, Any]
    version: str

    @property
    def top(self) -> "Node":
        """The whole document."""
        return Node(self, self.root)

    def at(self, pointer: str, asked: "Node") -> "Node":
        """The node at a JSON pointer.

        Raises:
            DocumentRefused: there is no such place.
        """
        here = self.top
        for part in pointer.split("/")[1:] if pointer else ():
            # Pointers in references are percent-encoded, but names with a percent sign often are not.
            names = [_unescaped(part), _unescaped(unquote(part))]
            found = next((child for name in names if (child := here.child(name)) is not None), None)
            if found is None and isinstance(here.value, dict) and "$ref" in here.value:
                found = here.resolved().child(names[-1])
            if found is None:
                raise asked.refused(f"refers to {pointer!r}, which is not there")
            here = found
        return here


class Node(msgspec.Struct):
    """One value in a document, and its position: `key` is its name in an object, or its index in a list.

    `plain` is a schema whose ``oneOf`` and ``anyOf`` no longer count; `name` is the last part of the reference that led here.
    """

    document: Document
    value: Any
    parent: "Node | None" = None
    key: str = ""
    plain: bool = False
    name: str = ""

    @property
    def pointer(self) -> str:
        """JSON pointer to this node."""
        path: list[str] = []
        here = self
        while here.parent is not None:
            path.append("/" + here.key.replace("~", "~0").replace("/", "~1"))
            here = here.parent
        return "".join(reversed(path))

    def as_plain(self) -> "Node":
        """The same schema without its branches."""
        return replace(self, plain=True)

    def child(self, key: str) -> "Node | None":
        """The node under a name or index; None without one."""
        if isinstance(self.value, dict):
            return Node(self.document, self.value[key], self, key) if key in self.value else None
        if isinstance(self.value, list) and key.isascii() and key.isdecimal() and len(key) < 10 and int(key) < len(self.value):
            return Node(self.document, self.value[int(key)], self, key)
        return None

    def get(self, key: str) -> "Node | None":
        """The node under a name, with references followed."""
        found = self.child(key)
        return found.resolved() if found is not None else None

    def object(self, key: str) -> dict[str, Any]:
        """The object under a name; empty without one."""
        found = self.get(key)
        return found.value if found is not None and isinstance(found.value, dict) else {}

    def text(self, key: str) -> str:
        """The text under a name; empty without one."""
        found = self.value.get(key) if isinstance(self.value, dict) else None
        return found if isinstance(found, str) else ""

    def flag(self, key: str) -> bool:
        """Whether the value under a name is true."""
        return isinstance(self.value, dict) and self.value.get(key) is True

    def values(self, key: str) -> list[Any]:
        """The list under a name; empty without one."""
        found = self.value.get(key) if isinstance(self.value, dict) else None
        return found if isinstance(found, list) else []

    def named(self, key: str) -> "Iterator[Node]":
        """The values of the object under a name, references not followed; empty without one."""
        found = self.get(key)
        if found is not None and isinstance(found.value, dict):
            yield from (Node(found.document, value, found, name) for name, value in found.value.items())

    def listed(self, key: str) -> "Iterator[Node]":
        """The items of the list under a name, references not followed; empty without one."""
        found = self.get(key)
        if found is not None and isinstance(found.value, list):
            yield from (Node(found.document, value, found, str(place)) for place, value in enumerate(found.value))

    def resolved(self) -> "Node":
        """The node that references lead to from here; this node if it is not a reference.

        Raises:
            DocumentRefused: a reference leads nowhere, in a circle, or to another document.
        """
        here = self
        for _ in range(_MOST_STEPS):
            reference = here.value.get("$ref") if isinstance(here.value, dict) else None
            if not isinstance(reference, str):
                return here
            address, fragment = urldefrag(reference)
            if address:
                raise here.refused(
                    "refers to another document; put them into one first, for example with `npx @redocly/cli bundle`"
                )
            if fragment and not fragment.startswith("/"):
                raise self.refused(f"refers to the anchor {fragment!r}; only JSON pointers are followed")
            found = here.document.at(fragment, here)
            here = replace(found, name=_unescaped(unquote(fragment.rpartition("/")[2])))
        raise self.refused("refers to itself in a circle")

    def refused(self, reason: str) -> DocumentRefused:
        """An error about this node."""
        return DocumentRefused(self.document.name, self.pointer, reason)


Omit = Callable[[Node, str], None]
"""Notes that a part of a document is omitted: its node, and the reason."""


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")
