"""The CRM's rules across arguments. Source: its documentation of a user's identifier, an id or an email address."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from registry.calling.rules import Problems, by_wire_name
from registry.catalog.model import Tool


def inferred(tool: Tool, values: Mapping[str, object]) -> dict[str, str]:
    """An identifier with an @ in it is an email address."""
    prop, identifier = by_wire_name(tool, "idProperty"), tool.with_role("id")
    if prop is None or identifier is None or prop.name in values or "@" not in str(values.get(identifier.name, "")):
        return {}
    return {prop.name: "EMAIL"}


def rules_across(tool: Tool, values: Mapping[str, object], _: Collection[str], _now: float) -> Problems:
    """An identifier must have the kind that the call names."""
    prop = by_wire_name(tool, "idProperty")
    identifier = tool.with_role("id")
    if not prop or not identifier or identifier.name not in values:
        return
    is_email = "@" in str(values[identifier.name])
    if is_email and values.get(prop.name) == "USER_ID":
        yield identifier.name, f"is an email address; set `{prop.name}` to EMAIL, or enter the user's id"
    elif not is_email and values.get(prop.name) == "EMAIL":
        yield identifier.name, f"is not an email address; enter one, or set `{prop.name}` to USER_ID"
