"""How values are written: in a path, a query, a header or a cookie, and in a body: JSON, a form, multipart, one raw value.

The styles of lists and objects are those of OpenAPI: one name for each combination of ``style`` and ``explode``:

==================  ==================================================  ===========================
style               a list ``[a, b]`` under the name ``n``              an object ``{"k": v, "l": w}``
==================  ==================================================  ===========================
``repeat``          ``n=a&n=b``                                         as ``pairs``
``comma``           ``n=a,b`` (``space``, ``pipe``, ``tab`` likewise)   ``n=k,v,l,w``
``brackets``        ``n[]=a&n[]=b``; of objects ``n[0][k]=v``           ``n[k]=v&n[l]=w``
``pairs``           as ``repeat``                                       ``k=v&l=w``
``json``            ``n=["a","b"]``                                     ``n={"k":"v","l":"w"}``
``equals``          as ``comma``                                        ``k=v,l=w`` (path, header)
``label``           ``.a,b``                                            ``.k,v,l,w`` (path)
``label_repeat``    ``.a.b``                                            ``.k=v.l=w`` (path)
``matrix``          ``;n=a,b``                                          ``;n=k,v,l,w`` (path)
``matrix_repeat``   ``;n=a;n=b``                                        ``;k=v;l=w`` (path)
``members``         the whole body                                      its properties are the body's
==================  ==================================================  ===========================
"""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from urllib.parse import quote, quote_plus, unquote

import msgspec
from msgspec.structs import replace

from registry.accounts.secrets import MASK
from registry.calling.failures import CallFailed
from registry.calling.receiving import is_json as is_json_type
from registry.calling.receiving import type_of_file
from registry.calling.result import Failure
from registry.calling.scalars import LARGEST_FILE, Value
from registry.catalog.model import BodyKind, Style
from registry.files.folders import check_reach
from registry.json_text import dumps, indented

RESERVED = "/:@!$'()*;,?="
"""Characters of a value that have no meaning of their own in a query or a form, beside those that are never encoded."""

_ENCODED = re.compile(r"(%[0-9A-Fa-f]{2})")


class Encoded(str):
    """Text of a query or a form that is percent-encoded already, because of its delimiters or reserved characters."""

    __slots__ = ()


def reserved_text(value: str) -> Encoded:
    """A value whose reserved characters and percent-encoded triples stay (RFC 6570, 3.2.3), where they mean nothing else."""
    parts = _ENCODED.split(value)
    return Encoded("".join(part if place % 2 else quote(part, safe=RESERVED) for place, part in enumerate(parts)))


_BETWEEN = {"comma": ",", "equals": ",", "space": " ", "pipe": "|", "tab": "\t"}
_IN_PATH = {
    "equals": ("", ",", True),
    "label": (".", ",", False),
    "label_repeat": (".", ".", True),
    "matrix": (";", ",", False),
    "matrix_repeat": (";", ";", True),
}
"""The styles of a path but ``comma``: what is in front, what is between the parts, and whether each part has its own name."""


def pairs_of(name: str, value: Value, nested: str) -> Iterator[tuple[str, Value]]:
    """A value as pairs of a query or form, each with a scalar value.

    The items of a list inside an object are numbered: ``filter[tags][0]=a``. An empty list or object is a pair without a value,
    so that services can distinguish it from a missing one.
    """
    if not isinstance(value, tuple | Mapping):
        yield name, value
    elif nested == "json":
        yield name, dumps(value, compact=True)
    elif not value:
        yield name, ""
    else:
        inner = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, one in inner:
            yield from pairs_of(f"{name}[{key}]", one, nested)


def is_nested(value: Value) -> bool:
    """Whether a form has no style for a value: an object, or a list that contains an object or a list."""
    return isinstance(value, Mapping) or (isinstance(value, tuple) and any(isinstance(one, tuple | Mapping) for one in value))


def text_of(value: Value) -> str:
    """A scalar as text in an address, header or form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, Encoded) else "" if value is None else str(value)


def styled_pairs(name: str, value: Value, style: Style) -> list[tuple[str, Value]]:
    """A value as pairs of a query, a form or a cookie, each with a scalar."""
    if not isinstance(value, tuple | Mapping):
        return [(name, value)]
    if style == "json":
        return [(name, dumps(value, compact=True))]
    if not value:
        return [(name, "")]
    if style == "brackets":
        return list(pairs_of(name, value, "brackets")) if is_nested(value) else [(f"{name}[]", one) for one in value]
    if style in _BETWEEN:
        parts, between = _flat(value), _BETWEEN[style]
        if between == "," and any("," in part for part in parts):
            return [(name, Encoded(between.join(map(_quoted, parts))))]
        return [(name, between.join(parts))]
    if isinstance(value, Mapping):
        return [(key, _scalar(one)) for key, one in value.items()]
    return [(name, _scalar(one)) for one in value]


def path_text(name: str, value: Value, style: Style) -> str:
    """A value as a part of a path, percent-encoded."""
    start, between, each = _IN_PATH.get(style, ("", ",", False))
    prefix = f"{_quoted(name)}=" if start == ";" else ""
    if not isinstance(value, tuple | Mapping):
        return start + prefix + _quoted(text_of(value))
    if isinstance(value, Mapping) and each:
        return start + between.join(f"{_quoted(key)}={_quoted(_text(one))}" for key, one in value.items())
    return start + prefix + f"{between}{prefix if each else ''}".join(_flat(value, _quoted))


def in_header(value: Value, style: Style | None) -> str:
    """A value as the text of a header."""
    if isinstance(value, Mapping) and style == "equals":
        return ",".join(f"{key}={_text(one)}" for key, one in value.items())
    if isinstance(value, Mapping):
        return ",".join(_flat(value))
    return ",".join(map(_text, value)) if isinstance(value, tuple) else text_of(value)


def _flat(value: tuple[Value, ...] | Mapping[str, Value], each: Callable[[str], str] = str) -> list[str]:
    if isinstance(value, Mapping):
        return [each(part) for key, one in value.items() for part in (key, _text(one))]
    return [each(_text(one)) for one in value]


def _scalar(value: Value) -> Value:
    """A scalar unchanged; a list or object inside a style that cannot write it, as JSON."""
    return dumps(value, compact=True) if isinstance(value, tuple | Mapping) else value


def _text(value: Value) -> str:
    return text_of(_scalar(value))


def _quoted(text: str) -> str:
    return quote(text, safe="")


_TYPES = {"json": "application/json", "form": "application/x-www-form-urlencoded", "multipart": "multipart/form-data"}


class FilePath(str):
    """The path of a file whose content is sent."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The file name that is sent."""
        return os.path.basename(self)

    def read(self) -> bytes:
        """The content. Blocks.

        Raises:
            CallFailed: it cannot be read, or has become too large.
        """
        try:
            check_reach(self)
            with open(os.path.expanduser(self), "rb") as file:
                content = file.read(LARGEST_FILE + 1)
        except OSError as error:
            why = error.strerror or str(error)
        else:
            if len(content) <= LARGEST_FILE:
                return content
            why = f"has more than {LARGEST_FILE // 1_000_000} MB by now"
        raise CallFailed(Failure("local", "Cannot read the file", f"{self}: {why}", "Choose a file that can be read."))


