"""Validates a ``service.json``: its types, and the rules that keep an untrusted toolkit from doing harm.

The file says where requests go and what credentials they carry. So it may read only environment variables that begin with its
own name, send only over https (or to this machine), and set no header that controls the framing or routing of a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from registry.catalog.checking import checked, paging_faults
from registry.catalog.parameter_rules import TOKEN, Fault
from registry.catalog.problems import CatalogProblem
from registry.catalog.service import Authentication, Service, SignIn

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_RESERVED = ("sandbox", "callboard")
_OWN_PARAMETERS = {"response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"}
_FRAMING = {"connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"}

_Rule = tuple[re.Pattern[str], str]
"""What a text must match, and the same in words."""

_PRINTABLE: _Rule = re.compile(r"[ -~]*"), "must be printable ASCII"
_NOT_EMPTY: _Rule = re.compile(r".+", re.DOTALL), "must not be empty"
_HTTPS: _Rule = re.compile(r"https://.+", re.IGNORECASE), "must be an https address"
_PATH: _Rule = re.compile(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+"), "must be a path such as /users/me"
_HEADER: _Rule = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]+"), "must be a header name in lower-case letters"
_TOOLKIT: _Rule = re.compile(r"[A-Z][A-Za-z0-9]{0,99}"), "must be letters and digits, a capital first"
_NAME: _Rule = (
    re.compile(rf"(?!(?:{'|'.join(_RESERVED)})$)[a-z][a-z0-9_-]{{0,39}}"),
    f"must be lower-case letters, digits, - and _, a letter first, and none of {', '.join(_RESERVED)}",
)
_DOMAIN: _Rule = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}"), "must be a domain such as vendor.example"
_PREFIX: _Rule = re.compile(r"([a-z]{2,20}_)?"), "must be lower-case letters and an underscore at the end"
_VARIABLE: _Rule = re.compile(r"[A-Za-z_][A-Za-z0-9_]*"), "must be the name of an environment variable"
_SECURE_ADDRESS: _Rule = (
    re.compile(r"(https://[a-z0-9.-]+|http://(localhost|127\.0\.0\.1|\[::1\]))(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?", re.I),
    "must be an https address without a query (plain http for this machine only)",
)
_SCOPE: _Rule = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+"), "a scope has no blanks, quotes or backslashes (RFC 6749, 3.3)"


def checked_service(content: Any, file: str, problems: list[CatalogProblem]) -> Service | None:
    """The service that a file declares; None if it is invalid, and its errors are added to `problems`.

    Args:
        content: the file's content, as JSON values.
        file: its name in messages.
        problems: gets the errors.
    """
    entry = {name: value for name, value in content.items() if name != "$schema"} if isinstance(content, dict) else content
    service, found = checked(entry, _validator())
    faults = list(found if service is None else _faults(service))
    problems += [CatalogProblem(file, "", *fault) for fault in faults]
    return None if faults else service


@cache
def _validator() -> TypeAdapter[Service]:
    """Cached: building it takes longer than everything that it checks in most toolkits."""
    return TypeAdapter(Service)


def _faults(service: Service) -> Iterator[Fault]:
    for field, text, (pattern, rule) in _texts(service):
        if text is not None and not pattern.fullmatch(text):
            yield field, f"{rule}; got {text!r}"
    yield from _hosts(service)
    yield from _authentication(service)
    for name in service.request.headers:
        yield from _header(f"request.headers.{name}", name)
    for field in ("version_header", "account_header"):
        if (header := getattr(service.request, field)) is not None:
            yield from _header(f"request.{field}", header)
    for number, shape in enumerate(service.response.errors):
        if shape.permission_pattern is not None and not _has_one_group(shape.permission_pattern):
            yield f"response.errors.{number}.permission_pattern", "must be a regular expression with one group"
    for kind, paging in service.response.paging.items():
        yield from paging_faults(f"response.paging.{kind}", paging)


def _texts(service: Service) -> Iterator[tuple[str, str | None, _Rule]]:
    """The texts that must have a form: field, text, rule."""
    yield "toolkit", service.toolkit, _TOOLKIT
    yield "name", service.name, _NAME
    yield "title", service.title, _NOT_EMPTY
    yield "summary", service.summary, _NOT_EMPTY
    yield "docs", service.docs, _HTTPS
    yield "type_prefix", service.type_prefix, _PREFIX
    for number, domain in enumerate(service.links):
        yield f"links.{number}", domain, _DOMAIN
    for variable in service.mcp.environment if service.mcp is not None else ():
        yield "mcp.environment", variable, _VARIABLE
    start = re.sub(r"[^A-Z0-9]", "_", service.name.upper()) + "_"
    own: _Rule = re.compile(rf"{start}[A-Z0-9_]*"), f"an environment variable of this service must begin with {start}"
    for variable in service.variables:
        yield "authentication", variable, own
    if service.identity is not None:
        yield "identity.path", service.identity.path, _PATH
    for name, value in service.request.headers.items():
        yield f"request.headers.{name}", value, _PRINTABLE
    for prefix in service.request.moved.values():
        yield "request.moved", prefix, _PATH
    for name, host in service.hosts.items():
        yield f"hosts.{name}.sandbox", host.sandbox, _PATH
    response, retry = service.response, service.response.retry
    waits = (*retry.seconds, *retry.seconds_when_limited, *retry.milliseconds_when_limited)
    for field, headers in (
        ("response.request_id", response.request_id),
        ("response.limits", [name for limit in response.limits for name in (limit.left, limit.most, limit.reset)]),
        ("response.retry", (*waits, retry.decides, retry.reason)),
        ("response.paging", [paging.total_header for paging in response.paging.values()]),
    ):
        for header in headers:
            yield field, header, _HEADER
    for number, way in enumerate(service.authentication):
        yield f"authentication.{number}.scheme", way.scheme, _PRINTABLE
        if way.sign_in is not None:
            yield from _texts_of_sign_in(f"authentication.{number}.sign_in", way.sign_in)


def _texts_of_sign_in(field: str, sign_in: SignIn) -> Iterator[tuple[str, str | None, _Rule]]:
    for name in ("authorize", "token", "revoke"):
        yield f"{field}.addresses.{name}", getattr(sign_in.addresses, name), _SECURE_ADDRESS
    wide = [scope for pair in sign_in.includes.items() for scope in (pair[0], *pair[1])]
    for scope in (*sign_in.scopes, *sign_in.scopes_without_secret, *sign_in.always, *wide):
        yield f"{field}.scopes", scope, _SCOPE
    yield f"{field}.redirect_path", sign_in.redirect_path, _PATH
    yield f"{field}.register", sign_in.register, _HTTPS


def _has_one_group(pattern: str) -> bool:
    try:
        return re.compile(pattern).groups == 1
    except re.error:
        return False


def _hosts(service: Service) -> Iterator[Fault]:
    if "api" not in service.hosts:
        yield "hosts", "needs one named api"
    if service.mcp is not None and service.mcp.command:
        if {name: host.usual for name, host in service.hosts.items()} != {"api": f"mcp://{service.name}"}:
            yield "hosts", f"of a program that speaks MCP are one: api, at mcp://{service.name}"
        return
    for name, host in service.hosts.items():
        for field, address in {"usual": host.usual, **{f"regions.{one}": there for one, there in host.regions.items()}}.items():
            if not _is_base(address):
                words = "must be an https address without a slash at its end (plain http for localhost only)"
                yield f"hosts.{name}.{field}", words


def _is_base(address: str) -> bool:
    """Whether credentials may be sent to an address."""
    try:
        parts = urlsplit(address)
        secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
        plain = not (parts.username or parts.password or parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        return False
    return bool(secure and plain and parts.hostname) and not address.endswith("/")


def _authentication(service: Service) -> Iterator[Fault]:
    if not service.authentication:
        yield "authentication", "needs at least one way; the kind none means that no credential is needed"
    for number, way in enumerate(service.authentication):
        for field, rule in _faults_of_way(way):
            yield f"authentication.{number}.{field}", rule


def _faults_of_way(way: Authentication) -> Iterator[Fault]:
    if (way.variable is None) != (way.kind == "none"):
        yield "variable", "is required unless the kind is none, and not allowed otherwise"
    if (way.user_variable is None) != (way.kind != "basic"):
        yield "user_variable", "is required for the kind basic, and not allowed otherwise"
    for field, kind, name in (("name", way.kind, way.name), *(("beside.name", one.kind, one.name) for one in way.beside)):
        if kind == "header":
            yield from _header(field, name)
        elif kind in ("query", "cookie") and not can_carry(kind, name):
            yield field, f"is required for the kind {kind}"
    if way.beside and (way.kind in ("basic", "none") or way.sign_in is not None):
        yield "beside", "belongs to a credential in a header, a query or a cookie that nobody signs in for"
    if len({name.lower() for name in way.carriers}) < len(way.carriers):
        yield "beside.name", "appears twice"
    if way.sign_in is None:
        return
    if (way.kind, way.scheme) != ("header", "Bearer "):
        yield "sign_in", "gives a token for a header with the scheme Bearer (RFC 6750), and for nothing else"
    if fixed := sorted(_OWN_PARAMETERS.intersection(way.sign_in.parameters)):
        yield f"sign_in.parameters.{fixed[0]}", "is decided by each sign-in"
    if not way.sign_in.scopes:
        yield "sign_in.scopes", "must name what is asked for"
    if not way.sign_in.ports or not all(1024 <= port < 65_536 for port in way.sign_in.ports):
        yield "sign_in.ports", "must be one or more numbers from 1024 to 65535"


def can_carry(place: str, name: str) -> bool:
    """Whether a header, a query pair or a cookie with this name can carry a credential."""
    if not TOKEN.fullmatch(name):
        return False
    return name.lower() not in _FRAMING if place == "header" else name != "Authorization"


def _header(field: str, name: str) -> Iterator[Fault]:
    if not can_carry("header", name):
        yield field, "must be a header name, but not one that controls framing or routing"
