"""Arguments → the request, without sending anything.

`plan` decides method, path, query and body; `build` turns that into an `httpx.Request` for a connection; `preview` shows what
will be sent with every secret redacted. All three are pure: the same input gives the same output.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

import httpx
import msgspec

from registry import __version__
from registry.accounts.connection import Endpoint
from registry.accounts.secrets import MASK, texts_in
from registry.calling.arguments import Arguments, Value
from registry.calling.bodies import (
    Body,
    Encoded,
    FilePath,
    in_header,
    is_nested,
    pairs_of,
    path_text,
    reserved_text,
    styled_pairs,
    text_of,
)
from registry.catalog.model import BODY_METHODS, Parameter, ParameterLocation, Style, Tool, filled
from registry.json_text import NULL, Exact, is_text

USER_AGENT = f"callboard/{__version__}"
_VERSION = re.compile(r"[0-9A-Za-z.+_-]{1,40}", re.ASCII)

# What httpx leaves unencoded in a query; everything else is percent-encoded, as httpx would do.
_SAFE_IN_QUERY = "-._~/:@!$'()*;,?"


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """One request without its address and credentials.

    Attributes:
        method: HTTP method.
        path: percent-encoded path; `in_path` holds the arguments in it.
        query: pairs in the order in which they are sent.
        body: None for a request without one.
        host: which of the service's hosts it goes to.
        headers: those from arguments.
        cookies: pairs of the Cookie header.
        secret: location and name of each secret argument; `secrets` are their texts.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: Body | None = None
    host: str = "api"
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    secret: frozenset[tuple[ParameterLocation, str]] = frozenset()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    in_path: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def url(self, endpoint: Endpoint, *, masked: bool = False) -> str:
        """The whole address at an endpoint, including a credential sent in the query; for display, secret values redacted."""
        path = self.path
        for value in (value for name, value in self.in_path if masked and ("path", name) in self.secret and value):
            path = path.replace(quote(value, safe=""), MASK)
        for start, other in endpoint.moved:
            if (path + "/").startswith(start + "/"):
                path = other + path.removeprefix(start)
                break
        pairs = []
        for name, value in self.query:
            text = value if isinstance(value, Encoded) else quote(value, safe=_SAFE_IN_QUERY)
            shown = MASK if masked and ("query", name) in self.secret else text
            pairs.append(f"{quote(name, safe=_SAFE_IN_QUERY)}={shown}" if name else shown)
        own = ((name, value) for kind, name, value in endpoint.carriers() if kind == "query")
        pairs += [f"{quote(name, safe='')}={MASK if masked else quote(value, safe='')}" for name, value in own]
        return endpoint.addresses[self.host] + path + ("?" + "&".join(pairs) if pairs else "")

    def with_query(self, *pairs: tuple[str, str]) -> "PlannedRequest":
        """The same request with these pairs replacing those with the same names."""
        names = {name for name, _ in pairs}
        return replace(self, query=tuple(pair for pair in self.query if pair[0] not in names) + pairs)


