"""The CRM's rules across arguments. Source: its documentation of a user's identifier, an id or an email address."""

from collections.abc import Collection, Mapping

from registry.calling.arguments import Problems
from registry.calling.scalars import EMAIL
from registry.catalog.model import Tool


def inferred(tool: Tool, values: Mapping[str, object], _now: float) -> dict[str, str]:
    """An identifier with an @ in it is an email address."""
    kind, given = tool.parameter("user_identifier_property"), tool.with_role("id")
    is_open = kind is not None and kind.name not in values
    is_email = given is not None and "@" in str(values.get(given.name, ""))
    return {kind.name: "EMAIL"} if kind is not None and is_open and is_email else {}


def rules_across(tool: Tool, values: Mapping[str, object], _: Collection[str], _now: float) -> Problems:
    """An identifier must have the kind that the call names."""
    kind, given = tool.parameter("user_identifier_property"), tool.with_role("id")
    if kind is None or given is None or given.name not in values:
        return
    named, is_email = values.get(kind.name), "@" in str(values[given.name])
    if is_email and named == "USER_ID":
        yield given.name, f"is an email address; set `{kind.name}` to EMAIL, or enter the user's id"
    elif not is_email and named == "EMAIL":
        yield given.name, f"is not an email address; enter one, or set `{kind.name}` to USER_ID"
    elif not is_email and not str(values[given.name]).isdecimal():
        yield given.name, "must be a user's id, which has digits only, or an email address such as ada@fernway.example"
    elif is_email and not EMAIL.fullmatch(str(values[given.name])):
        yield given.name, "must be an email address such as ada@fernway.example"
