"""A document as nodes that are read lazily: `Node`. References are followed by `Node.resolved`."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag

from msgspec import Struct
from msgspec.structs import replace

from registry.text.safe_text import shortened, visible_line

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


class Document(Struct):
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


class Node(Struct):
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
                words = "refers to another document; put them into one first, for example with `npx @redocly/cli bundle`"
                raise here.refused(words)
            if fragment and not fragment.startswith("/"):
                raise self.refused(f"refers to the anchor {fragment!r}; only JSON pointers are followed")
            found = here.document.at(fragment, here)
            last = _unescaped(unquote(fragment.rpartition("/")[2]))
            here = replace(found, name=last)
        raise self.refused("refers to itself in a circle")

    def refused(self, reason: str) -> DocumentRefused:
        """An error about this node."""
        return DocumentRefused(self.document.name, self.pointer, reason)


Omit = Callable[[Node, str], None]
"""Notes that a part of a document is omitted: its node, and the reason."""


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")
