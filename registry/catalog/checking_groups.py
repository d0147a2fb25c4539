"""Checks a file of tools around the tools: its groups, each with a name and a list of tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from registry.catalog.lines import lines_of
from registry.catalog.parameter_rules import Fault
from registry.catalog.problems import CatalogProblem
from registry.catalog.rule_words import MISSING, not_a_field


def group_problems(content: Any, file: str, path: Path) -> list[CatalogProblem]:
    """The errors outside the tools of a file.

    Args:
        content: the file's content, as JSON values.
        file: its name in messages.
        path: where it is, for the lines.
    """
    return [CatalogProblem(file, "", field, rule, lines_of(path).of(field)) for field, rule in _faults(content)]


def _faults(content: Any) -> Iterator[Fault]:
    if not isinstance(content, dict):
        yield "", "must be an object"
        return
    yield from _unknown("", content, ("groups",))
    if not isinstance(content.get("groups"), list):
        yield "groups", "must be a list" if "groups" in content else MISSING
        return
    for number, group in enumerate(content["groups"]):
        if not isinstance(group, dict):
            yield f"groups.{number}", "must be an object"
            continue
        yield from _unknown(f"groups.{number}.", group, ("name", "tools"))
        if not isinstance(group.get("tools"), list):
            yield f"groups.{number}.tools", "must be a list" if "tools" in group else MISSING
        if not isinstance(group.get("name"), str):
            yield f"groups.{number}.name", "must be text" if "name" in group else MISSING


def _unknown(before: str, content: dict[str, Any], names: tuple[str, ...]) -> Iterator[Fault]:
    for name in content:
        if name not in names and name != "$schema":
            yield f"{before}{name}", not_a_field(name, names)
