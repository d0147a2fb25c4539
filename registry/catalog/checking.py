"""Validates services and tools from elsewhere against their types and rules.

An invalid tool is left out, and the problem names the file, the tool and the field; all other tools are used.

A ``service.json`` says where requests go and what credentials they carry. So it may read only environment variables that begin
with its own name, send only over https (or to this machine), and set no header that controls a message's framing or routing.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import msgspec
from pydantic import TypeAdapter, ValidationError

from registry.catalog.folders import UNFIT, CatalogProblem, converted, in_words, unfit
from registry.catalog.model import BODILESS_METHODS, Tool, fault_of, placeholders
from registry.catalog.parameter_rules import TOKEN, Fault, broken, faults_of_parameter
from registry.catalog.service import LOOPBACK, Authentication, Paging, Service

_RESERVED = ("sandbox", "callboard")
_OWN_PARAMETERS = {"response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"}
_FRAMING = {"connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"}
_NO_HEADER = "must be a header name, but not one that controls framing or routing"

_Rule = tuple[re.Pattern[str], str]
"""What a text must match, and the same in words."""

_FORMS: dict[str, _Rule] = {
    "printable": (re.compile(r"[ -~]*"), "must be printable ASCII"),
    "not empty": (re.compile(r".+", re.DOTALL), "must not be empty"),
    "https": (re.compile(r"https://.+", re.IGNORECASE), "must be an https address"),
    "path": (re.compile(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+"), "must be a path such as /users/me"),
    "header": (re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]+"), "must be a header name in lower-case letters"),
    "toolkit": (re.compile(r"[A-Z][A-Za-z0-9]{0,99}"), "must be letters and digits, a capital first"),
    "name": (
        re.compile(rf"(?!(?:{'|'.join(_RESERVED)})$)[a-z][a-z0-9_-]{{0,39}}"),
        f"must be lower-case letters, digits, - and _, a letter first, and none of {', '.join(_RESERVED)}",
    ),
    "domain": (re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}"), "must be a domain such as vendor.example"),
    "prefix": (re.compile(r"([a-z]{2,20}_)?"), "must be lower-case letters and an underscore at the end"),
    "variable": (re.compile(r"[A-Za-z_][A-Za-z0-9_]*"), "must be the name of an environment variable"),
    "secure": (
        re.compile(r"(https://[a-z0-9.-]+|http://(localhost|127\.0\.0\.1|\[::1\]))(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?", re.I),
        "must be an https address without a query (plain http for this machine only)",
    ),
    # RFC 6749, 3.3
    "scope": (re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+"), "a scope has no blanks, quotes or backslashes"),
}


def checked_service(content: Any, file: str, problems: list[CatalogProblem]) -> Service | None:
    """The service that a file declares; None if it is invalid, and its errors are added to `problems`.

    Args:
        content: the file's content, as JSON values.
        file: its name in messages.
        problems: gets the errors.
    """
    entry = {name: value for name, value in content.items() if name != "$schema"} if isinstance(content, dict) else content
    service, found = checked(entry, _validator(Service))
    faults = list(found if service is None else _faults(service))
    problems += [CatalogProblem(file, "", *fault) for fault in faults]
    return None if faults else service


def _faults(service: Service) -> Iterator[Fault]:
    start = re.sub(r"[^A-Z0-9]", "_", service.name.upper()) + "_"
    own: _Rule = re.compile(rf"{start}[A-Z0-9_]*"), f"an environment variable of this service must begin with {start}"
    for field, form, *texts in (*_texts(service), ("authentication", "own", *service.variables)):
        pattern, rule = _FORMS.get(str(form), own)
        yield from ((str(field), f"{rule}; got {text!r}") for text in texts if text is not None and not pattern.fullmatch(text))
    own_headers = {"version_header": service.request.version_header, "account_header": service.request.account_header}
    headers = [*((f"headers.{name}", name) for name in service.request.headers), *own_headers.items()]
    patterns = [shape.permission_pattern for shape in service.response.errors]
    no_way = "needs at least one way; the kind none means that no credential is needed"
    yield from broken(
        ("hosts", "api" not in service.hosts, "needs one named api"),
        ("authentication", not service.authentication, no_way),
        *((f"request.{field}", name is not None and not can_carry("header", name), _NO_HEADER) for field, name in headers),
        *(
            (
                f"response.errors.{place}.permission_pattern",
                not _has_one_group(one),
                "must be a regular expression with one group",
            )
            for place, one in enumerate(patterns)
            if one is not None
        ),
    )
    yield from _hosts(service)
    for number, way in enumerate(service.authentication):
        yield from ((f"authentication.{number}.{field}", rule) for field, rule in _faults_of_way(way))
    for kind, paging in service.response.paging.items():
        yield from paging_faults(f"response.paging.{kind}", paging)


def _texts(service: Service) -> list[tuple[str | None, ...]]:
    """The texts that must have a form: field, form, and the texts; None is no text."""
    response, retry = service.response, service.response.retry
    waits = (*retry.seconds, *retry.seconds_when_limited, *retry.milliseconds_when_limited)
    found: list[tuple[str | None, ...]] = [
        ("toolkit", "toolkit", service.toolkit),
        ("name", "name", service.name),
        ("title", "not empty", service.title),
        ("summary", "not empty", service.summary),
        ("docs", "https", service.docs),
        ("type_prefix", "prefix", service.type_prefix),
        *((f"links.{number}", "domain", domain) for number, domain in enumerate(service.links)),
        ("mcp.environment", "variable", *(service.mcp.environment if service.mcp is not None else ())),
        ("identity.path", "path", service.identity.path if service.identity is not None else None),
        *((f"request.headers.{name}", "printable", value) for name, value in service.request.headers.items()),
        ("request.moved", "path", *service.request.moved.values()),
        *((f"hosts.{name}.sandbox", "path", host.sandbox) for name, host in service.hosts.items()),
        ("response.request_id", "header", *response.request_id),
        ("response.limits", "header", *(name for limit in response.limits for name in (limit.left, limit.most, limit.reset))),
        ("response.retry", "header", *waits, retry.decides, retry.reason),
        ("response.paging", "header", *(paging.total_header for paging in response.paging.values())),
    ]
    for number, way in enumerate(service.authentication):
        found += [
            (f"authentication.{number}.scheme", "printable", way.scheme, *(one.scheme for one in way.beside)),
            (f"authentication.{number}.token_url", "secure", way.token_url),
        ]
        if (one := way.sign_in) is not None:
            field, there = f"authentication.{number}.sign_in", one.addresses
            wide = [scope for wider, scopes in one.includes.items() for scope in (wider, *scopes)]
            found += [
                (f"{field}.addresses.authorize", "secure", there.authorize),
                (f"{field}.addresses.token", "secure", there.token),
                (f"{field}.addresses.revoke", "secure", there.revoke),
                (f"{field}.scopes", "scope", *one.scopes, *one.scopes_without_secret, *one.always, *wide),
                (f"{field}.redirect_path", "path", one.redirect_path),
                (f"{field}.register", "https", one.register),
            ]
    return found


def _has_one_group(pattern: str) -> bool:
    try:
        return re.compile(pattern).groups == 1
    except re.error:
        return False


def _hosts(service: Service) -> Iterator[Fault]:
    if service.mcp is not None and service.mcp.command:
        usual = {name: host.usual for name, host in service.hosts.items()}
        is_other = usual != {"api": f"mcp://{service.name}"}
        return broken(("hosts", is_other, f"of a program that speaks MCP are one: api, at mcp://{service.name}"))
    words = "must be an https address without a slash at its end (plain http for localhost only)"
    addresses = {
        f"hosts.{name}.{field}": address
        for name, host in service.hosts.items()
        for field, address in (("usual", host.usual), *((f"regions.{one}", there) for one, there in host.regions.items()))
    }
    return broken(*((field, not _is_base(address), words) for field, address in addresses.items()))


def _is_base(address: str) -> bool:
    """Whether credentials may be sent to an address."""
    try:
        parts = urlsplit(address)
        secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
        plain = not (parts.username or parts.password or parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        return False
    return bool(secure and plain and parts.hostname) and not address.endswith("/")


def _faults_of_way(way: Authentication) -> Iterator[Fault]:
    carriers = [("name", way.kind, way.name), *(("beside.name", one.kind, one.name) for one in way.beside)]
    is_twice = len({name.lower() for name in way.carriers}) < len(way.carriers)
    is_alone = way.kind == "none" or way.sign_in is not None
    beside = "belongs to a credential that nobody signs in for"
    is_client = way.token_url is not None
    yield from broken(
        ("variable", (way.variable is None) != (way.kind == "none"), "is required, but not allowed for the kind none"),
        (
            "user_variable",
            (way.user_variable is None) != (way.kind != "basic" and not is_client),
            "is required for the kind basic and with token_url, and only there",
        ),
        ("token_url", is_client and way.kind != "header", "is for a token in a header"),
        *(
            (field, not can_carry(kind, name), _NO_HEADER if kind == "header" else f"is required for the kind {kind}")
            for field, kind, name in carriers
            if kind in ("header", "query", "cookie")
        ),
        ("beside", way.beside and is_alone, beside),
        ("beside.name", is_twice, "appears twice"),
    )
    if (one := way.sign_in) is not None:
        is_bearer = (way.kind, way.scheme) == ("header", "Bearer ")
        yield from broken(
            ("sign_in", not is_bearer, "gives a token for a header with the scheme Bearer (RFC 6750), and for nothing else"),
            *((f"sign_in.parameters.{name}", name in _OWN_PARAMETERS, "is decided by each sign-in") for name in one.parameters),
            ("sign_in.scopes", not one.scopes, "must name what is asked for"),
            (
                "sign_in.ports",
                not one.ports or not all(1024 <= port < 65_536 for port in one.ports),
                "must be from 1024 to 65535",
            ),
        )


def can_carry(place: str, name: str) -> bool:
    """Whether a header, a query pair or a cookie with this name can carry a credential."""
    if not TOKEN.fullmatch(name):
        return False
    return name.lower() not in _FRAMING if place == "header" else name != "Authorization"


_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]+/[a-zA-Z0-9.+*-]+(; ?[a-z-]+=[A-Za-z0-9._-]+)*")


class _Group(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    tools: list[Any]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    groups: list[_Group]
    schema_: str = msgspec.field(name="$schema", default="")


def checked_file(content: Any, file: str, service: Service, problems: list[CatalogProblem]) -> Iterator[Tool]:
    """The valid tools in a file with the groups of a toolkit; the errors in the rest of it are added to `problems`.

    Args:
        content: the file's content, as JSON values.
        file: its name in messages.
        service: the service that the tools belong to.
        problems: gets the errors.
    """
    try:
        groups = converted(content, _File).groups
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        place, rule = in_words(error) if isinstance(error, msgspec.ValidationError) else ("", UNFIT)
        problems.append(CatalogProblem(file, "", place.lstrip("."), rule))
        return
    for group in groups:
        shared = service.shared_by_tools | {"group": group.name}
        entries = [shared | entry if isinstance(entry, dict) else entry for entry in group.tools]
        yield from checked_tools(entries, file, service.hosts, problems)


def checked_tools(entries: Iterable[Any], file: str, hosts: Collection[str], problems: list[CatalogProblem]) -> Iterator[Tool]:
    """The valid tools of a service with some hosts; the errors of the others are added to `problems`.

    Args:
        entries: the tools, as in a file, with the fields that they share.
        file: the file's name in messages.
        hosts: the names of the service's hosts.
        problems: gets the errors.
    """
    for entry in entries:
        tool, found = checked(entry, _validator(Tool))
        faults = list(found if tool is None else _faults_of_tool(tool, hosts))
        name = entry.get("name") if isinstance(entry, dict) else None
        problems += [CatalogProblem(file, name if isinstance(name, str) else "", *fault) for fault in faults]
        if tool is not None and not faults:
            yield tool


def checked(entry: Any, validator: TypeAdapter[Any]) -> tuple[Any, list[Fault]]:
    """A JSON value as the validator's type, or None and what is wrong with it; unknown fields, often misspelt, first."""
    if (field := unfit(entry)) is not None:
        return None, [(field, UNFIT)]
    try:
        return validator.validate_json(json.dumps(entry)), []  # as JSON, because JSON has lists where the records have tuples
    except ValidationError as error:
        by_field: dict[str, list[str]] = {}
        for one in sorted(error.errors(), key=lambda one: one["type"] != _UNKNOWN):
            rule = {"missing": "is required", _UNKNOWN: "is not a field here"}.get(one["type"], one["msg"])
            rule = rule.replace("Input should be", "must be")
            by_field.setdefault(_field_of(entry, one["loc"]), []).append(rule)
        return None, [(field, ", or: ".join(dict.fromkeys(rules))) for field, rules in by_field.items()]


