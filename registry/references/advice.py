"""Advice on ids while they are typed: one that looks like the id of another type than the parameter takes.

It is advice, not a refusal: the prefixes of ids come from documentation, and a service may know better.
"""

from __future__ import annotations

from registry.catalog.model import Parameter
from registry.references.knowledge import knowledge
from registry.references.targets import words_for

SIGN = "⚠"


def wrong_kind(toolkit: str, parameter: Parameter, text: str) -> str:
    """The type of an id in a text and the type that the parameter takes, in words; empty if they match."""
    if not parameter.refers_to:
        return ""
    known = knowledge(toolkit)
    for part in (part.strip() for part in text.split(",")):
        types = known.types_by_id(part)
        if types and not set(types) & set(parameter.refers_to):
            taken = " or ".join(words_for(type_) for type_ in parameter.refers_to[:3])
            return f"{SIGN} {part} looks like the id of another type ({words_for(types[0])}); expected: {taken}"
    return ""
