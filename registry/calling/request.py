"""Arguments → the request, without sending anything.

`plan` decides method, path, query and body; `build` turns that into an `httpx.Request` for a connection; `preview` shows what
will be sent with every secret redacted. All three are pure: the same input gives the same output.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

import httpx
import msgspec

from registry import __version__
from registry.accounts.connection import Endpoint
from registry.accounts.secrets import MASK, texts_in
from registry.calling import styles
from registry.calling.arguments import ArgumentError, Arguments, Value, rest_of
from registry.calling.bodies import FilePath, Writing, content_of, files_in, part_files, shown
from registry.calling.styles import pairs_of, text_of
from registry.catalog.model import BODY_METHODS, Parameter, ParameterLocation, Style, Tool
from registry.catalog.path_template import filled
from registry.json_text.values import Exact, is_null

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
        body: its properties by name; None for a request without a body.
        host: which of the service's hosts it goes to.
        headers: those from arguments.
        cookies: pairs of the Cookie header.
        writing: how the body is written.
        secret: location and name of each secret argument.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, Value] | None = None
    host: str = "api"
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    writing: Writing = field(default_factory=Writing)
    secret: frozenset[tuple[ParameterLocation, str]] = frozenset()
    in_path: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def secret_in(self, place: ParameterLocation) -> frozenset[str]:
        """Names of the secret arguments in a location."""
        return frozenset(name for where, name in self.secret if where == place)

    @property
    def has_files(self) -> bool:
        """Whether files are sent, so that `build` reads them and blocks."""
        return self.body is not None and files_in(self.body)

    def url(self, endpoint: Endpoint, *, masked: bool = False) -> str:
        """The whole address at an endpoint, including a credential sent in the query; for display, secret values redacted."""
        path = self.path
        if masked and (hidden := self.secret_in("path")):
            for value in (value for name, value in self.in_path if name in hidden and value):
                path = path.replace(quote(value, safe=""), MASK)
        for start, other in endpoint.moved:
            if (path + "/").startswith(start + "/"):
                path = other + path.removeprefix(start)
                break
        pairs = []
        for name, value in self.query:
            shown = MASK if masked and ("query", name) in self.secret else quote(value, safe=_SAFE_IN_QUERY)
            pairs.append(f"{quote(name, safe=_SAFE_IN_QUERY)}={shown}")
        pairs += [f"{quote(name, safe='')}={MASK if masked else quote(value, safe='')}" for name, value in endpoint.query]
        return endpoint.addresses[self.host] + path + ("?" + "&".join(pairs) if pairs else "")

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values of the secret arguments."""
        members = tuple((self.body or {}).items())
        places: tuple[tuple[ParameterLocation, tuple[tuple[str, Value], ...]], ...] = (
            ("path", self.in_path),
            ("query", self.query),
            ("header", self.headers),
            ("cookie", self.cookies),
            ("body", members),
        )
        values = [
            value for place, pairs in places for name, value in pairs if (place, name) in self.secret and not is_null(value)
        ]
        return tuple(dict.fromkeys(text for value in values for text in texts_in(value)))

    def with_query(self, *pairs: tuple[str, str]) -> PlannedRequest:
        """The same request with these pairs replacing those with the same names."""
        names = {name for name, _ in pairs}
        return replace(self, query=tuple(pair for pair in self.query if pair[0] not in names) + pairs)


