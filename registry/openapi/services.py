"""Converts servers, security schemes and common defaults to the ``service.json`` of a toolkit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from registry.accounts.addresses import without_secrets
from registry.catalog.checking_services import LOOPBACK, can_carry
from registry.openapi.document import Document, Node
from registry.openapi.guesses import Guess
from registry.openapi.plain_text import first_sentence, fits, pascal, plain, short, words_of

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_SCHEME = re.compile(
    r"\b((?:Token token|Bearer token|Token|Bearer|ApiKey|Api-Key|Key|GenieKey|Klaviyo-API-Key|SSWS|Apikey|apikey)\s*[= ])"
    r"['\"]?[<{\[]?(?:your|my|the|api|access|token|key|\w*_?(?:key|token))",
    re.IGNORECASE,
)
_ERRORS = [
    {
        "cause": ["error.message", "error.detail", "error.description", "error.title"],
        "type": ["error.type", "error.status"],
        "code": ["error.code"],
        "parameter": ["error.param", "error.field"],
        "details": ["error.errors", "error.details"],
    },
    {
        "cause": ["message", "detail", "error_description", "description", "title", "msg", "Message", "error"],
        "type": ["type", "error", "status"],
        "code": ["code", "error_code", "errorCode"],
        "details": ["errors", "details", "detail", "fields"],
    },
    {"cause": ["errors.[].message"], "code": ["errors.[].code"], "parameter": ["errors.[].field"]},
    {"cause": ["errors.[].detail"], "type": ["errors.[].title"], "code": ["errors.[].code"]},
]
_MOST_WAYS = 8
_CARRIERS = ("header", "query", "cookie")


def names_of(document: Document, wanted: str | None) -> tuple[str, str, str]:
    """The toolkit's name, the name of its account, and the title."""
    info = document.top.object("info")
    title = plain(info.get("title"), 60) or "API"
    base = wanted or re.sub(
        r"\b(the|apis?|rest|restful|openapi|swagger|specification|public|v\d[\d.]*|\d[\d.]*)\b", " ", title, flags=re.I
    )
    toolkit = pascal(base)[:60] or pascal(title)[:60] or "Toolkit"
    words = words_of(base) or words_of(title) or ["toolkit"]
    name = "-".join(words)[:32].strip("-").lstrip("0123456789-") or "toolkit"
    if name in ("sandbox", "callboard"):
        name += "-api"
    return toolkit, name, title


def hosts_of(document: Document, wanted: str | None) -> str:
    """The address that requests go to.

    Raises:
        DocumentRefused: the document names no usable address.
    """
    if wanted:
        return usable_address(wanted, document.top)
    for address, node in _addresses(document):
        whole = urljoin(document.name, address) if "://" in document.name else address
        if whole.startswith("//"):
            whole = "https:" + whole
        if whole.startswith(("https://", "http://")) and "{" not in whole:
            return usable_address(whole, node)
    raise document.top.refused("names no server that a request could go to (/servers); give one (--server https://…)")


def usable_address(address: str, node: Node) -> str:
    """An address as the base of requests: https, except for this machine; without a slash at the end.

    Raises:
        DocumentRefused: requests cannot be sent there.
    """
    try:
        parts = urlsplit(address.strip())
        host = parts.hostname
        _ = parts.port
    except ValueError:
        host = None
    if host is None or not re.fullmatch(r"[A-Za-z0-9.:-]{1,253}", host) or parts.username or parts.password:
        raise node.refused(
            f"{plain(without_secrets(address), 80)} is not an address for requests; give another one (--server https://…)"
        )
    scheme = "http" if parts.scheme == "http" and host in LOOPBACK else "https"
    place = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port else ""
    path = parts.path.rstrip("/")
    if not re.fullmatch(r"[A-Za-z0-9._~!$&'()*+,;=:@%/-]*", path):
        raise node.refused(f"{plain(address, 80)!r} has a path that cannot be sent; give another one (--server https://…)")
    return f"{scheme}://{place}{port}{path}"


