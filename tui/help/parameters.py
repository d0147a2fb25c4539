"""What the help says of a form's field: all that is known of its parameter."""

from __future__ import annotations

from registry.catalog.model import Parameter
from tui.help.about import About

_FORMATS = {
    "date-time": "a time, as 2026-03-01 or 2026-03-01T09:00:00Z; without a zone it is UTC",
    "unix-minute": "a moment as Unix seconds, at a full minute",
    "time-zone": "a time zone by its name, as Europe/Berlin",
    "country": "a country by its two letters, as DE",
    "currency": "a currency by its three letters, as eur",
    "email": "an e-mail address",
    "multiline": "text of one or more lines",
    "file": "the path of a file on this machine",
}
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number, sent with the digits that you type",
    "boolean": "yes or no",
    "array": "texts, separated by commas",
    "object": "an object",
    "one_of": "one of several types",
    "any": "any JSON",
}
_ROLES = {
    "id": "id: which object the call is about",
    "cursor_before": "cursor: the page that ends before this object",
    "cursor_after": "cursor: the page that begins behind this object",
    "limit": "limit: how many items a page has",
    "offset": "offset: how many items to leave out first",
    "page": "page: where the page begins, as the answer before it said",
    "expand": "expand: which ids come as whole objects",
    "filter": "filter: only what fits is listed",
    "query": "query: what the service is asked to look for",
    "field": "field: becomes part of the object",
    "option": "option: how the call is carried out",
    "secret": "secret: it is masked wherever it is shown, and written down nowhere",
    "timestamp": "timestamp: a moment",
    "zone": "zone: the time zone of times in the call",
}
_ITEMS = {"string": "texts", "integer": "whole numbers", "number": "numbers", "boolean": "true or false"}
_EMPTY = {
    "null": "empty is sent as null",
    "omit": "empty is left out of the request",
    "send": "empty is sent as it is, and is something else than not set",
}


def about_field(parameter: Parameter) -> About:
    """All about the field of a parameter."""
    facts = [("takes", _takes(parameter))]
    if parameter.refers_to:
        facts.append(("refers to", f"the id of: {', '.join(parameter.refers_to)}"))
    facts.append(("not set", _unset(parameter)))
    if (empty := _EMPTY.get(parameter.when_empty)) is not None:
        facts.append(("empty", empty))
    facts.append(("travels", _travels(parameter)))
    if parameter.role in _ROLES:
        facts.append(("role", _ROLES[parameter.role]))
    if parameter.enum and parameter.wire_enum:
        renamed = [f"{one} as {other}" for one, other in zip(parameter.enum, parameter.wire_enum, strict=True) if one != other]
        facts.append(("on the wire", ", ".join(renamed)))
    if parameter.suggestions:
        facts.append(("known to work", ", ".join(parameter.suggestions)))
    return About(f"The field {parameter.name}", parameter.help, _keys(parameter), tuple(facts))


def _takes(parameter: Parameter) -> str:
    if parameter.enum:
        return "one of: " + ", ".join(parameter.enum)
    words = _FORMATS.get(parameter.format or "") or _TYPES[parameter.type]
    if parameter.type == "array" and parameter.items is not None:
        kind = _ITEMS.get(parameter.items.type)
        words = f"{kind}, separated by commas" if kind else "a JSON list"
    if parameter.properties:
        words += f" with {', '.join(one.name for one in parameter.properties)}"
    if parameter.branches:
        words = f"one of: {', '.join(one.name for one in parameter.branches)}"
    if parameter.pattern:
        words += f" that matches {parameter.pattern}"
    if parameter.minimum is not None and parameter.maximum is not None:
        return f"{words} from {parameter.minimum:,} to {parameter.maximum:,}"
    if parameter.minimum is not None:
        return f"{words}, {parameter.minimum:,} or more"
    return f"{words}, {parameter.maximum:,} or less" if parameter.maximum is not None else words


def _unset(parameter: Parameter) -> str:
    if parameter.required:
        return "the call is refused: this is required"
    for value in (parameter.default, parameter.wire_default):
        if value is not None:
            return f"{str(value).lower() if isinstance(value, bool) else value} is sent"
    return "nothing is sent"


def _travels(parameter: Parameter) -> str:
    name = parameter.wire_name or parameter.name
    return {
        "path": f"in the path, in the place of {{{name}}}",
        "query": f"in the query string, as {name}",
        "header": f"in the header {name}",
        "cookie": f"in the cookie {name}",
        "inside": f"inside the object around it, as {name}",
        "body": f"in the body, as {name}",
        "local": "nowhere: it is used here",
    }[parameter.place]


def _keys(parameter: Parameter) -> tuple[tuple[str, str], ...]:
    if parameter.type == "boolean" or parameter.enum:
        return (("← →", "choose; a letter goes to the value that begins with it"), ("Del", "not set"))
    keys = [("Enter", "run the tool"), ("→", "at the end of the line: take what is offered in grey")]
    if parameter.refers_to:
        keys.append(("↓ ↑", "go through the ids that answers have named; Enter takes one"))
    if parameter.when_empty != "refuse":
        keys.append(("{empty}", "empty, or not set again"))
    return tuple(keys)
