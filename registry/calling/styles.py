"""How lists and objects are written in text: in a path, a query, a form, a header or a cookie.

The styles are those of OpenAPI: one name for each combination of ``style`` and ``explode``:

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

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote

from registry.calling.scalars import Value
from registry.catalog.model import Style
from registry.json_text.values import dumps

Pairs = Iterator[tuple[str, "Value"]]

_BETWEEN = {"comma": ",", "equals": ",", "space": " ", "pipe": "|", "tab": "\t"}
_IN_PATH = {
    "equals": ("", ",", True),
    "label": (".", ",", False),
    "label_repeat": (".", ".", True),
    "matrix": (";", ",", False),
    "matrix_repeat": (";", ";", True),
}
"""The styles of a path but ``comma``: what is in front, what is between the parts, and whether each part has its own name."""


def pairs_of(name: str, value: Value, nested: str) -> Pairs:
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
    return "" if value is None else str(value)


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
        return [(name, _BETWEEN[style].join(_flat(value)))]
    if isinstance(value, Mapping):
        return [(key, _scalar(one)) for key, one in value.items()]
    return [(name, _scalar(one)) for one in value]


def in_path(name: str, value: Value, style: Style) -> str:
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
    return ", ".join(map(_text, value)) if isinstance(value, tuple) else text_of(value)


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
