"""Pasted addresses and ``curl`` commands as calls: which tool makes this request, and with which arguments; and documents.

An address of a service's API becomes the call itself; from an address of its web pages only the ids and words in the path are
used. From a command only method, address, data and the headers that a tool takes are read; credentials are ignored.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from registry.catalog.loader import Catalog
from registry.catalog.model import Tool, placeholders
from registry.catalog.service import Service
from registry.finding.requests import CurlCommand, arguments_of, curl_command

_ADDRESS = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
_LOCAL = ("127.0.0.1", "localhost", "::1")
_ENDINGS = (".json", ".yaml", ".yml")
_DOCUMENT_NAMES = re.compile(r"openapi|swagger|api-docs", re.IGNORECASE)
_PATH = re.compile(r"(?:~?/|\.{1,2}/|[A-Za-z]:\\).+|[^\s'\"]\S*")


class Link(NamedTuple):
    """The call for an address or a command.

    Attributes:
        tool: the tool that makes the request; None if there is none.
        arguments: its arguments.
        why: a note for the user.
        text: what else to search for: ids and words in a web page's path.
    """

    tool: Tool | None
    arguments: Mapping[str, object]
    why: str = ""
    text: str = ""


def call_of(text: str, catalog: Catalog) -> Link | None:
    """The call in a pasted text; None if the text contains no address."""
    found = _ADDRESS.search(text)
    if found is None:
        return None
    sent = curl_command(text) if text.split(maxsplit=1)[0] == "curl" else CurlCommand()
    address = sent.address if _ADDRESS.fullmatch(sent.address) else found[0].rstrip(".,;)")
    try:
        parts = urlsplit(address)
        host, _ = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return None
    services = catalog.toolkits.values()
    if candidates := [(one, path) for one in services for path in _api_paths(one, host, parts)]:
        return _request(candidates, catalog, sent, parse_qsl("&".join((parts.query, sent.query)), keep_blank_values=True))
    known = any(host == domain or host.endswith(f".{domain}") for one in services for domain in one.links)
    return Link(None, {}, "" if known else f"no toolkit uses the host {host[:80]}", _words_of(parts))


def _api_paths(service: Service, host: str, parts: SplitResult) -> Iterator[str]:
    """The possible tool paths of an address, below each of the service's base addresses that it starts with."""
    for one in service.hosts.values():
        usual = urlsplit(one.usual)
        # A service may have its API in several regions: api.eu.… in addition to api.…
        sub, _, domain = (usual.hostname or "").partition(".")
        if host == usual.hostname:
            same = host not in _LOCAL or parts.port == usual.port
        else:
            same = bool(sub and domain) and host.startswith(f"{sub}.") and host.endswith(f".{domain}")
        base = usual.path.rstrip("/")
        if same and (parts.path == base or parts.path.startswith(f"{base}/")):
            yield "/" + parts.path.removeprefix(base).lstrip("/")
        elif host in _LOCAL and one.sandbox and parts.path.startswith(f"{one.sandbox}/"):
            yield parts.path.removeprefix(one.sandbox)


def _request(
    candidates: Sequence[tuple[Service, str]], catalog: Catalog, sent: CurlCommand, query: list[tuple[str, str]]
) -> Link:
    """The tool whose path matches with the fewest placeholders."""
    found = [
        (len(values), tool, values, service)
        for service, path in candidates
        for tool in catalog.tools.values()
        if tool.toolkit == service.toolkit and tool.method == sent.method and tool.composed is None
        if (values := _matched(tool.path, path)) is not None and all(pair in query for pair in tool.fixed_query)
    ]
    if not found:
        path = candidates[0][1]
        return Link(None, {}, f"No tool sends {sent.method} {path[:120]}", _words_of(urlsplit(path)))
    _, tool, values, service = min(found, key=lambda one: one[0])
    carriers = (name.lower() for way in service.authentication for name in way.carriers)
    arguments, left = arguments_of(tool, values, query, sent, frozenset(("authorization", "cookie", *carriers)))
    return Link(tool, arguments, f"without {', '.join(left)}, which the tool does not accept" if left else "")


def _matched(template: str, path: str) -> dict[str, str] | None:
    """The values of a template's placeholders, percent-encoded; None if the path does not match."""
    names = placeholders(template)
    pattern = re.escape(template)
    for name in names:
        pattern = pattern.replace(re.escape(f"{{{name}}}"), "([^/]+)", 1)
    found = re.fullmatch(pattern, path.rstrip("/") or "/")
    return dict(zip(names, found.groups(), strict=True)) if found else None


def _words_of(parts: SplitResult) -> str:
    """The search text of a path: its last id, otherwise its words."""
    steps = [unquote(step) for step in f"{parts.path}/{parts.fragment}".split("/") if step]
    ids = [step for step in steps if any(one.isdigit() for one in step) and len(step) > 4]
    return ids[-1] if ids else " ".join(steps[-2:]).replace("_", " ").replace("-", " ")


class NamedDocument(NamedTuple):
    """A path or address where an API document may be, which could be added as a toolkit; `sure`: its name also says so."""

    source: str
    sure: bool


def document_in(text: str) -> NamedDocument | None:
    """The document that a pasted text names; None if it is neither a path nor an address. Reads no file."""
    text = text.strip().removeprefix("file://")
    if text[:1] in "'\"" or "\\ " in text:  # as terminals paste a path
        with suppress(ValueError):
            words = shlex.split(text)
            text = words[0] if len(words) == 1 else text
    if _ADDRESS.fullmatch(text):
        with suppress(ValueError):
            return NamedDocument(text, urlsplit(text).path.lower().endswith(_ENDINGS) or bool(_DOCUMENT_NAMES.search(text)))
    elif text.isprintable() and text.lower().endswith(_ENDINGS) and len(text) > 5 and _PATH.fullmatch(text):
        return NamedDocument(text, True)
    return None