def _addresses(document: Document) -> Iterator[tuple[str, Node]]:
    top = document.top
    if document.version == "2.0":
        host, base = top.text("host"), top.text("basePath")
        schemes = top.value.get("schemes")
        scheme = "http" if isinstance(schemes, list) and "https" not in schemes and "http" in schemes else "https"
        yield (f"{scheme}://{host}{base if base.startswith('/') or not base else '/' + base}" if host else base or "/"), top
        return
    found = False
    for server in top.listed("servers"):
        found = True
        yield _filled(server.resolved()), server
    if not found:
        yield "/", top


def _filled(server: Node) -> str:
    """A server's address with the defaults of its variables."""
    variables = server.object("variables")

    def value(match: re.Match[str]) -> str:
        known = variables.get(match[1])
        default = known.get("default") if isinstance(known, dict) else None
        if isinstance(known, dict) and default in (None, "") and isinstance(known.get("enum"), list) and known["enum"]:
            default = known["enum"][0]
        return str(default) if isinstance(default, str | int) else match[0]

    return _VARIABLE.sub(value, server.text("url")).strip()


def service_of(
    document: Document,
    names: tuple[str, str, str],
    address: str,
    scheme: str | None,
    guess: list[Guess],
    remark: Callable[[Node, str], None],
) -> dict[str, Any]:
    """The content of ``service.json``; guesses are appended to `guess`, and unsupported parts get a remark."""
    toolkit, name, title = names
    info = document.top.object("info")
    prefix = re.sub(r"[^A-Z0-9]", "_", name.upper()) + "_"
    version = info.get("version")
    docs = document.top.object("externalDocs").get("url") or info.get("termsOfService")
    service: dict[str, Any] = {
        "toolkit": toolkit,
        "name": name,
        "title": title,
        "summary": first_sentence(info.get("description")) or f"{title}.",
        "hosts": {"api": {"usual": address, "variable": f"{prefix}BASE_URL"}},
        "authentication": list(_authentication(document, prefix, scheme, guess, remark))[:_MOST_WAYS] or [{"kind": "none"}],
        "request": {"headers": {"Accept": "application/json"}, "exact": True},
        "response": {"errors": _ERRORS},
    }
    if isinstance(version, str) and fits(version) and len(version) <= 30:
        service["version"] = version
    if isinstance(docs, str) and docs.startswith("https://") and fits(docs) and " " not in docs:
        service["docs"] = docs
    return service


def _authentication(
    document: Document, prefix: str, scheme: str | None, guess: list[Guess], remark: Callable[[Node, str], None]
) -> Iterator[dict[str, Any]]:
    """The methods of authentication: those that the document requires first, then the others that it declares."""
    top = document.top
    declared = {child.key: child.resolved() for child in _schemes(document)}
    order: list[str] = []
    anybody = False
    taken: set[str] = set()
    done: set[str] = set()
    for requirement in _requirements(top):
        anybody |= requirement == {}
        names = [name for name in requirement if name in declared]
        if len(names) > 1 and not done.issuperset(names):
            done |= set(names)
            yield from _together([declared[name] for name in names], prefix, taken, scheme, guess, remark)
        order += names[:1] if len(names) == 1 else []
    for node in declared.values():
        if node.text("type") == "apiKey" and not can_carry(node.text("in"), node.text("name")):
            remark(node, f"no credential can travel under the name {short(node.text('name'))!r}, so it is left out")
    for key in dict.fromkeys([*order, *declared]):
        if key not in done and (way := _way(declared[key], prefix, taken, scheme, guess)) is not None:
            yield way
    if anybody or not declared:
        yield {"kind": "none"}


def _together(
    nodes: list[Node],
    prefix: str,
    taken: set[str],
    scheme: str | None,
    guess: list[Guess],
    remark: Callable[[Node, str], None],
) -> Iterator[dict[str, Any]]:
    """The method for a requirement with several schemes: all their credentials are sent with each request.

    One may be a token or OAuth; the others are keys. For other combinations only the first is sent, with a remark.
    """
    first = next((node for node in nodes if node.text("type") != "apiKey"), nodes[0])
    rest = [node for node in nodes if node is not first]
    way = _way(first, prefix, taken, scheme, guess)
    if way is None:
        return
    ways = [_way(node, prefix, taken, "", []) for node in rest if node.text("type") == "apiKey"]
    keys = {one["name"].lower(): one for one in ways if one is not None and one["name"].lower() != way.get("name", "").lower()}
    if way["kind"] == "basic" or len(keys) < len(rest):
        listed = f"{first.key} and {', '.join(node.key for node in rest)}"
        remark(first, f"is needed together with others ({listed}), which is not supported: only {first.key} is sent")
        yield way
        return
    names = [way.get("name", "Authorization"), *(one["name"] for one in keys.values())]
    yield way | {
        "title": f"{len(names)} credentials",
        "beside": [{name: one[name] for name in ("kind", "name", "variable")} for one in keys.values()],
        "note": f"All of them, with a space between: {', '.join(names)}.",
    }


