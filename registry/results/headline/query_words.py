"""A call's conditions in words around a noun: before it (``open``), after it (``of Ada Romero``), and the rest unchanged."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from registry.catalog.model import Tool
from registry.catalog.properties import properties_of
from registry.results.tables.states import tells_state
from registry.text.safe_text import shortened, visible_line

_CONDITION = re.compile(
    r"""\s*(?:(?P<join>AND|OR)\s+)?(?P<no>-)?(?P<field>[A-Za-z_][\w.]*)(?P<sign>:|~|>=|<=|>|<)"""
    r"""(?P<value>"(?:[^"\\]|\\.)*"|[^\s]+)""",
    re.VERBOSE,
)
_SHOWN = 60
_BETWEEN = {":": " ", "~": " with "}
_TIMES = ("created", "created_at", "since", "until")
_PAGING = ("limit", "offset", "page", "cursor_before", "cursor_after", "expand", "zone", "field", "option", "secret")


@dataclass(slots=True)
class Asked:
    """The words: `before` the noun, `after` it, and the separate `rest`.

    `owners` are the fields whose values are ids of whom an object belongs to.
    """

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    states: bool = False
    owners: tuple[str, ...] = ()


def words_of(tool: Tool, raw: Mapping[str, object], name_of: Callable[[str], str]) -> Asked:
    """A call's conditions in words; `name_of` returns the name of an id, empty if it is not known."""
    asked = Asked(owners=properties_of(tool.toolkit).owners)
    for parameter in tool.parameters:
        value = raw.get(parameter.name)
        if value in (None, "", []) or parameter.role in _PAGING:
            continue
        if parameter.role == "query":
            _query(str(value), asked, name_of)
        elif parameter.role == "id" or parameter.refers_to:
            asked.after.append(_of(value, name_of))
        else:
            _condition(parameter.wire_name or parameter.name, ":", value, asked, name_of)
    return asked


def _query(text: str, asked: Asked, name_of: Callable[[str], str]) -> None:
    place, found = 0, []
    while place < len(text.rstrip()):
        match = _CONDITION.match(text, place)
        if match is None:
            asked.rest.append(_quote(text))
            return
        found.append(match)
        place = match.end()
    if any(one["join"] == "OR" for one in found):
        asked.rest.append(_either(found) or _quote(text))
        return
    for one in found:
        value = one["value"].strip('"')
        if one["no"]:
            asked.rest.append(f"not {one['field']} {_quote(value)}")
        elif one["sign"] == ":" and value in ("true", "false"):
            name = one["field"].replace("_", " ")
            (asked.before if value == "true" else asked.rest).append(name if value == "true" else f"not {name}")
        else:
            _condition(one["field"], one["sign"], value, asked, name_of)


def _either(found: list[re.Match[str]]) -> str:
    """Several fields that are searched for the same value: ``name or email with ada``; empty for other conditions."""
    first, *others = found
    same = all(one["join"] == "OR" and (one["sign"], one["value"]) == (first["sign"], first["value"]) for one in others)
    if not same or first["sign"] not in _BETWEEN or any(one["no"] for one in found):
        return ""
    fields = " or ".join(one["field"].replace("_", " ") for one in found)
    return f"{fields}{_BETWEEN[first['sign']]}{_quote(first['value'].strip(chr(34)))}"


def _condition(name: str, sign: str, value: object, asked: Asked, name_of: Callable[[str], str]) -> None:
    name = name.removesuffix("[]")
    if sign == ":" and (tells_state(name) or tells_state(name.removesuffix("es").removesuffix("s"))):
        asked.states = True
        values = value if isinstance(value, list) else [value]
        asked.before.append(" or ".join(_word(one) for one in values))
    elif sign == ":" and (named := name_of(str(value))):
        asked.after.append(f"of {named}")
    elif sign == ":" and name in asked.owners:
        asked.after.append(f"of {visible_line(str(value))}")
    elif name in _TIMES and sign in (":", ">", ">=", "<", "<=") and (day := _day(value)):
        asked.after.append(f"{'until' if sign.startswith('<') or name == 'until' else 'since'} {day}")
    elif isinstance(value, bool):
        asked.rest.append(f"{name.replace('_', ' ')} {'yes' if value else 'no'}")
    else:
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        between = _BETWEEN.get(sign, f" {sign} ")
        asked.rest.append(f"{name.replace('_', ' ')}{between}{_quote(text)}")


def _of(value: object, name_of: Callable[[str], str]) -> str:
    values = value if isinstance(value, list) else [value]
    return "of " + " and ".join(name_of(str(one)) or visible_line(str(one)) for one in values[:3])


def _day(value: object) -> str:
    text = str(value)
    if text.isdecimal() and 8 < len(text) < 12:
        at = datetime.fromtimestamp(int(text), UTC)
        return f"{at.day} {at:%b %Y}"
    return visible_line(text) if re.match(r"\d{4}-\d\d-\d\d", text) else ""


def _word(value: object) -> str:
    return visible_line(str(value)).replace("_", " ")


def _quote(text: str) -> str:
    return shortened(visible_line(text), _SHOWN)