class Preview(msgspec.Struct, frozen=True):
    """What will be sent, ready to show: method, address, headers and body, secrets redacted."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str | None


_Given = tuple[Parameter, str, Value]
"""A parameter that is sent, its name there, and its value as the service writes it."""


def plan(tool: Tool, arguments: Arguments) -> PlannedRequest:
    """The request of a tool for these arguments; without those that are invalid, to show it: who sends one has checked them.

    A missing path argument is shown as ``{name}``.
    """
    # By place and in order: the parameters with a valid value, and those with a default.
    given: dict[ParameterLocation, list[_Given]] = defaultdict(list)
    wrong = {error.parameter for error in arguments.errors}
    for parameter in tool.parameters:
        place, wire_name, value = parameter.place, parameter.wire_name, arguments.values.get(parameter.name)
        if value is None and place not in ("path", "local"):
            default = parameter.wire_default if parameter.default is None else parameter.default
            value = Exact(repr(default)) if isinstance(default, float) else default
        if value is None or wire_name is None or parameter.name in wrong or (value is False and not parameter.sends_no):
            continue
        if parameter.wire_enum and is_text(value):
            value = dict(zip(parameter.enum or (), parameter.wire_enum, strict=True)).get(value, value)
        given[place].append((parameter, wire_name, value))
    in_path = {
        name: text_of(value) if one.style is None else path_text(name, value, one.style) for one, name, value in given["path"]
    }
    encoded = {name for one, name, _ in given["path"] if one.style is not None}
    query = [pair for one in given["query"] for pair in _query_pairs(tool, *one)]
    accept = [("Accept", ", ".join(tool.accepts))] if tool.accepts else []
    secret = [(place, name, value) for place, ones in given.items() for one, name, value in ones if one.role == "secret"]
    return PlannedRequest(
        tool.method,
        filled(tool.path, in_path, encoded),
        (*tool.fixed_query, *tool.optional_query, *query),
        _body(tool, given) if tool.body_kind is not None else None,
        tool.host,
        (*accept, *((name, in_header(value, one.style)) for one, name, value in given["header"])),
        tuple(pair for one in given["cookie"] for pair in _cookie_pairs(*one)),
        frozenset((place, name) for place, name, _ in secret),
        tuple(dict.fromkeys(text for _, _, value in secret if value is not NULL for text in texts_in(value))),
        tuple(in_path.items()),
    )


def _body(tool: Tool, given: Mapping[ParameterLocation, list[_Given]]) -> Body | None:
    """The body; with methods that usually have none, one is sent only if it has content."""
    kind, members, headers = tool.body_kind or "json", dict[str, Value](), dict[str, dict[str, str]]()
    styles: dict[str, Style] = {}
    for parameter, name, value in given["body"]:
        if parameter.style != "members":
            members[name] = _in_body(parameter, value)
        elif isinstance(value, Mapping):
            members |= value
            styles |= {key: "json" for key, inner in value.items() if is_nested(inner)}
        else:  # it is the whole body
            return Body({name: value}, "raw", Body({}, kind, tool.content_type).media_type, tool.nested, {name: "json"})
    own = {name: one for one, name, _ in given["body"] if one.style != "members"}
    for one, name, value in given["part"]:
        headers.setdefault(str(one.part), {})[name] = in_header(value, one.style)
    styles |= {name: one.style for name, one in own.items() if one.style is not None}
    types = {name: one.content_type for name, one in own.items() if one.content_type is not None}
    reserved = frozenset(name for name, one in own.items() if one.reserved)
    body = Body(members, kind, tool.content_type, tool.nested, styles, types, headers, reserved)
    return body if tool.method in BODY_METHODS or members else None


def build(planned: PlannedRequest, endpoint: Endpoint) -> httpx.Request:
    """The request itself, with address and credentials.

    Raises:
        CallFailed: a file to send cannot be read.
    """
    headers, url, body = headers_of(planned, endpoint), planned.url(endpoint), planned.body
    if body is None:
        return httpx.Request(planned.method, url, headers=headers)
    if body.kind == "multipart":
        parts = [
            (name, (one.name, one.read(), kind, further) if isinstance(one, FilePath) else (None, one, kind or None, further))
            for name, one, kind, further in body.parts()
        ]
        # Without parts a boundary is needed, too, and httpx adds one only for files.
        request = httpx.Request(planned.method, url, headers=headers, files=parts or [("", (None, ""))])
        request.read()
        request.headers["Content-Type"] = request.headers["Content-Type"].replace("multipart/form-data", body.media_type, 1)
        return request
    headers["Content-Type"] = body.media_type
    content = body.file.read() if body.file is not None else body.text().encode()
    if body.media_type.startswith("multipart/") and content.startswith(b"--"):
        boundary = content[2:].splitlines()[0].decode("ascii", "replace").strip()
        headers["Content-Type"] += f'; boundary="{boundary}"'  # parts that a file holds as they are sent
    return httpx.Request(planned.method, url, headers=headers, content=content)


def preview(planned: PlannedRequest, endpoint: Endpoint) -> Preview:
    """What `build` would send, with every secret redacted."""
    headers = headers_of(planned, endpoint, masked=True)
    url, body = planned.url(endpoint, masked=True), planned.body
    if body is None:
        return Preview(planned.method, url, headers, None)
    secret = {name for place, name in planned.secret if place == "body"}
    return Preview(planned.method, url, headers | {"Content-Type": body.media_type}, body.shown(secret))


def headers_of(planned: PlannedRequest, endpoint: Endpoint, *, masked: bool = False) -> dict[str, str]:
    """The headers of a request, without Content-Type. User-Agent is the program, and the toolkit if its version fits there.

    An argument's header replaces one that the service always gets (an API version, what is accepted), but never the one that
    carries the credential. Cookies are added to those of the connection.

    `masked` redacts secrets, for display.
    """
    toolkit, version = endpoint.service.toolkit, endpoint.service.version or ""
    agent = f"{USER_AGENT} {toolkit}/{version}" if _VERSION.fullmatch(version) else USER_AGENT
    found = {"User-Agent": agent, **endpoint.headers(masked=masked)}
    carriers = {"cookie" if kind == "cookie" else name.lower() for kind, name, _ in endpoint.carriers() if kind != "query"}
    names = {name.lower(): name for name in found}
    for name, value in planned.headers:
        if name.lower() not in carriers:
            found[names.get(name.lower(), name)] = MASK if masked and ("header", name) in planned.secret else value
    if planned.cookies:
        pairs = [(name, MASK if masked and ("cookie", name) in planned.secret else value) for name, value in planned.cookies]
        own = names.get("cookie", "Cookie")
        found[own] = "; ".join([*([found[own]] if own in found else []), *(f"{name}={value}" for name, value in pairs)])
    return found


def _in_body(parameter: Parameter, value: Value) -> Value:
    """A value of the body; paths of files become `FilePath`, also inside a list."""
    if parameter.format == "file" and isinstance(value, str):
        return FilePath(value)
    if parameter.items is not None and parameter.items.format == "file" and isinstance(value, tuple):
        return tuple(FilePath(one) if isinstance(one, str) else one for one in value)
    return value


def _cookie_pairs(parameter: Parameter, name: str, value: Value) -> list[tuple[str, str]]:
    """The pairs of a cookie: percent-encoded, but not the commas of a list, unless its reserved characters are sent."""
    pairs = [(key, text_of(part)) for key, part in styled_pairs(name, value, parameter.style or "comma")]
    if parameter.reserved:
        return pairs
    kept = "," if isinstance(value, tuple | Mapping) else ""
    return [(quote(key, safe=""), text if isinstance(text, Encoded) else quote(text, safe=kept)) for key, text in pairs]


def _query_pairs(tool: Tool, parameter: Parameter, name: str, value: Value) -> list[tuple[str, str]]:
    if parameter.style is None and not parameter.is_structured and isinstance(value, tuple):
        texts = [text_of(one) for one in value]
        return [(name, ",".join(texts))] if tool.arrays == "comma" and texts else [(name, text) for text in texts]
    if parameter.style is not None:
        pairs: Iterable[tuple[str, Value]] = styled_pairs(name, value, parameter.style)
    else:
        pairs = pairs_of(name, value, tool.nested) if parameter.is_structured else [(name, value)]
    found = [(key, text_of(one)) for key, one in pairs]
    if not name:  # the whole query
        return [(key, one if key else Encoded(quote(one, safe=""))) for key, one in found]
    return [(key, reserved_text(one)) for key, one in found] if parameter.reserved else found