class Body(msgspec.Struct, frozen=True):
    """A body: its properties, and how they are written.

    Attributes:
        members: its properties by name; a raw body is the value of its only one.
        kind: ``json``, ``form``, ``multipart`` or ``raw``.
        content_type: its media type; None for the usual one.
        nested: how an object is sent where a body consists of pairs: ``brackets`` or ``json``.
        styles: the properties with a style of their own, by name.
        types: the media types of fields and parts, by the property's name.
        headers: the further headers of parts, by the property's name.
        reserved: the properties whose reserved characters are sent as they are.
    """

    members: Mapping[str, Value]
    kind: BodyKind = "json"
    content_type: str | None = None
    nested: str = "brackets"
    styles: Mapping[str, Style] = msgspec.field(default_factory=dict)
    types: Mapping[str, str] = msgspec.field(default_factory=dict)
    headers: Mapping[str, Mapping[str, str]] = msgspec.field(default_factory=dict)
    reserved: frozenset[str] = frozenset()

    @property
    def file(self) -> FilePath | None:
        """The file that is the whole body; None if there is none."""
        value = next(iter(self.members.values()), None) if self.kind == "raw" else None
        return value if isinstance(value, FilePath) else None

    @property
    def has_files(self) -> bool:
        """Whether files are sent, whose content is read."""
        values = (one for value in self.members.values() for one in (value if isinstance(value, tuple) else (value,)))
        return any(isinstance(one, FilePath) for one in values)

    @property
    def media_type(self) -> str:
        """The Content-Type; for a multipart body without its boundary, for a file by its name, where there are several."""
        usual = self.content_type or _TYPES.get(self.kind, "application/octet-stream")
        return usual if self.file is None else type_of_file(self.file.name, next(iter(self.types.values()), usual))

    def fields(self) -> Iterator[tuple[str, Value, str]]:
        """The fields of a form, or the parts of a multipart body: name, text or file, the property that it comes from."""
        for name, value in self.members.items():
            style: Style | None = self.styles.get(name, None if is_nested(value) else "repeat")
            pairs = pairs_of(name, value, self.nested) if style is None else styled_pairs(name, value, style)
            is_json = is_json_type(self.types.get(name, "text/plain"))
            for key, one in pairs:
                if is_json and not isinstance(value, Mapping | tuple):
                    one = dumps(one, compact=True)
                yield key, reserved_text(text_of(one)) if name in self.reserved else one, name

    def text(self) -> str:
        """The text of a body that is neither a file nor multipart."""
        if self.kind == "form":
            fields = [(name, text_of(value)) for name, value, _ in self.fields()]
            encoded = ((quote_plus(name), text if isinstance(text, Encoded) else quote_plus(text)) for name, text in fields)
            return "&".join("=".join(pair) for pair in encoded)
        if self.kind != "raw":
            return dumps(self.members)
        value = next(iter(self.members.values()), "")
        is_json = isinstance(value, tuple | Mapping) or "json" in self.styles.values()
        return dumps(value) if is_json else text_of(value)

    def parts(self) -> list[tuple[str, str | FilePath, str, Mapping[str, str]]]:
        """The parts of a multipart body in their order: name, text or file, media type (may be empty), further headers."""
        found: list[tuple[str, str | FilePath, str, Mapping[str, str]]] = []
        for name, value, key in self.fields():
            declared, headers = self.types.get(key, ""), self.headers.get(key, {})
            if isinstance(value, FilePath):
                found.append((name, value, type_of_file(value.name, declared), headers))
            else:
                found.append((name, unquote(value) if isinstance(value, Encoded) else text_of(value), declared, headers))
        return found

    def shown(self, secret: Collection[str] = ()) -> str:
        """It to show: indented JSON, a form or parts by line, files by their paths; secret properties redacted."""
        masked = replace(self, members={name: MASK if name in secret else value for name, value in self.members.items()})
        if self.kind == "raw":
            return masked.text() if masked.file is None else f"(the file {masked.file})"
        if self.kind == "json":
            return indented(masked.members)
        fields = masked.fields()
        return "\n".join(f"{name}={'@' if isinstance(one, FilePath) else ''}{text_of(one)}" for name, one, _ in fields)
