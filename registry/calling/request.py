"""Arguments → the request, without sending anything.

`plan` decides method, path, query and body; `build` makes the `httpx.Request` of it for a connection; `preview` tells what
will be sent with every secret masked. All three are pure: the same input gives the same output.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from registry.calling.arguments import ArgumentError, Arguments, Value
from registry.catalog.model import Parameter, Tool
from registry.connections.secrets import MASK

if TYPE_CHECKING:
    import httpx

    from registry.connections.profiles import Endpoint

USER_AGENT = "callboard/0.1.0"

# What httpx leaves as it is in a query; everything else is percent-encoded, as it would do itself.
_SAFE_IN_QUERY = "-._~/:@!$'()*;,?"


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """One request without its address and credentials.

    Attributes:
        method: HTTP method.
        path: percent-encoded path.
        query: pairs in the order in which they are sent.
        body: JSON members, or None for a request without a body.
        host: which of the service's hosts it goes to.
        secret_pairs: names of query pairs whose values are secrets.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, Any] | None = None
    host: str = "api"
    secret_pairs: frozenset[str] = frozenset()

    def url(self, endpoint: Endpoint, *, masked: bool = False) -> str:
        """The whole address at an endpoint, with a credential that travels there; secret values masked for showing."""
        path = self.path
        for start, other in endpoint.moved:
            if (path + "/").startswith(start + "/"):
                path = other + path.removeprefix(start)
                break
        pairs = []
        for name, value in self.query:
            shown = MASK if masked and name in self.secret_pairs else quote(value, safe=_SAFE_IN_QUERY)
            pairs.append(f"{quote(name, safe=_SAFE_IN_QUERY)}={shown}")
        pairs += [f"{quote(name, safe='')}={MASK if masked else quote(value, safe='')}" for name, value in endpoint.query]
        return endpoint.addresses[self.host] + path + ("?" + "&".join(pairs) if pairs else "")

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values of its secret pairs, as they are and as they stand in the address."""
        values = [value for name, value in self.query if name in self.secret_pairs]
        return tuple({text for value in values for text in (value, quote(value, safe=_SAFE_IN_QUERY))})

    def with_query(self, *pairs: tuple[str, str]) -> PlannedRequest:
        """The same request with these pairs in place of those of the same names."""
        names = {name for name, _ in pairs}
        return replace(self, query=tuple(pair for pair in self.query if pair[0] not in names) + pairs)


@dataclass(frozen=True, slots=True)
class Preview:
    """What will be sent, fit to be shown: method, address, headers and body, secrets masked."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str | None


def plan(tool: Tool, arguments: Arguments) -> PlannedRequest:
    """The request that a tool makes for these arguments.

    Raises:
        ArgumentError: something is wrong with the arguments.
    """
    if arguments.errors:
        raise ArgumentError(tool.name, arguments.errors)
    return outline(tool, arguments)


def outline(tool: Tool, arguments: Arguments) -> PlannedRequest:
    """Like `plan`, for arguments that may be incomplete: a missing path argument stands as ``{name}``. For showing only."""
    path = tool.path
    query: list[tuple[str, str]] = []
    body: dict[str, Any] = {}
    secret: set[str] = set()
    wrong = {error.parameter for error in arguments.errors}
    for parameter in tool.parameters:
        value = arguments.values.get(parameter.name, _default(parameter))
        name = parameter.wire_name
        if value is None or name is None or parameter.name in wrong:
            continue
        match parameter.place:
            case "path":
                path = path.replace("{" + name + "}", quote(str(value), safe=""))
            case "query":
                query += [(name, text) for text in _texts(parameter, value)]
                if parameter.role == "secret":
                    secret.add(name)
            case "body":
                body[name] = list(value) if isinstance(value, tuple) else value
    has_body = tool.method in ("POST", "PUT")
    return PlannedRequest(
        tool.method, path, (*tool.fixed_query, *query), body if has_body else None, tool.host, frozenset(secret)
    )


def build(planned: PlannedRequest, endpoint: Endpoint) -> httpx.Request:
    """The request itself, with address and credentials."""
    import httpx  # the screens show a first frame before this is needed

    headers = {"User-Agent": USER_AGENT, **endpoint.headers()}
    content = None
    if planned.body is not None:
        headers["Content-Type"] = "application/json"
        content = json.dumps(planned.body, ensure_ascii=False).encode()
    return httpx.Request(planned.method, planned.url(endpoint), headers=headers, content=content)


def preview(planned: PlannedRequest, endpoint: Endpoint) -> Preview:
    """What `build` would send, with every secret masked."""
    headers = {"User-Agent": USER_AGENT, **endpoint.headers(masked=True)}
    body = None
    if planned.body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(planned.body, ensure_ascii=False, indent=2)
    return Preview(planned.method, planned.url(endpoint, masked=True), headers, body)


def _default(parameter: Parameter) -> Value | None:
    if parameter.place not in ("query", "body"):
        return None
    return parameter.wire_default if parameter.default is None else parameter.default


def _texts(parameter: Parameter, value: Value) -> list[str]:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [parameter.on_wire(str(value))]
