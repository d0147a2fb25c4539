"""Converts names, servers and common defaults to the ``service.json`` of a toolkit."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from registry.accounts.connection import is_base_url, is_loopback, without_secrets
from registry.openapi.document import Document, Node
from registry.openapi.overlay import Overlay
from registry.openapi.plain_text import first_sentence, fits, pascal, plain, words_of


def names_of(document: Document, overlay: Overlay, given: str | None) -> tuple[str, str, str]:
    """The toolkit's name, the name of its account, and the title; the name that the user gave is the title, too."""
    info = document.top.object("info")
    title = plain(info.get("title"), 60) or "API"
    base = (
        given
        or overlay.toolkit
        or re.sub(
            r"\b(the|apis?|rest|restful|openapi|swagger|specification|public|v\d[\d.]*|\d[\d.]*)\b", " ", title, flags=re.I
        )
    )
    toolkit = pascal(base)[:60] or pascal(title)[:60] or "Toolkit"
    words = words_of(base) or words_of(title) or ["toolkit"]
    name = "-".join(words)[:32].strip("-").lstrip("0123456789-") or "toolkit"
    if name in ("sandbox", "callboard"):
        name += "-api"
    return toolkit, name, plain(overlay.title or given, 60) or title


def server_of(place: Node, usual: str = "") -> str:
    """The first usable address among the servers of a document, a path or an operation.

    A relative one is based on the document's own address, or on the `usual` one.

    Raises:
        DocumentRefused: it names none, or one that requests cannot be sent to.
    """
    base = place.document.name if "://" in place.document.name else usual
    for address, node in _addresses(place):
        whole = urljoin(base, f"https:{address}" if address.startswith("//") else address)
        if whole.startswith(("https://", "http://")) and "{" not in whole:
            return usable_address(whole, node)
    raise place.refused("names no server that a request could go to; give one for all operations (--server https://…)")


def usable_address(address: str, node: Node) -> str:
    """An address as the base of requests: https, except for this machine; without a slash at the end.

    Raises:
        DocumentRefused: requests cannot be sent there.
    """
    base = re.split(r"[?#]", address.strip())[0].rstrip("/")
    if not is_base_url(base) or "_" in base.split("/")[2]:
        shown = plain(without_secrets(address), 80)
        raise node.refused(f"{shown} is not an address for requests; give another one (--server https://…)")
    return base if is_loopback(base) else re.sub("^http:", "https:", base, flags=re.IGNORECASE)


def _addresses(place: Node) -> Iterator[tuple[str, Node]]:
    if place.document.version == "2.0":
        host, base, schemes = place.text("host"), place.text("basePath"), place.values("schemes")
        scheme = "http" if "http" in schemes and "https" not in schemes else "https"
        path = f"/{base}" if base and not base.startswith("/") else base
        yield (f"{scheme}://{host}{path}" if host else base or "/"), place
        return
    servers = list(place.listed("servers"))
    yield from ((_filled(server.resolved()), server) for server in servers)
    if not servers:
        yield "/", place


def _filled(server: Node) -> str:
    """A server's address with the defaults of its variables."""
    address = server.text("url")
    for name, known in server.object("variables").items():
        default, enum = (known.get("default"), known.get("enum")) if isinstance(known, dict) else (None, None)
        if default in (None, "") and isinstance(enum, list) and enum:
            default = enum[0]
        if isinstance(default, str | int):
            address = address.replace(f"{{{name}}}", str(default))
    return address.strip()


def service_of(document: Document, names: tuple[str, str, str]) -> dict[str, Any]:
    """What ``service.json`` says about the service: without its hosts, its requests and the ways to authenticate."""
    toolkit, name, title = names
    info = document.top.object("info")
    docs, version = document.top.object("externalDocs").get("url") or info.get("termsOfService"), info.get("version")
    has_docs = isinstance(docs, str) and docs.startswith("https://") and fits(docs) and " " not in docs
    summary = first_sentence(info.get("description")) or f"{title}."
    about: dict[str, Any] = {"toolkit": toolkit, "name": name, "title": title, "summary": summary}
    about |= {"version": version} if fits(version) and len(str(version)) <= 30 else {}
    return about | ({"docs": docs} if has_docs else {})


def prefix_of(name: str) -> str:
    """The prefix of a toolkit's environment variables, from the name of its account."""
    return re.sub(r"[^A-Z0-9]", "_", name.upper()) + "_"
