"""Validates a ``service.json``: its types, and the rules that keep an untrusted toolkit from doing harm.

The file says where requests go and what credentials they carry. So it may read only environment variables that begin with its
own name, send only over https (or to this machine), and set no header that controls the framing or routing of a message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from registry.catalog.checking import faults_of_types, paging_faults
from registry.catalog.parameter_rules import Fault
from registry.catalog.problems import UNFIT, CatalogProblem, unfit
from registry.catalog.service import Authentication, Service, SignIn

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_RESERVED = ("sandbox", "callboard")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_ANY_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DOMAIN = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}")
_PATH = re.compile(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")
_SECURE_ADDRESS = re.compile(
    r"(https://[a-z0-9.-]+|http://(localhost|127\.0\.0\.1|\[::1\]))(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?", re.IGNORECASE
)
_OWN_PARAMETERS = {"response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"}
_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
_FRAMING = {"connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"}


def checked_service(
    content: Any, file: str, problems: list[CatalogProblem], line_of: Callable[[str], int] = lambda _field: 0
) -> Service | None:
    """The service that a file declares; None if it is invalid, and its errors are added to `problems`.

    Args:
        content: the file's content, as JSON values.
        file: its name in messages.
        problems: gets the errors.
        line_of: the line of a field; 0 if it is not known.
    """
    service: Service | None = None
    found: Iterable[Fault]
    if not isinstance(content, dict):
        found = [("", "must be an object")]
    else:
        entry = {name: value for name, value in content.items() if name != "$schema"}
        if (field := unfit(entry)) is not None:
            found = [(field, UNFIT)]
        else:
            try:
                service = _validator().validate_json(json.dumps(entry))
            except ValidationError as error:
                found = faults_of_types(error, entry, _validator())
            else:
                found = _faults(service)
    faults = [CatalogProblem(file, "", field, rule, line_of(field)) for field, rule in found]
    problems += faults
    return None if faults else service


@cache
def _validator() -> TypeAdapter[Service]:
    """Cached: building it takes longer than everything that it checks in most toolkits."""
    return TypeAdapter(Service)


def _faults(service: Service) -> Iterator[Fault]:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]{0,99}", service.toolkit):
        yield "toolkit", "must be letters and digits, a capital first"
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,39}", service.name) or service.name in _RESERVED:
        yield "name", f"must be lower-case letters, digits, - and _, a letter first, and none of {', '.join(_RESERVED)}"
    for field in ("title", "summary"):
        if not getattr(service, field):
            yield field, "must not be empty"
    if service.docs is not None and urlsplit(service.docs).scheme != "https":
        yield "docs", "must be an https address"
    for number, domain in enumerate(service.links):
        if not _DOMAIN.fullmatch(domain):
            yield f"links.{number}", "must be a domain such as vendor.example"
    if service.type_prefix and not re.fullmatch(r"[a-z]{2,20}_", service.type_prefix):
        yield "type_prefix", "must be lower-case letters and an underscore at the end"
    yield from _hosts(service)
    if service.mcp is not None and (wrong := [one for one in service.mcp.environment if not _ANY_VARIABLE.fullmatch(one)]):
        yield "mcp.environment", f"must be names of environment variables; got {wrong[0]!r}"
    yield from _variables(service)
    yield from _authentication(service)
    yield from _accounts(service)
    for name, value in service.request.headers.items():
        yield from _header(f"request.headers.{name}", name)
        if not value.isascii() or not value.isprintable():
            yield f"request.headers.{name}", "must be printable ASCII"
    for prefix in service.request.moved.values():
        if not _PATH.fullmatch(prefix):
            yield "request.moved", "must map an environment variable to a path such as /settings/v3/users"
    for kind, paging in service.response.paging.items():
        yield from paging_faults(f"response.paging.{kind}", paging)
    for field, names in _response_headers(service):
        if wrong := [name for name in names if name != name.lower() or not _TOKEN.fullmatch(name)]:
            yield field, f"must be header names in lower-case letters; got {wrong[0]!r}"


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
                yield (
                    f"hosts.{name}.{field}",
                    "must be an https address without a slash at its end (plain http for localhost only)",
                )
        if host.sandbox is not None and not _PATH.fullmatch(host.sandbox):
            yield f"hosts.{name}.sandbox", "must be a path such as /crm/v2"


def _is_base(address: str) -> bool:
    """Whether credentials may be sent to an address."""
    try:
        parts = urlsplit(address)
        secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
        plain = not (parts.username or parts.password or parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        return False
    return bool(secure and plain and parts.hostname) and not address.endswith("/")


def _accounts(service: Service) -> Iterator[Fault]:
    """The declarations for accounts: identity, headers, permissions."""
    if service.identity is not None and not _PATH.fullmatch(service.identity.path):
        yield "identity.path", "must be a path such as /users/me"
    for field in ("version_header", "account_header"):
        if (header := getattr(service.request, field)) is not None:
            yield from _header(f"request.{field}", header)
    for number, shape in enumerate(service.response.errors):
        if shape.permission_pattern is not None:
            try:
                fits = re.compile(shape.permission_pattern).groups == 1
            except re.error:
                fits = False
            if not fits:
                yield f"response.errors.{number}.permission_pattern", "must be a regular expression with one group"


def _variables(service: Service) -> Iterator[Fault]:
    start = re.sub(r"[^A-Z0-9]", "_", service.name.upper()) + "_"
    for variable in service.variables:
        if not _VARIABLE.fullmatch(variable) or not variable.startswith(start):
            yield "authentication", f"an environment variable of this service must begin with {start}; got {variable!r}"


def _authentication(service: Service) -> Iterator[Fault]:
    if not service.authentication:
        yield "authentication", "needs at least one way; the kind none means that no credential is needed"
    for number, way in enumerate(service.authentication):
        field = f"authentication.{number}"
        if (way.variable is None) != (way.kind == "none"):
            yield f"{field}.variable", "is required unless the kind is none, and not allowed otherwise"
        if (way.user_variable is None) != (way.kind != "basic"):
            yield f"{field}.user_variable", "is required for the kind basic, and not allowed otherwise"
        yield from _way(field, way)


def _way(field: str, way: Authentication) -> Iterator[Fault]:
    if way.kind == "header":
        yield from _header(f"{field}.name", way.name)
    elif way.kind in ("query", "cookie") and not can_carry(way.kind, way.name):
        yield f"{field}.name", f"is required for the kind {way.kind}"
    if not way.scheme.isascii() or not way.scheme.isprintable():
        yield f"{field}.scheme", "must be printable ASCII"
    if way.beside and (way.kind in ("basic", "none") or way.sign_in is not None):
        yield f"{field}.beside", "belongs to a credential in a header, a query or a cookie that nobody signs in for"
    for one in way.beside:
        if one.kind == "header":
            yield from _header(f"{field}.beside.name", one.name)
        elif not _TOKEN.fullmatch(one.name):
            yield f"{field}.beside.name", f"is required for the kind {one.kind}"
    if len({name.lower() for name in way.carriers}) < len(way.carriers):
        yield f"{field}.beside.name", "appears twice"
    if way.sign_in is not None:
        if (way.kind, way.scheme) != ("header", "Bearer "):
            yield f"{field}.sign_in", "gives a token for a header with the scheme Bearer (RFC 6750), and for nothing else"
        yield from _sign_in(f"{field}.sign_in", way.sign_in)


def _sign_in(field: str, sign_in: SignIn) -> Iterator[Fault]:
    for name in ("authorize", "token", "revoke"):
        address, path = getattr(sign_in.addresses, name), getattr(sign_in.sandbox, name, None)
        if address is not None and not _SECURE_ADDRESS.fullmatch(address):
            yield f"{field}.addresses.{name}", "must be an https address without a query (plain http for this machine only)"
        if path is not None and not _PATH.fullmatch(path):
            yield f"{field}.sandbox.{name}", "must be a path such as /identity/crm/oauth/token"
    wide = [scope for pair in sign_in.includes.items() for scope in (pair[0], *pair[1])]
    for scope in (*sign_in.scopes, *sign_in.scopes_without_secret, *sign_in.always, *wide):
        if not _SCOPE.fullmatch(scope):
            yield f"{field}.scopes", f"a scope has no blanks, quotes or backslashes (RFC 6749, 3.3); got {scope!r}"
    if fixed := sorted(_OWN_PARAMETERS.intersection(sign_in.parameters)):
        yield f"{field}.parameters.{fixed[0]}", "is decided by each sign-in"
    if not sign_in.scopes:
        yield f"{field}.scopes", "must name what is asked for"
    if not _PATH.fullmatch(sign_in.redirect_path):
        yield f"{field}.redirect_path", "must be a path such as /callback"
    if not sign_in.ports or not all(1024 <= port < 65_536 for port in sign_in.ports):
        yield f"{field}.ports", "must be one or more numbers from 1024 to 65535"
    if sign_in.code_lifetime is not None and sign_in.code_lifetime <= 0:
        yield f"{field}.code_lifetime", "must be a number of seconds"
    if sign_in.issuer is not None and not sign_in.issuer.startswith("https://"):
        yield f"{field}.issuer", "must be an https address"
    if sign_in.register is not None and urlsplit(sign_in.register).scheme != "https":
        yield f"{field}.register", "must be an https address"


def can_carry(place: str, name: str) -> bool:
    """Whether a header, a query pair or a cookie with this name can carry a credential."""
    if not _TOKEN.fullmatch(name):
        return False
    return name.lower() not in _FRAMING if place == "header" else name != "Authorization"


def _header(field: str, name: str) -> Iterator[Fault]:
    if not can_carry("header", name):
        yield field, "must be a header name, but not one that controls framing or routing"


def _response_headers(service: Service) -> Iterator[tuple[str, Iterable[str]]]:
    response = service.response
    yield "response.request_id", response.request_id
    for limit in response.limits:
        yield "response.limits", [name for name in (limit.left, limit.most, limit.reset) if name]
    retry = response.retry
    single = [name for name in (retry.decides, retry.reason) if name]
    lists = (retry.seconds, retry.seconds_when_limited, retry.milliseconds_when_limited)
    yield "response.retry", [*single, *(name for names in lists for name in names)]
    yield "response.paging", [paging.total_header for paging in response.paging.values() if paging.total_header]
