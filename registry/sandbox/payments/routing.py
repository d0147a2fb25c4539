"""Finding the operation of a method and path.

Paths are kept as a tree of segments, so that finding one costs a few look-ups however many there are. A segment that is
written out goes before a placeholder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

_T = TypeVar("_T")


class Match(NamedTuple, Generic[_T]):
    """What a path leads to, with its placeholders' names and values from left to right."""

    target: _T
    names: tuple[str, ...]
    values: tuple[str, ...]


class _Node(Generic[_T]):
    __slots__ = ("child", "children", "names", "targets")

    def __init__(self) -> None:
        self.children: dict[str, _Node[_T]] = {}
        self.child: _Node[_T] | None = None
        self.targets: dict[str, _T] = {}
        self.names: tuple[str, ...] = ()


class Routes(Generic[_T]):
    """A tree of paths such as ``/v1/customers/{customer}``."""

    def __init__(self, tables: Iterable[tuple[str, Mapping[str, _T]]]) -> None:
        self._root: _Node[_T] = _Node()
        for method, table in tables:
            for path, target in table.items():
                self._add(method, path, target)

    def match(self, method: str, path: str) -> Match[_T] | None:
        """What a method and path lead to, or None."""
        return _match(self._root, method, path.split("/"), ())

    def _add(self, method: str, path: str, target: _T) -> None:
        node, names = self._root, []
        for segment in path.split("/"):
            if segment.startswith("{"):
                names.append(segment[1:-1])
                node.child = node.child or _Node()
                node = node.child
            else:
                node = node.children.setdefault(segment, _Node())
        node.targets[method] = target
        node.names = tuple(names)


def _match(node: _Node[_T], method: str, segments: list[str], values: tuple[str, ...]) -> Match[_T] | None:
    if not segments:
        target = node.targets.get(method)
        return None if target is None else Match(target, node.names, values)
    first, *rest = segments
    if first in node.children:
        found = _match(node.children[first], method, rest, values)
        if found:
            return found
    return _match(node.child, method, rest, (*values, first)) if node.child and first else None
