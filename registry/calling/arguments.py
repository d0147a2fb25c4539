"""Checks raw values by parameter name: returns arguments, or every error by field, in words.

A parameter is in one of three states: not given (its name is absent), given and empty (``""`` or ``[]``), or given. Nothing is
sent while anything is wrong. Values may come as text, as from a form or a command line, or typed, as from JSON.

Each property of a body is a parameter. Properties without a parameter are set through one more, with the style ``members``:
an object's properties are added to the body; a value that is not an object is the whole body, if the parameter allows that.
Properties that have a parameter of their own become its value, so that a whole body can be pasted and is checked like the
others.
"""

import difflib
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime

import msgspec

from registry.calling.scalars import Value
from registry.calling.times import InvalidValue, JsonPath, dotted, shown
from registry.calling.values import read
from registry.catalog.loader import optional_hook
from registry.catalog.model import Parameter, Tool, step_in
from registry.json_text import NULL, NotJson, Unreadable, is_text, read_typed

__all__ = ["ArgumentError", "Arguments", "FieldError", "Value", "check", "checked", "times_in", "unknown"]


class FieldError(msgspec.Struct, frozen=True):
    """What is wrong with one argument: the parameter's name, and in words the rule, the value and what to type instead.

    `hint` is the parameter's help, if the user needs it and does not see it anyway. `inside` is the path inside the value.
    """

    parameter: str
    message: str
    hint: str = ""
    inside: JsonPath = ()

    @property
    def path(self) -> str:
        """The parameter with the path inside it: ``fields.assignee.email``."""
        return dotted((self.parameter, *self.inside))

    def __str__(self) -> str:
        return f"`{self.path}` {self.message}" + (f". {self.hint}" if self.hint else "")


class ArgumentError(ValueError):
    """Arguments that cannot be sent. `errors` lists every problem."""

    def __init__(self, tool: str, errors: tuple[FieldError, ...]) -> None:
        super().__init__(f"{tool}: " + "; ".join(str(error) for error in errors))
        self.errors = errors


class Arguments(msgspec.Struct, frozen=True):
    """A tool's arguments after checking.

    Attributes:
        values: the valid arguments, typed, in the tool's order. Times are ISO 8601 in UTC, codes in the case that the
            service uses. An empty value occurs only if the parameter allows it.
        errors: every problem; empty if the arguments can be sent.
    """

    values: Mapping[str, Value] = msgspec.field(default_factory=dict)
    errors: tuple[FieldError, ...] = ()

    def errors_of(self, parameter: str) -> list[str]:
        """The problems of one parameter; those of its parts start with their paths."""
        return [
            f"`{dotted(error.inside)}` {error.message}" if error.inside else error.message
            for error in self.errors
            if error.parameter == parameter
        ]


def check(tool: Tool, raw: Mapping[str, object], now: float | None = None) -> Arguments:
    """Check raw values against a tool's parameters.

    A name that is absent from `raw` was not given. None also counts as absent, so that JSON callers may send null, except for a
    parameter that accepts null. `now`, in Unix seconds, is the base for relative times.
    """
    now = time.time() if now is None else now
    rest = next((one for one in tool.parameters if one.style == "members"), None)
    raw, of_body = _taken_apart(tool, rest, raw) if rest is not None else (raw, [])
    nullable = {one.name for one in tool.parameters if one.nullable}
    given = {name: value for name, value in raw.items() if value is not None or name in nullable}
    errors = [*(unknown(tool, name) for name in given if tool.parameter(name) is None), *of_body]
    whole = rest is not None and rest.name in given and is_whole(rest, given[rest.name])
    values: dict[str, Value] = {}
    for parameter in tool.parameters:
        if parameter.name not in given:
            if parameter.required and not (whole and parameter.place == "body"):
                errors.append(FieldError(parameter.name, "is required", parameter.help))
            continue
        try:
            value = read(tool, parameter, given[parameter.name], now)
            if parameter.role == "query" and value:
                from registry.calling.search_queries import checked_query  # few calls have a query

                value = checked_query(tool, str(value), now)
        except InvalidValue as refusal:
            for inside, words in refusal.problems:
                # A message may be shown anywhere, and must not contain a secret.
                told = words.partition("; got")[0] if parameter.role == "secret" else words
                errors.append(FieldError(parameter.name, told, inside=inside))
        else:
            if value is not None:
                values[parameter.name] = value
    if (inferred := optional_hook(tool.toolkit, "rules", "inferred")) is not None:
        values |= inferred(tool, values, now)
    refused = {error.parameter for error in errors}
    errors += [FieldError(name, message) for name, message in rules_across(tool, values, refused, now)]
    return Arguments(values, tuple(errors))


def checked(tool: Tool, raw: Mapping[str, object], now: float | None = None) -> Arguments:
    """The same if nothing is wrong; otherwise raises `ArgumentError`."""
    arguments = check(tool, raw, now)
    if arguments.errors:
        raise ArgumentError(tool.name, arguments.errors)
    return arguments