_UNKNOWN = "unexpected_keyword_argument"


@cache
def _validator(kind: type[Any]) -> TypeAdapter[Any]:
    """Cached: building it takes longer than checking dozens of tools."""
    return TypeAdapter(kind)


def _field_of(entry: Any, location: tuple[int | str, ...]) -> str:
    """The field of a fault, with parameters by name: ``parameters.customer_id.wire_name``."""
    parts: list[str] = []
    value = entry
    for step in location:
        if not isinstance(value, dict | list):
            break  # the rest names the types that the value could have had
        try:
            value = value[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            value = None
        name = value.get("name") if isinstance(step, int) and isinstance(value, dict) else None
        parts.append(name if isinstance(name, str) else str(step))
    return ".".join(parts)


def _faults_of_tool(tool: Tool, hosts: Collection[str]) -> Iterator[Fault]:
    names = [parameter.name for parameter in tool.parameters]
    named, in_path = set(placeholders(tool.path)), {str(one.wire_name) for one in tool.parameters if one.place == "path"}
    in_body = sum(parameter.place == "body" for parameter in tool.parameters)
    members = sum(parameter.style == "members" for parameter in tool.parameters)
    media, kind, paging = tool.content_type, tool.body_kind, tool.returns.paging
    is_media = media is None or (kind is not None and _MEDIA_TYPE.fullmatch(media))
    fault = fault_of(tool.path)
    yield from broken(
        ("name", not re.fullmatch(r"[A-Z][A-Za-z0-9]*", tool.name), "must be letters and digits, a capital first"),
        *((field, not getattr(tool, field), "must not be empty") for field in ("operation", "group", "summary")),
        ("path", fault, fault),
        ("path", named != in_path, f"has {sorted(named)}, and the path parameters are {sorted(in_path)}"),
        ("host", tool.host not in hosts, f"must be one of the service's hosts: {', '.join(hosts)}"),
        *((f"parameters.{name}", names.count(name) > 1, "appears twice") for name in sorted(set(names))),
        ("parameters", members > 1, "can have only one of the style members"),
        ("body", tool.body is not None and tool.method in BODILESS_METHODS, f"does not go with {tool.method}"),
        ("body", tool.body == "raw" and in_body != 1, "is raw, so exactly one parameter must be in the body"),
        ("content_type", tool.body == "raw" and media is None, "is required for a raw body"),
        ("content_type", not is_media, "must be a media type such as text/plain; charset=utf-8, for a tool with a body"),
        ("content_type", kind == "multipart" and not (media or "multipart/").startswith("multipart/"), "must be multipart/…"),
        ("use_instead", tool.deprecated != (tool.use_instead is not None), "is required for a deprecated tool, and only there"),
    )
    if paging is not None:
        yield from paging_faults("returns.paging", paging)
    for parameter in tool.parameters:
        for field, message in faults_of_parameter(parameter, tool):
            yield f"parameters.{parameter.name}.{field}", message


def paging_faults(field: str, paging: Paging) -> Iterator[Fault]:
    """Contradictions in the paging of a service or a tool."""
    counts = paging.more is not None or paging.total is not None or paging.total_header is not None
    is_cursor, is_offset = paging.style == "cursor", paging.style == "offset"
    return broken(
        (f"{field}.next", is_cursor and paging.next is None, "is required for the style cursor: where the next cursor is"),
        (f"{field}.more", is_offset and not counts, "or total is needed for the style offset"),
        (f"{field}.deepest", paging.deepest is not None and paging.deepest < 1, "must be at least 1"),
    )
