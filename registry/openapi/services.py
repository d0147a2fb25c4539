"""Converts servers, security schemes and common defaults to the ``service.json`` of a toolkit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from registry.accounts.connection import without_secrets
from registry.catalog.checking import LOOPBACK, can_carry
from registry.openapi.conventions import CONVENTIONS
from registry.openapi.document import Document, Node, Omit
from registry.openapi.guesses import Guess
from registry.openapi.plain_text import first_sentence, fits, pascal, plain, short, unique, words_of

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_SCHEME = re.compile(
    r"\b((?:Token token|Bearer token|Token|Bearer|ApiKey|Api-Key|Key|GenieKey|Klaviyo-API-Key|SSWS|Apikey|apikey)\s*[= ])"
    r"['\"]?[<{\[]?(?:your|my|the|api|access|token|key|\w*_?(?:key|token))",
    re.IGNORECASE,
)
_MOST_WAYS = 8


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
    servers = list(top.listed("servers"))
    yield from ((_filled(server.resolved()), server) for server in servers)
    if not servers:
        yield "/", top


def _filled(server: Node) -> str:
    """A server's address with the defaults of its variables."""
    variables = server.object("variables")

    def value(match: re.Match[str]) -> str:
        known = variables.get(match[1])
        if not isinstance(known, dict):
            return match[0]
        default = known.get("default")
        if default in (None, "") and isinstance(known.get("enum"), list) and known["enum"]:
            default = known["enum"][0]
        return str(default) if isinstance(default, str | int) else match[0]

    return _VARIABLE.sub(value, server.text("url")).strip()


def service_of(
    document: Document,
    names: tuple[str, str, str],
    address: str,
    scheme: str | None,
    guess: list[Guess],
    omit: Omit,
) -> dict[str, Any]:
    """The content of ``service.json``; guesses are appended to `guess`, and unsupported parts get a remark."""
    toolkit, name, title = names
    info = document.top.object("info")
    ways = _Ways(document, prefix_of(name), scheme, guess, omit)
    version = info.get("version")
    docs = document.top.object("externalDocs").get("url") or info.get("termsOfService")
    service: dict[str, Any] = {
        "toolkit": toolkit,
        "name": name,
        "title": title,
        "summary": first_sentence(info.get("description")) or f"{title}.",
        "hosts": {"api": {"usual": address, "variable": f"{prefix_of(name)}BASE_URL"}},
        "authentication": list(ways.all())[:_MOST_WAYS] or [{"kind": "none"}],
        "request": {"headers": {"Accept": "application/json"}, "exact": True},
        "response": {"errors": CONVENTIONS["errors"]},
    }
    if isinstance(version, str) and fits(version) and len(version) <= 30:
        service["version"] = version
    if isinstance(docs, str) and docs.startswith("https://") and fits(docs) and " " not in docs:
        service["docs"] = docs
    return service


def prefix_of(name: str) -> str:
    """The prefix of a toolkit's environment variables, from the name of its account."""
    return re.sub(r"[^A-Z0-9]", "_", name.upper()) + "_"


