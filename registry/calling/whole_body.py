"""The parameter that takes JSON for the whole body, in addition to the parameters of its properties.

Each property of a body is a parameter. Properties without a parameter are set through one more, with the style ``members``:
an object's properties are added to the body; a value that is not an object is the whole body, if the parameter allows that.
Properties that have a parameter of their own become its value, so that a whole body can be pasted and is checked like the
others. The encoding of the body is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from registry.calling.invalid_value import JsonPath
from registry.catalog.model import Parameter, Tool
from registry.json_text.reading import read_typed
from registry.json_text.values import Unreadable, is_null, is_text

Problem = tuple[str, JsonPath, str]
"""A parameter, the path inside its value, and the error."""

_MOST_NAMED = 4


def rest_of(tool: Tool) -> Parameter | None:
    """The parameter of a tool that takes JSON for the body; None if there is none."""
    return next((one for one in tool.parameters if one.style == "members"), None)


def taken_apart(tool: Tool, raw: Mapping[str, object]) -> tuple[Mapping[str, object], tuple[Problem, ...]]:
    """Raw values with the properties of the whole body moved to their own parameters; a property given twice is a problem."""
    rest = rest_of(tool)
    given = _object_in(rest, raw.get(rest.name)) if rest is not None else None
    if rest is None or given is None:
        return raw, ()
    own = {one.wire_name: one.name for one in tool.parameters if one.place == "body" and one is not rest}
    found = {name: value for name, value in raw.items() if name != rest.name}
    problems: list[Problem] = []
    for member, value in given.items():
        if (name := own.get(member)) is None:
            continue
        if found.get(name) is not None:
            problems.append((rest.name, (member,), f"is given twice: `{name}` is set, too"))
        else:
            found[name] = value
    left = {name: value for name, value in given.items() if name not in own}
    return (found | {rest.name: left} if left or not given else found), tuple(problems)


def is_whole(tool: Tool, raw: Mapping[str, object]) -> bool:
    """Whether the value for the body is not an object, so that it is the whole body and excludes all properties."""
    rest = rest_of(tool)
    if rest is None or rest.name not in raw:
        return False
    value = raw[rest.name]
    if value is None or is_null(value):
        return rest.nullable
    return rest.type == "any" and not isinstance(value, Mapping | Unreadable)


def beside_whole(tool: Tool, raw: Mapping[str, object]) -> tuple[Problem, ...]:
    """The problem of a whole body that is given together with properties."""
    rest = rest_of(tool)
    if rest is None or not is_whole(tool, raw):
        return ()
    others = [one.name for one in tool.parameters if one.place == "body" and one is not rest and one.name in raw]
    if not others:
        return ()
    named = ", ".join(f"`{name}`" for name in others[:_MOST_NAMED]) + (", …" if len(others) > _MOST_NAMED else "")
    return ((rest.name, (), f"is the whole body, because it is not an object: clear {named}"),)


def _object_in(rest: Parameter, value: object) -> Mapping[str, object] | None:
    if is_text(value) and rest.type == "object":
        try:
            value = read_typed(str(value))
        except ValueError:
            return None
    return value if isinstance(value, Mapping) else None
