"""Converts names, servers and common defaults to the ``service.json`` of a toolkit."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from registry.accounts.connection import without_secrets
from registry.catalog.checking import LOOPBACK
from registry.openapi.conventions import CONVENTIONS
from registry.openapi.document import Document, Node
from registry.openapi.plain_text import first_sentence, fits, pascal, plain, words_of

_VARIABLE = re.compile(r"\{([^{}]*)\}")


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


def address_of(document: Document, wanted: str | None) -> str:
    """The address that requests go to, unless an operation has its own.

    Raises:
        DocumentRefused: the document names no usable address.
    """
    if wanted:
        return usable_address(wanted, document.top)
    if (found := server_of(document.top, "")) is not None:
        return found
    raise document.top.refused("names no server that a request could go to (/servers); give one (--server https://…)")


def server_of(place: Node, usual: str) -> str | None:
    """The first usable address among the servers of a document, a path or an operation; None if none is usable.

    A relative one is based on the document's own address, or on the `usual` one.

    Raises:
        DocumentRefused: requests cannot be sent to it.
    """
    for address, node in _addresses(place):
        whole = urljoin(place.document.name if "://" in place.document.name else usual, address)
        if whole.startswith("//"):
            whole = "https:" + whole
        if whole.startswith(("https://", "http://")) and "{" not in whole:
            return usable_address(whole, node)
    return None


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


def _addresses(place: Node) -> Iterator[tuple[str, Node]]:
    if place.document.version == "2.0":
        host, base = place.text("host"), place.text("basePath")
        schemes = place.value.get("schemes")
        scheme = "http" if isinstance(schemes, list) and "https" not in schemes and "http" in schemes else "https"
        yield (f"{scheme}://{host}{base if base.startswith('/') or not base else '/' + base}" if host else base or "/"), place
        return
    servers = list(place.listed("servers"))
    yield from ((_filled(server.resolved()), server) for server in servers)
    if not servers:
        yield "/", place


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


def service_of(document: Document, names: tuple[str, str, str], address: str) -> dict[str, Any]:
    """The content of ``service.json`` without the ways to authenticate."""
    toolkit, name, title = names
    info = document.top.object("info")
    version = info.get("version")
    docs = document.top.object("externalDocs").get("url") or info.get("termsOfService")
    service: dict[str, Any] = {
        "toolkit": toolkit,
        "name": name,
        "title": title,
        "summary": first_sentence(info.get("description")) or f"{title}.",
        "hosts": {"api": {"usual": address, "variable": f"{prefix_of(name)}BASE_URL"}},
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
