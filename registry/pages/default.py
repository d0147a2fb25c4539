"""The page of a type that no toolkit defines: its own properties, and a section for each list that takes its id."""

from __future__ import annotations

import re
from collections.abc import Mapping

from registry.catalog.model import Tool
from registry.pages.definition import MomentDefinition, PageDefinition, RuleDefinition, SectionDefinition
from registry.references.knowledge import knowledge
from registry.references.routes import ToolkitRoutes, is_older
from registry.references.targets import words_for

_MOST = 12
_TITLES = ("{name}", "{display_name}", "{summary}", "{nickname}", "{title}", "{description}", "{number}", "{email}", "{id}")


def default_page(type_: str) -> PageDefinition:
    """A page made from the catalogue; the caller adds the sections."""
    title = words_for(type_)
    return PageDefinition(
        title=_TITLES,
        headline=(
            RuleDefinition(show=f"{title.capitalize()} {{@page.title}}: {{status|words}}", tone="text", when="status && id"),
            RuleDefinition(show=f"{title.capitalize()} {{@page.title}}", tone="text"),
        ),
        facts=(
            "{id}",
            "{amount|money}",
            "{description}",
            "created {created|date}",
            "created {created_at|date}",
            "{livemode|mode}",
        ),
        timeline=tuple(MomentDefinition(at=at, show=f"{title} created") for at in ("created", "created_at")),
    )


def sections_from_catalogue(type_: str, kit: ToolkitRoutes) -> tuple[SectionDefinition, ...]:
    """A section for each list that needs only the object's id, and for each search that finds objects that belong to it."""
    found: dict[str, SectionDefinition] = {}
    for tool, parameter in kit.taking.get(type_, ()):
        others = [one for one in tool.parameters if one.required and one is not parameter]
        is_list = tool.effect == "read" and tool.returns.kind == "list" and not others and not is_older(tool)
        # A filter by the object's own id would show the object again.
        if is_list and type_ not in tool.returns.objects and parameter.type != "array":
            found[tool.own_name] = _section(tool, {parameter.name: "{id}"})
    for tool in kit.tools:
        if (owned := knowledge(tool.toolkit).owned.get(type_, {}).get(tool.own_name)) is not None:
            arguments = {name: value.replace("{}", "{id}") for name, value in owned.items()}
            found.setdefault(tool.own_name, _section(tool, arguments))
    return tuple(found.values())[:_MOST]


def _section(tool: Tool, arguments: Mapping[str, str]) -> SectionDefinition:
    types = " and ".join(dict.fromkeys(_plural(words_for(one)) for one in tool.returns.objects[:2]))
    return SectionDefinition(
        id=re.sub(r"\W", "_", tool.own_name),
        title=types[:1].upper() + types[1:],
        tool=tool.own_name,
        arguments=arguments,
        state="status",
    )


def _plural(words: str) -> str:
    if words.endswith(("s", "x", "ch")):
        return words if words.endswith("details") else f"{words}es"
    return f"{words[:-1]}ies" if words.endswith("y") and words[-2:-1] not in "aeiou" else f"{words}s"