class _Ways:
    """The methods of authentication of one document."""

    def __init__(self, document: Document, prefix: str, scheme: str | None, guess: list[Guess], omit: Omit) -> None:
        self._top = document.top
        self._prefix = prefix
        self._scheme = scheme
        self._guess = guess
        self._omit = omit
        self._taken: set[str] = set()
        holder = self._top if document.version == "2.0" else self._top.get("components")
        key = "securityDefinitions" if document.version == "2.0" else "securitySchemes"
        self._declared = {child.key: child.resolved() for child in holder.named(key)} if holder is not None else {}

    def all(self) -> Iterator[dict[str, Any]]:
        """Those that the document requires first, then the others that it declares."""
        order: list[str] = []
        done: set[str] = set()
        anybody = not self._declared
        for requirement in self._requirements():
            anybody |= requirement == {}
            names = [name for name in requirement if name in self._declared]
            if len(names) > 1 and not done.issuperset(names):
                done |= set(names)
                yield from self._together([self._declared[name] for name in names])
            order += names[:1] if len(names) == 1 else []
        for node in self._declared.values():
            if node.text("type") == "apiKey" and not can_carry(node.text("in"), node.text("name")):
                self._omit(node, f"no credential can travel under the name {short(node.text('name'))!r}, so it is left out")
        for key in dict.fromkeys([*order, *self._declared]):
            if key not in done and (way := self._way(self._declared[key])) is not None:
                yield way
        if anybody:
            yield {"kind": "none"}

    def _requirements(self) -> Iterator[dict[str, Any]]:
        """The security requirements of calls: the document's, or if it has none, those of its first operations."""
        given = self._top.value.get("security")
        if isinstance(given, list):
            yield from (one for one in given if isinstance(one, dict))
            return
        for path in list(self._top.named("paths"))[:20]:
            for operation in path.value.values() if isinstance(path.value, dict) else ():
                own = operation.get("security") if isinstance(operation, dict) else None
                yield from (one for one in own if isinstance(one, dict) and one) if isinstance(own, list) else ()

    def _together(self, nodes: list[Node]) -> Iterator[dict[str, Any]]:
        """The method for a requirement with several schemes: all their credentials are sent with each request.

        One may be a token or OAuth; the others are keys. For other combinations only the first is sent, with a remark.
        """
        first = next((node for node in nodes if node.text("type") != "apiKey"), nodes[0])
        rest = [node for node in nodes if node is not first]
        way = self._way(first)
        if way is None:
            return
        ways = [self._way(node, beside=True) for node in rest if node.text("type") == "apiKey"]
        named = (one for one in ways if one is not None and one["name"].lower() != way.get("name", "").lower())
        keys = {one["name"].lower(): one for one in named}
        if way["kind"] == "basic" or len(keys) < len(rest):
            listed = f"{first.key} and {', '.join(node.key for node in rest)}"
            self._omit(first, f"is needed together with others ({listed}), which is not supported: only {first.key} is sent")
            yield way
            return
        names = [way.get("name", "Authorization"), *(one["name"] for one in keys.values())]
        yield way | {
            "title": f"{len(names)} credentials",
            "beside": [{name: one[name] for name in ("kind", "name", "variable")} for one in keys.values()],
            "note": f"All of them, with a space between: {', '.join(names)}.",
        }

    def _way(self, node: Node, *, beside: bool = False) -> dict[str, Any] | None:
        """One scheme; None if it is not supported. `beside` another one, a key has no text before it."""
        kind, http, note = node.text("type"), node.text("scheme"), first_sentence(node.text("description"))
        if kind == "basic" or (kind == "http" and http.lower() == "basic"):
            title, user = "a user name and a password", self._variable("USER")
            return {"kind": "basic", "title": title, "user_variable": user} | self._noted("PASSWORD", note)
        if kind == "http" and (http.lower() in ("bearer", "") or fits(http)):
            scheme = {} if http.lower() in ("bearer", "") else {"scheme": f"{http} "}
            return {"kind": "header", "title": "a token"} | scheme | self._noted("TOKEN", note)
        if kind in ("oauth2", "openIdConnect"):
            flows = [node.value, *(flow.value for flow in node.named("flows") if isinstance(flow.value, dict))]
            all_scopes = [name for flow in flows if isinstance(flow.get("scopes"), dict) for name in flow["scopes"]]
            scopes = [one for one in all_scopes if fits(one) and len(one) <= 200][:300]
            note = note or "A token that the service's OAuth gave."
            return {"kind": "header", "title": "an OAuth token", "scopes": scopes} | self._noted("OAUTH_TOKEN", note)
        place, name = node.text("in"), node.text("name")
        if kind != "apiKey" or place not in ("header", "query", "cookie") or not can_carry(place, name):
            return None
        way = {"kind": place, "title": "an API key", "name": name}
        if place == "header":
            way["scheme"] = "" if beside else self._scheme if self._scheme is not None else self._guessed_scheme(node)
        return way | self._noted("API_KEY", note)

    def _guessed_scheme(self, node: Node) -> str:
        """The text before a key in its header, as its description shows it."""
        words = node.text("description")
        if (found := _SCHEME.search(words)) is not None:
            written = found[1]
        else:
            is_bearer = node.text("name").lower() == "authorization" and "bearer" in words.lower()
            written = "Bearer " if is_bearer else ""
        if written:
            what, reason = f"the credential is written after {written!r}", f"the description of {node.pointer}"
            self._guess.append(Guess("credential", what, reason, value=written))
        return written

    def _noted(self, variable: str, note: str) -> dict[str, str]:
        return {"variable": self._variable(variable), "note": note}

    def _variable(self, wanted: str) -> str:
        return unique(f"{self._prefix}{wanted}", self._taken, "_")