def _schemes(document: Document) -> Iterator[Node]:
    if document.version == "2.0":
        yield from document.top.named("securityDefinitions")
    elif (components := document.top.get("components")) is not None:
        yield from components.named("securitySchemes")


def _requirements(top: Node) -> Iterator[dict[str, Any]]:
    """The security requirements of calls: the document's, or if it has none, those of its first operations."""
    given = top.value.get("security")
    if isinstance(given, list):
        yield from (one for one in given if isinstance(one, dict))
        return
    for path in list(top.named("paths"))[:20]:
        for operation in path.value.values() if isinstance(path.value, dict) else ():
            own = operation.get("security") if isinstance(operation, dict) else None
            if isinstance(own, list):
                yield from (one for one in own if isinstance(one, dict) and one)


def _way(node: Node, prefix: str, taken: set[str], scheme: str | None, guess: list[Guess]) -> dict[str, Any] | None:
    kind, note = node.text("type"), first_sentence(node.value.get("description") if isinstance(node.value, dict) else "")

    def variable(wanted: str) -> str:
        name, number = f"{prefix}{wanted}", 2
        while name in taken:
            name, number = f"{prefix}{wanted}_{number}", number + 1
        taken.add(name)
        return name

    http = node.text("scheme").lower()
    if kind == "basic" or (kind == "http" and http == "basic"):
        return {
            "kind": "basic",
            "title": "a user name and a password",
            "user_variable": variable("USER"),
            "variable": variable("PASSWORD"),
            "note": note,
        }
    if kind == "http" and http in ("bearer", ""):
        return {"kind": "header", "title": "a token", "variable": variable("TOKEN"), "note": note}
    if kind in ("oauth2", "openIdConnect"):
        scopes = [one for one in _scopes(node) if fits(one) and len(one) <= 200][:300]
        return {
            "kind": "header",
            "title": "an OAuth token",
            "variable": variable("OAUTH_TOKEN"),
            "scopes": scopes,
            "note": note or "A token that the service's OAuth gave.",
        }
    if kind == "http" and fits(node.text("scheme")):
        return {
            "kind": "header",
            "title": "a token",
            "scheme": f"{node.text('scheme')} ",
            "variable": variable("TOKEN"),
            "note": note,
        }
    if kind == "apiKey" and node.text("in") in _CARRIERS and can_carry(node.text("in"), node.text("name")):
        return _key(node, variable, scheme, guess, note)
    return None


def _key(node: Node, variable: Any, scheme: str | None, guess: list[Guess], note: str) -> dict[str, Any]:
    place, name = node.text("in"), node.text("name")
    way = {"kind": place, "title": "an API key", "name": name, "note": note}
    if place == "header":
        written = scheme
        if written is None:
            found = _SCHEME.search(node.text("description"))
            written = (
                found[1] if found is not None else "Bearer " if name.lower() == "authorization" and _is_bearer(node) else ""
            )
            if written:
                guess.append(
                    Guess(
                        "credential",
                        f"the credential is written after {written!r}",
                        f"the description of {node.pointer}",
                        value=written,
                    )
                )
        way["scheme"] = written
    return way | {"variable": variable("API_KEY")}


def _is_bearer(node: Node) -> bool:
    return "bearer" in node.text("description").lower()


def _scopes(node: Node) -> Iterator[str]:
    if isinstance(node.value.get("scopes"), dict):
        yield from node.value["scopes"]
    for flow in node.named("flows"):
        if isinstance(flow.value, dict) and isinstance(flow.value.get("scopes"), dict):
            yield from flow.value["scopes"]
