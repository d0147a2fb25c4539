"""Data files, and objects in rows: by key, each an array in the order of columns, or a hash."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from msgspec.json import decode

Fields = dict[str, Any]
T = TypeVar("T")


@cache
def file(name: str) -> Mapping[str, Fields]:
    """What a data file holds, by kind."""
    held: dict[str, dict[str, Any]] = decode((Path(__file__).parent / "data" / f"{name}.json").read_bytes())
    return held


def of_columns(columns: list[str], row: list[Any]) -> Fields:
    """A row as a hash by column names, without null values; a last element holds further fields."""
    fields = {name: one for name, one in zip(columns, row, strict=False) if one is not None}
    return fields | row[len(columns)] if len(row) > len(columns) else fields


def rows(name: str, kind: str, make: Callable[..., T]) -> tuple[T, ...]:
    """The objects of a kind, each made from its key and fields; forms are applied as in `tables`, braces are not."""
    declared = dict(file(name)[kind])
    columns, forms = declared.pop("=", []), declared.pop("~", {})
    made = []
    for key, row in declared.items():
        own = of_columns(columns, row) if isinstance(row, list) else dict(row)
        shared: Fields = {"key": key}
        for form in own.pop("~", "").split():
            shared |= forms[form]
        made.append(make(**shared | own))
    return tuple(made)