def times_in(tool: Tool, values: Mapping[str, object]) -> dict[str, object]:
    """The times among checked values. They are absolute, so that a second call with them requests the same."""
    return {one.name: values[one.name] for one in tool.parameters if one.role == "timestamp" and one.name in values}


def unknown(tool: Tool, name: str) -> FieldError:
    """The error for a name that is not a parameter of the tool, with the closest parameter name."""
    names = [parameter.name for parameter in tool.parameters]
    nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    if not nearest:
        # A part of a long name: `limt` for `card_retrieval_limit`, if only one name has such a part.
        nearest = [one for one in names if difflib.get_close_matches(name, one.split("_"), n=1, cutoff=0.75)]
    if len(nearest) == 1:
        return FieldError(name, f"is not a parameter of {tool.name}; did you mean `{nearest[0]}`?")
    listed = ", ".join(f"`{one}`" for one in names)
    return FieldError(name, f"is not a parameter of {tool.name}; its parameters: {listed or 'none'}")


def is_whole(rest: Parameter, value: object) -> bool:
    """Whether the value for the body is not an object, so that it is the whole body and excludes all properties."""
    if value is None or value is NULL:
        return rest.nullable
    return rest.type == "any" and not isinstance(value, Mapping | Unreadable)


def _taken_apart(tool: Tool, rest: Parameter, raw: Mapping[str, object]) -> tuple[Mapping[str, object], list[FieldError]]:
    """Raw values with the properties of the whole body moved to their own parameters, and what contradicts each other."""
    if (body := raw.get(rest.name)) is None:
        return raw, []
    own = {one.wire_name: one.name for one in tool.parameters if one.place == "body" and one is not rest}
    if is_whole(rest, body):
        others = ", ".join(f"`{name}`" for name in own.values() if raw.get(name) is not None)
        words = f"is the whole body, because it is not an object: clear {others}"
        return raw, [FieldError(rest.name, words)] if others else []
    if is_text(body) and rest.type == "object":
        with suppress(NotJson):  # which is reported when the value is read
            body = read_typed(str(body))
    if not isinstance(body, Mapping):
        return raw, []
    moved = {own[member]: value for member, value in body.items() if member in own and raw.get(own[member]) is None}
    twice = [member for member in body if member in own and own[member] not in moved]
    left = {member: value for member, value in body.items() if member not in own}
    kept = {name: value for name, value in raw.items() if name != rest.name} | moved
    if left or not body:
        kept[rest.name] = left
    return kept, [FieldError(rest.name, f"is given twice: `{own[one]}` is set, too", inside=(one,)) for one in twice]


Problems = Iterator[tuple[str, str]]


def rules_across(tool: Tool, values: Mapping[str, object], refused: Collection[str], now: float) -> Problems:
    """Every problem of the arguments taken together: (parameter, message). They depend on what parameters mean.

    Sources: the services' own rules on cursors and windows. Rules of only one service are in the module ``rules`` of its
    toolkit's folder: a function ``rules_across``, and a function ``inferred`` for arguments that follow from others.

    `refused` are parameters that are invalid on their own: rules that need them are not applied. `now` is in Unix seconds.
    """
    before, after = tool.with_role("cursor_before"), tool.with_role("cursor_after")
    if before and after and before.name in values and after.name in values:
        yield after.name, f"cannot be combined with `{before.name}`; set only one of them"
    limit, offset = tool.with_role("limit"), tool.with_role("offset")
    if limit and offset and (deepest := deepest_of(tool)) is not None:
        size, passed = values.get(limit.name, limit.default), values.get(offset.name)
        if isinstance(size, int) and isinstance(passed, int) and size + passed > deepest:
            yield offset.name, f"plus limit must not exceed {deepest}; got {passed} + {size}. Use narrower filters"
    if (window := window_of(tool)) is not None and all(one.name in values for one in window):
        start, stop = (str(values[one.name]) for one in window)
        if datetime.fromisoformat(start) >= datetime.fromisoformat(stop):
            yield window[1].name, f"must be later than `{window[0].name}` ({start}); got {stop}"
    in_path = {str(one.wire_name): one.name for one in tool.parameters if one.place == "path" and one.name in values}
    texts = {wire_name: str(values[name]) for wire_name, name in in_path.items()}
    only_dots = any(not text.strip(".") for text in texts.values())
    if only_dots and (step := step_in(tool.path, texts)) is not None:
        yield in_path[step], f"must be an id; {shown(texts[step])} would change the URL path"
    if (own := optional_hook(tool.toolkit, "rules", "rules_across")) is not None:
        yield from own(tool, values, refused, now)


def deepest_of(tool: Tool) -> int | None:
    """The highest sum of offset and limit that the service allows; None if it sets no limit."""
    return tool.returns.paging.deepest if tool.returns.paging is not None else None


def window_of(tool: Tool) -> tuple[Parameter, Parameter] | None:
    """The parameters that bound a tool's time window; None if it has none."""
    times = {parameter.wire_name: parameter for parameter in tool.parameters if parameter.format == "date-time"}
    since, until = times.get("since"), times.get("until")
    return (since, until) if since and until else None
