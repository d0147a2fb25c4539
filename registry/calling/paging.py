"""The position of a page in its list, and the arguments of the next and previous page.

Services declare their style of paging (`registry.catalog.service.Paging`); the roles of the tool's parameters say which
argument is a cursor, an offset or a page number. From the addresses of other pages only these arguments are read; they are
never followed, so a response cannot send a call elsewhere.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from registry.calling.arguments import Value
from registry.calling.result import RawItems, ResultPage, id_of
from registry.catalog.model import Parameter, Role, Tool
from registry.catalog.service import Paging
from registry.json_text import NotJson, dumps, read_json
from registry.text.shown import whole

Position = Mapping[str, object] | None
"""The arguments to change for another page; None if there is none."""

_POSITIONS: tuple[Role, ...] = ("cursor_after", "page", "offset")
_LONGEST = 16_384
_LINK = re.compile(r'<([^<>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)')
_RELATION = re.compile(r';\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))', re.IGNORECASE)


def raw_at(body: bytes, path: str) -> bytes | msgspec.Raw | None:
    """The raw JSON at a dotted path of an object; None if nothing is there.

    Raises:
        msgspec.MsgspecError: the text is not JSON.
    """
    found: bytes | msgspec.Raw | None = body.lstrip()
    for name in path.split("."):
        if found is None or bytes(memoryview(found)[:1]) != b"{":
            return None
        found = msgspec.json.decode(found, type=dict[str, msgspec.Raw]).get(name)
    return found


def _read(body: bytes, paging: Paging) -> tuple[RawItems, Any] | None:
    """The page in a response: its items as raw JSON, not decoded, and the properties that describe it as values."""
    try:
        raw: bytes | msgspec.Raw | None = body
        about: dict[str, Any] = {}
        if paging.items:
            members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
            raw = raw_at(body, paging.items) if "." in paging.items else members.get(paging.items)
            paths = (paging.more, paging.next, paging.total, paging.position, paging.size)
            names = {path.partition(".")[0] for path in paths if path} & members.keys() - {paging.items}
            about = {name: read_json(bytes(members[name])) for name in names}
        if raw is None:
            return None
        return msgspec.json.decode(raw, type=list[msgspec.Raw]), about
    except RecursionError:
        raise NotJson("it is nested too deeply to be read") from None
    except msgspec.ValidationError:
        return None
    except msgspec.DecodeError:  # perhaps only because of half of a surrogate pair
        about, exact = read_json(body), read_json(body, exact=True)
        items = _at(exact, paging.items) if paging.items else exact
        if not isinstance(items, list):
            return None
        return [msgspec.Raw(dumps(item).encode("utf-8", "backslashreplace")) for item in items], about


def page_of(
    tool: Tool, values: Mapping[str, Value], body: bytes, headers: Mapping[str, str] | None = None
) -> tuple[ResultPage, RawItems] | None:
    """The position of a page in its list, and its items; None if the response is not a page.

    `headers` are by lower-case name; None if they were not kept.

    Raises:
        NotJson: the response is not JSON, or nested too deeply.
    """
    paging = tool.returns.paging
    if paging is None or (paging.style == "link_header" and headers is None) or (found := _read(body, paging)) is None:
        return None
    items, about = found
    total = _number(_at(about, paging.total))
    if paging.total_header is not None and headers is not None:
        total = whole(headers.get(paging.total_header, ""))
    more = _at(about, paging.more) is True
    following = preceding = None
    match paging.style:
        case "cursor_by_id":
            following, preceding = _by_id(tool, values, items, more)
        case "cursor":
            cursor = tool.with_role("cursor_after") or tool.with_role("page")
            following = _position(tool, cursor, _at(about, paging.next))
            more = more if paging.more is not None else following is not None
        case "offset":
            more, following, preceding = _by_offset(tool, paging, values, items, about, total, more)
        case "page":
            more, following, preceding = _by_number(tool, paging, values, items, about, total, more)
        case "link_header":
            links = links_in((headers or {}).get("link", ""))
            more = "next" in links
            following = _from_address(tool, links.get("next", ""))
            preceding = _from_address(tool, links.get("prev", links.get("previous", "")))
    return ResultPage(len(items), more, following, preceding, total), items


def _by_id(tool: Tool, values: Mapping[str, Value], items: Sequence[bytes], has_more: bool) -> tuple[Position, Position]:
    after, before = tool.with_role("cursor_after"), tool.with_role("cursor_before")
    if not after or not items:
        return None, None
    backwards = before is not None and before.name in values
    ids = [id_of(items[place]) for place in (0, -1)]
    first, last = (json.loads(text) if text is not None and text.startswith(b'"') else None for text in ids)
    # The response only covers the requested direction. A page reached by going back has a next page, the one it was reached
    # from; likewise a page reached by going forward has a previous page.
    more_behind = has_more if not backwards else True
    more_before = has_more if backwards else after.name in values
    opposite = {before.name: None} if before else {}
    following = {after.name: last, **opposite} if more_behind and last else None
    return following, {before.name: first, after.name: None} if before and more_before and first else None


def _by_offset(
    tool: Tool, paging: Paging, values: Mapping[str, Value], items: RawItems, about: Any, total: int | None, has_more: bool
) -> tuple[bool, Position, Position]:
    offset, size = tool.with_role("offset"), _size(tool, paging, values, about)
    if offset is None:
        return has_more, None, None
    said = _number(_at(about, paging.position))
    passed = said if said is not None else int(str(values.get(offset.name, 0)))
    if paging.more is None:
        has_more = total is not None and passed + len(items) < total
    # Advance by what was received, not by what was requested: a service may return less.
    following = {offset.name: passed + len(items)} if has_more and items else None
    back = max(passed - (len(items) if size is None else size), 0)
    return has_more, following, {offset.name: back or None} if passed > 0 else None


def _by_number(
    tool: Tool, paging: Paging, values: Mapping[str, Value], items: RawItems, about: Any, total: int | None, more: bool
) -> tuple[bool, Position, Position]:
    number, size = tool.with_role("page"), _size(tool, paging, values, about) or None
    if number is None:
        return more, None, None
    first = int(number.minimum) if number.minimum is not None else 1
    here = _number(values.get(number.name, number.default))
    here = first if here is None else here
    following: Position = None
    if paging.next is not None:
        following = _position(tool, number, _at(about, paging.next))
        more = following is not None
    elif paging.more is None and total is not None and size is not None:
        more = (here - first) * size + len(items) < total
    elif paging.more is None:
        more = bool(items) and (size is None or len(items) >= size)
    if more and following is None and items:
        following = {number.name: _typed(number, here + 1)}
    preceding = {number.name: _typed(number, here - 1) if here - 1 > first else None} if here > first else None
    return more, following, preceding


def _size(tool: Tool, paging: Paging, values: Mapping[str, Value], about: Any) -> int | None:
    """How many items a page has at most: as the response says, or as was asked; None if neither says so."""
    limit, said = tool.with_role("limit"), _number(_at(about, paging.size))
    return said if said is not None or limit is None else _number(values.get(limit.name, limit.default))


def links_in(header: str) -> dict[str, str]:
    """The addresses in a Link header (RFC 8288) by relation; the first of each counts."""
    links: dict[str, str] = {}
    for found in _LINK.finditer(header[:_LONGEST]):
        if relation := _RELATION.search(found[2]):
            for name in (relation[1] or relation[2] or "").lower().split():
                links.setdefault(name, found[1])
    return links


def _from_address(tool: Tool, address: str) -> Position:
    """The paging arguments in a page's address; those that it does not contain are None, which removes them."""
    try:
        pairs = dict(parse_qsl(urlsplit(address).query))
    except ValueError:
        return None
    found: dict[str, object] = {}
    for role in _POSITIONS:
        parameter = tool.with_role(role)
        if parameter is not None:
            text = pairs.get(parameter.wire_name or "")
            found[parameter.name] = None if text is None else _typed(parameter, text)
    return found if any(value is not None for value in found.values()) else None


def _position(tool: Tool, parameter: Parameter | None, value: Any) -> Position:
    """The argument for a cursor, a number or an address in a body; None if there is none."""
    if parameter is None or isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        return None
    if isinstance(value, str) and value.startswith(("https://", "http://", "/", "?")) and "=" in value:
        return _from_address(tool, value)
    return {parameter.name: typed} if (typed := _typed(parameter, value)) is not None else None


def _typed(parameter: Parameter, value: str | int) -> str | int | None:
    """A value in the parameter's type; None if it cannot be converted."""
    if parameter.type != "integer":
        return str(value)
    return whole(str(value))


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _at(parsed: Any, path: str | None) -> Any:
    """The value at a dotted path; None if nothing is there."""
    for name in path.split(".") if path else ():
        if not isinstance(parsed, dict):
            return None
        parsed = parsed.get(name)
    return parsed if path else None
