"""Bytes → the tree of a document: dicts, lists, text, numbers, true, false, null. JSON, or YAML if PyYAML is installed.

To limit memory and time it refuses documents of more than 40 MB (YAML: 16 MB), YAML whose aliases expand to more than 5 million
values or contain themselves, and nesting beyond 200 levels.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from registry.openapi.remarks import DocumentRefused

MOST_BYTES, MOST_YAML_BYTES = 40_000_000, 16_000_000
_MOST_VALUES, _DEEPEST = 5_000_000, 200


def tree_of(content: bytes, document: str) -> dict[str, Any]:
    """A document's JSON object.

    Raises:
        DocumentRefused: it is neither JSON nor YAML, too large, or not an object.
    """
    if len(content) > MOST_BYTES:
        raise DocumentRefused(document, "", f"has {len(content):,} bytes; at most {MOST_BYTES:,} are read")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentRefused(document, "", f"is not UTF-8 text: byte {error.start:,} cannot be read") from None
    found = _json(text, document) if text.lstrip()[:1] in ("{", "[", '"') else _yaml(text, len(content), document)
    if not isinstance(found, dict):
        raise DocumentRefused(document, "", "is not an OpenAPI document: an object is needed at the top")
    return found


def _json(text: str, document: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        pass  # the standard library accepts halves of surrogate pairs, and names the line of an error
    except RecursionError:
        raise DocumentRefused(document, "", "is nested too deeply") from None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DocumentRefused(document, "", f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except ValueError as error:
        raise DocumentRefused(document, "", f"is not JSON: {error}") from None
    except RecursionError:
        raise DocumentRefused(document, "", "is nested too deeply") from None


def _yaml(text: str, size: int, document: str) -> Any:
    if size > MOST_YAML_BYTES:
        raise DocumentRefused(
            document, "", f"is YAML of {size:,} bytes; at most {MOST_YAML_BYTES:,} are read. Convert it to JSON"
        )
    try:
        import yaml
    except ModuleNotFoundError:
        from registry.files.extras import how_to_install

        words = f"is YAML, which needs PyYAML. Convert it to JSON, or install {how_to_install('openapi')}"
        raise DocumentRefused(document, "", words) from None
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        """Safe YAML in which dates stay text, as in JSON."""

    Loader.yaml_implicit_resolvers = {
        start: [(tag, pattern) for tag, pattern in pairs if tag != "tag:yaml.org,2002:timestamp"]
        for start, pairs in base.yaml_implicit_resolvers.items()
    }
    try:
        found = yaml.load(text, Loader)  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise DocumentRefused(document, "", f"is not YAML: {getattr(error, 'problem', None) or error}{where}") from None
    except (ValueError, TypeError, OverflowError) as error:
        raise DocumentRefused(document, "", f"is not YAML: {error}") from None
    except RecursionError:
        raise DocumentRefused(document, "", "is nested too deeply") from None
    return _Plain(document).of(found, ())


class _Plain:
    """YAML values converted to those of JSON: names are text. Parts that aliases share are visited once, and stay shared."""

    def __init__(self, document: str) -> None:
        self._document = document
        self._sizes: dict[int, int] = {}
        self._kept: list[Any] = []
        self._open: set[int] = set()

    def of(self, value: Any, path: tuple[str, ...]) -> Any:
        """The value with names as text; its mappings are changed in place."""
        self._size(value, path)
        return value

    def _size(self, value: Any, path: tuple[str, ...]) -> int:
        """The number of values; those of an alias count each time."""
        if not isinstance(value, dict | list):
            return 1
        mark = id(value)
        if mark in self._open:
            raise self._refused(path, "contains itself, through a YAML alias")
        if mark in self._sizes:
            return self._sizes[mark]
        if len(path) > _DEEPEST:
            raise self._refused(path, f"is nested more than {_DEEPEST} deep")
        self._open.add(mark)
        self._kept.append(value)  # an id is unique only while its value lives
        if isinstance(value, dict):
            for name in [name for name in value if not isinstance(name, str)]:
                value.setdefault(_name(name), value.pop(name))
            inner: Any = value.items()
        else:
            inner = ((str(place), one) for place, one in enumerate(value))
        size = 1
        for name, one in inner:
            size += self._size(one, (*path, name))
            if size > _MOST_VALUES:
                raise self._refused(path, f"expands to more than {_MOST_VALUES:,} values, through YAML aliases")
        self._open.discard(mark)
        self._sizes[mark] = size
        return size

    def _refused(self, path: tuple[str, ...], reason: str) -> DocumentRefused:
        return DocumentRefused(self._document, pointer_of(path[:20]), reason)


def _name(name: object) -> str:
    return str(name).lower() if name is None or isinstance(name, bool) else str(name)


def pointer_of(path: tuple[str, ...]) -> str:
    """Names and indexes as a JSON pointer (RFC 6901)."""
    return "".join("/" + one.replace("~", "~0").replace("/", "~1") for one in path)
