"""Every object of the payments world, held against the types of the installed official client.

A type says of a field that it is there (not optional), may be null or missing (optional), and what it holds. What the client's
types leave open is not looked at: values of enumerations, and ids that may stand for whole objects.

The client speaks a later version than the sandbox: what is told below are fields that went since. Each count is asserted,
so that no other deviation can hide behind them.
"""

from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from types import NoneType, UnionType
from typing import Any, ClassVar, Union, get_args, get_origin

from stripe import StripeObject
from stripe._object_classes import OBJECT_CLASSES

from registry.sandbox.payments.builder import Datasets
from registry.sandbox.payments.datasets import DATASETS
from registry.sandbox.payments.reading import Reader
from registry.sandbox.payments.rendering import Renderer
from registry.sandbox.payments.service import store
from registry.sandbox.payments.shapes import shapes
from tests.sandbox.test_world_references import WORLD

_PLAIN = {str: (str,), int: (int,), float: (int, float), bool: (bool,)}


def type_of(kind: str) -> type[StripeObject] | None:
    """The client's class for a type of object, None where it has none."""
    if kind not in OBJECT_CLASSES:
        return None
    module, name = OBJECT_CLASSES[kind]
    found: type[StripeObject] = getattr(import_module(module), name)
    return found


def deviations(value: Any, hint: Any, path: str = "") -> Iterator[str]:
    """What a value has otherwise than its type says, each as ``missing``, ``unknown``, ``null`` or ``type`` and the field."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        options = get_args(hint)
        if value is None:
            if NoneType not in options:
                yield f"null {path}"
            return
        classes = [one for one in options if isinstance(one, type) and issubclass(one, StripeObject)]
        if isinstance(value, dict) and len(classes) == 1:
            yield from deviations(value, classes[0], path)
        elif isinstance(value, list):
            for one in options:
                if get_origin(one) is list:
                    yield from deviations(value, one, path)
        return
    if value is None:
        yield f"null {path}"
    elif origin is list and isinstance(value, list):
        for one in value:
            yield from deviations(one, get_args(hint)[0], f"{path}[]")
    elif isinstance(hint, type) and issubclass(hint, StripeObject) and isinstance(value, dict):
        yield from _of_object(value, hint, path)
    elif hint in _PLAIN and (not isinstance(value, _PLAIN[hint]) or (isinstance(value, bool) and hint is not bool)):
        yield f"type {path}"


def _of_object(value: dict[str, Any], hint: type[StripeObject], path: str) -> Iterator[str]:
    fields = {
        name: one
        for base in reversed(hint.__mro__)
        for name, one in vars(base).get("__annotations__", {}).items()
        if not name.startswith("_") and get_origin(one) is not ClassVar
    }
    fields = {name.removesuffix("_"): one for name, one in fields.items()}
    for name, one in fields.items():
        below = f"{path}.{name}" if path else name
        if name in value:
            yield from deviations(value[name], one, below)
        elif NoneType not in get_args(one) and not isinstance(one, str):
            yield f"missing {below}"
    if fields:
        yield from (f"unknown {path}.{name}" if path else f"unknown {name}" for name in value if name not in fields)


KNOWN = {
    # Called `country` from 2026-09-30.endive on, as the service's list of changes says; the sandbox's version has `countries`.
    "financial_connections.session": {"unknown filters.countries": 5},
}
"""By type of object, how many objects have each deviation."""


def test_every_object_has_the_shape_that_the_official_client_knows() -> None:
    kept = store()
    reader = Reader(WORLD, kept, Datasets(WORLD, kept, DATASETS), live=False)
    renderer = Renderer(reader)
    found: dict[str, Counter[str]] = {}
    looked_at = 0
    for kind in shapes():
        vendor = type_of(kind)
        for one in reader.every((kind,), {}) if vendor is not None else ():
            looked_at += 1
            if told := set(deviations(renderer.object(kind, one.row), vendor)):
                found.setdefault(kind, Counter()).update(told)
    kept.close()
    assert {kind: dict(counts) for kind, counts in found.items()} == KNOWN
    assert looked_at > 3_900


def test_what_does_not_fit_is_told() -> None:
    vendor = type_of("tax_id")
    assert type_of("nothing") is None
    told = set(deviations({"object": "tax_id", "id": 7, "owner": {"type": None, "more": 1}, "type": None}, vendor))
    assert {"type id", "null type", "null owner.type", "unknown owner.more", "missing created"} <= told
