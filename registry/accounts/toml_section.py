"""Changes one section of a TOML file and nothing else: comments, order and other sections stay unchanged.

The standard library reads TOML but does not write it. The result is checked by reading it back: if anything else would
change, or the section would be wrong, the file is not written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from registry.files.toml_text import NotToml, parsed

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"\s*\[")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t"}


class NotWritable(ValueError):
    """The section cannot be changed in this file; the text says why."""


def with_section(text: str, path: tuple[str, str], values: Mapping[str, str | bool] | None) -> str:
    """A TOML text with the section at that path replaced, or added at the end; removed if the values are None.

    Args:
        text: the file's content.
        path: the names of the outer and inner section: ``("accounts", "Fernway EU")`` is ``[accounts."Fernway EU"]``.
        values: the content of the section.

    Raises:
        NotWritable: the text is not TOML, or contains the section in a form that this cannot change.
    """
    before = _read(text)
    wanted = _with(before, path, values)
    if wanted == before:
        return text
    lines = text.splitlines(keepends=True)
    start, end = _place(lines, path)
    block = _lines(path, values) if values is not None else []
    if start == end and block:  # a new section
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += "\n"
        if lines and lines[-1].strip():
            block.insert(0, "\n")
    changed = "".join([*lines[:start], *block, *lines[end:]])
    if {path[0]: {}} | _read(changed) != {path[0]: {}} | wanted:
        raise NotWritable(f"{'.'.join(path)} is not written as a section of its own; change it by hand")
    return changed


def _read(text: str) -> dict[str, Any]:
    try:
        return parsed(text)
    except NotToml as error:
        raise NotWritable(str(error)) from None


def _with(content: dict[str, Any], path: tuple[str, str], values: Mapping[str, str | bool] | None) -> dict[str, Any]:
    outer, name = path
    inner = content.get(outer, {})
    if not isinstance(inner, dict):
        raise NotWritable(f"{outer} must be sections, as [{outer}.name]")
    changed = {key: value for key, value in inner.items() if key != name}
    if values is not None:
        changed[name] = dict(values)
    rest = {key: value for key, value in content.items() if key != outer}
    return rest | ({outer: changed} if changed else {})


def _place(lines: list[str], path: tuple[str, str]) -> tuple[int, int]:
    """The lines of a section: up to the next header, or the comments above that; the end of the text if it is missing."""
    start = None
    for number, line in enumerate(lines):
        if not _HEADER.match(line):
            continue
        if start is not None:
            return start, _without_comments(lines, start, number)
        if _is_header(line, path):
            start = number
    return (len(lines), len(lines)) if start is None else (start, len(lines))


def _without_comments(lines: list[str], start: int, end: int) -> int:
    """The end of a section before the header at `end`: comments directly above that header belong to it."""
    while end - 1 > start and lines[end - 1].lstrip().startswith("#"):
        end -= 1
    return end


def _is_header(line: str, path: tuple[str, str]) -> bool:
    try:
        found: Any = parsed(line)
    except NotToml:
        return False
    return bool(found == {path[0]: {path[1]: {}}})


def _lines(path: tuple[str, str], values: Mapping[str, str | bool]) -> list[str]:
    head = f"[{'.'.join(_key(name) for name in path)}]\n"
    return [head, *(f"{_key(key)} = {_value(value)}\n" for key, value in values.items()), "\n"]


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _value(value: str | bool) -> str:
    return _string(value) if isinstance(value, str) else ("true" if value else "false")


def _string(text: str) -> str:
    letters = (_ESCAPES.get(one) or (f"\\u{ord(one):04x}" if ord(one) < 0x20 or ord(one) == 0x7F else one) for one in text)
    return f'"{"".join(letters)}"'