class Preview(msgspec.Struct, frozen=True):
    """What will be sent, ready to show: method, address, headers and body, secrets redacted."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str | None


def plan(tool: Tool, arguments: Arguments) -> PlannedRequest:
    """The request of a tool for these arguments.

    Raises:
        ArgumentError: the arguments are invalid.
    """
    if arguments.errors:
        raise ArgumentError(tool.name, arguments.errors)
    return outline(tool, arguments)


def outline(tool: Tool, arguments: Arguments) -> PlannedRequest:
    """Like `plan`, for arguments that may be incomplete: a missing path argument is shown as ``{name}``. For showing only."""
    in_path: dict[str, str] = {}
    query: list[tuple[str, str]] = []
    headers: list[tuple[str, str]] = []
    cookies: list[tuple[str, str]] = []
    body: dict[str, Value] = {}
    secret: set[tuple[ParameterLocation, str]] = set()
    encoded: set[str] = set()
    by_style: dict[str, Style] = {}
    wrong = {error.parameter for error in arguments.errors}
    whole = _whole(tool, arguments.values, wrong)
    for parameter in tool.parameters:
        value = arguments.values.get(parameter.name, _default(parameter))
        name = parameter.wire_name
        if value is None or name is None or parameter.name in wrong or (value is False and not parameter.sends_no):
            continue
        if parameter.role == "secret":
            secret.add((parameter.place, name))
        match parameter.place:
            case "path" if parameter.style is not None:
                in_path[name] = styles.in_path(name, _on_wire(parameter, value), parameter.style)
                encoded.add(name)
            case "path":
                in_path[name] = text_of(_on_wire(parameter, value))
            case "query":
                query += _query_pairs(tool, parameter, name, value)
            case "header":
                headers.append((name, styles.in_header(_on_wire(parameter, value), parameter.style)))
            case "cookie":
                pairs = styles.styled_pairs(name, _on_wire(parameter, value), parameter.style or "comma")
                cookies += [(key, text_of(one)) for key, one in pairs]
            case "body" if whole is not None:
                pass
            case "body" if parameter.style == "members":
                members = value if isinstance(value, Mapping) else {}
                body |= members
                by_style |= {key: "json" for key, one in members.items() if _is_nested(one)}
            case "body":
                body[name] = _in_body(parameter, value)
                if parameter.style is not None:
                    by_style[name] = parameter.style
    kind = tool.body_kind
    writing = Writing(kind or "json", tool.content_type, tool.nested, by_style)
    if whole is not None:
        body, writing = whole, Writing("raw", writing.media_type, tool.nested, dict.fromkeys(whole, "json"))
    # With methods that usually have no body, one is sent only if it has content.
    has_body = kind is not None and (tool.method in BODY_METHODS or bool(body))
    return PlannedRequest(
        tool.method,
        filled(tool.path, in_path, encoded),
        (*tool.fixed_query, *query),
        body if has_body else None,
        tool.host,
        tuple(headers),
        tuple(cookies),
        writing,
        frozenset(secret),
        tuple(in_path.items()),
    )


def build(planned: PlannedRequest, endpoint: Endpoint) -> httpx.Request:
    """The request itself, with address and credentials.

    Raises:
        FileUnreadable: a file to send cannot be read.
    """
    headers = {"User-Agent": user_agent(endpoint), **headers_of(planned, endpoint)}
    url, writing = planned.url(endpoint), planned.writing
    if planned.body is None:
        return httpx.Request(planned.method, url, headers=headers)
    if writing.kind == "multipart":
        parts = part_files(planned.body, writing)
        # Without parts a boundary is needed, too, and httpx adds one only for files.
        request = httpx.Request(planned.method, url, headers=headers, files=parts or [("", (None, ""))])
        request.read()
        return request
    headers["Content-Type"] = writing.media_type
    return httpx.Request(planned.method, url, headers=headers, content=content_of(planned.body, writing))


def user_agent(endpoint: Endpoint) -> str:
    """The User-Agent header: the program, and the toolkit where its version is valid in a header."""
    toolkit, version = endpoint.service.toolkit, endpoint.service.version or ""
    return f"{USER_AGENT} {toolkit}/{version}" if _VERSION.fullmatch(version) else USER_AGENT


def preview(planned: PlannedRequest, endpoint: Endpoint) -> Preview:
    """What `build` would send, with every secret redacted."""
    headers = {"User-Agent": user_agent(endpoint), **headers_of(planned, endpoint, masked=True)}
    body = None
    if planned.body is not None:
        headers["Content-Type"] = planned.writing.media_type
        body = shown(planned.body, planned.writing, planned.secret_in("body"))
    return Preview(planned.method, planned.url(endpoint, masked=True), headers, body)


def headers_of(planned: PlannedRequest, endpoint: Endpoint, *, masked: bool = False) -> dict[str, str]:
    """The headers of a request, without User-Agent and Content-Type.

    An argument's header replaces one that the service always gets (an API version, what is accepted), but never the one that
    carries the credential. Cookies are added to those of the connection.

    Args:
        planned: the request.
        endpoint: where it goes.
        masked: redact secrets, for display.
    """
    found = endpoint.headers(masked=masked)
    carriers = {name.lower() for name, value in endpoint.headers(masked=True).items() if MASK in value}
    names = {name.lower(): name for name in found}
    for name, value in planned.headers:
        if name.lower() not in carriers:
            found[names.get(name.lower(), name)] = MASK if masked and ("header", name) in planned.secret else value
    if planned.cookies:
        pairs = [(name, MASK if masked and ("cookie", name) in planned.secret else value) for name, value in planned.cookies]
        own = names.get("cookie", "Cookie")
        found[own] = "; ".join([*([found[own]] if own in found else []), *(f"{name}={value}" for name, value in pairs)])
    return found


def _default(parameter: Parameter) -> Value | None:
    if parameter.place in ("path", "local"):
        return None
    default = parameter.wire_default if parameter.default is None else parameter.default
    return Exact(repr(default)) if isinstance(default, float) else default


def _whole(tool: Tool, values: Mapping[str, Value], wrong: Collection[str]) -> dict[str, Value] | None:
    """A body that is not an object, under the name of its parameter; None if the body has properties."""
    rest = rest_of(tool)
    value = values.get(rest.name) if rest is not None and rest.name not in wrong else None
    if rest is None or value is None or isinstance(value, Mapping):
        return None
    return {str(rest.wire_name): value}


def _is_nested(value: Value) -> bool:
    """Whether a form has no style for a value: an object, or a list that contains an object or a list."""
    return isinstance(value, Mapping) or (isinstance(value, tuple) and any(isinstance(one, tuple | Mapping) for one in value))


def _in_body(parameter: Parameter, value: Value) -> Value:
    """A value of the body; paths of files become `FilePath`, also inside a list."""
    if parameter.format == "file" and isinstance(value, str):
        return FilePath(value)
    if parameter.items is not None and parameter.items.format == "file" and isinstance(value, tuple):
        return tuple(FilePath(one) if isinstance(one, str) else one for one in value)
    return value


def _query_pairs(tool: Tool, parameter: Parameter, name: str, value: Value) -> list[tuple[str, str]]:
    if parameter.style is not None:
        pairs = styles.styled_pairs(name, _on_wire(parameter, value), parameter.style)
        return [(key, text_of(one)) for key, one in pairs]
    if parameter.is_structured:
        return [(key, text_of(one)) for key, one in pairs_of(name, value, tool.nested)]
    if not isinstance(value, tuple):
        return [(name, text_of(_on_wire(parameter, value)))]
    texts = [text_of(one) for one in value]
    return [(name, ",".join(texts))] if tool.arrays == "comma" and texts else [(name, text) for text in texts]


def _on_wire(parameter: Parameter, value: Value) -> Value:
    return parameter.on_wire(value) if isinstance(value, str) and not isinstance(value, Exact) else value
