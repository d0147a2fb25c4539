"""Pasted addresses and ``curl`` commands as calls: which tool makes this request, and with which arguments.

An address of a service's API becomes the call itself; an address of its web pages the ids and words in its path. What a command
holds besides method, address and data is not looked at: credentials stay where they are.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from registry.catalog.loader import Catalog
from registry.catalog.model import Tool
from registry.catalog.path_template import placeholders
from registry.catalog.service import Service

_ADDRESS = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
_WITH_VALUE = {
    "-X", "--request", "-H", "--header", "-u", "--user", "-d", "--data", "--data-raw", "--data-urlencode", "--data-binary",
    "--json", "-F", "--form", "-o", "--output", "-A", "--user-agent", "-b", "--cookie", "-m", "--max-time", "--url",
    "--connect-timeout", "-e", "--referer", "-x", "--proxy", "-w", "--write-out", "--retry", "-E", "--cert", "--key",
}  # fmt: skip
_DATA = ("-d", "--data", "--data-raw", "--data-urlencode", "--data-binary", "--json", "-F", "--form")
_LOCAL = ("127.0.0.1", "localhost", "::1")
Pairs = Sequence[tuple[str, str]]


class Link(NamedTuple):
    """What an address or a command asks for.

    Attributes:
        tool: the tool that makes the request; None where there is none.
        arguments: its arguments.
        why: what should be known.
        text: what can be looked for besides: ids and words of a web page's path.
    """

    tool: Tool | None
    arguments: Mapping[str, object]
    why: str = ""
    text: str = ""


def call_of(text: str, catalog: Catalog) -> Link | None:
    """The call in a pasted text; None where it holds no address."""
    found = _ADDRESS.search(text)
    if found is None:
        return None
    pairs: Pairs = ()
    method, address = "GET", found[0].rstrip(".,;)")
    if text.lstrip().startswith("curl"):
        method, pairs = _command(text)
    parts = urlsplit(address)
    try:
        host = (parts.hostname or "").lower()
    except ValueError:
        return None
    for service in catalog.toolkits.values():
        path = _api_path(service, host, parts)
        if path is not None:
            return _request(service, catalog, method, path, [*parse_qsl(parts.query, keep_blank_values=True), *pairs])
        if any(host == domain or host.endswith(f".{domain}") for domain in service.links):
            return _page(parts)
    return Link(None, {}, f"no toolkit uses the host {host[:80]}", _words_of(parts))


def _api_path(service: Service, host: str, parts: SplitResult) -> str | None:
    for one in service.hosts.values():
        usual = urlsplit(one.usual)
        # A service may have its API in several regions: api.eu.… beside api.…
        sub, _, domain = (usual.hostname or "").partition(".")
        if host == usual.hostname or (host.startswith(f"{sub}.") and host.endswith(f".{domain}") and sub):
            return "/" + parts.path.removeprefix(usual.path).lstrip("/")
        if host in _LOCAL and one.sandbox and parts.path.startswith(f"{one.sandbox}/"):
            return parts.path.removeprefix(one.sandbox)
    return None


def _request(service: Service, catalog: Catalog, method: str, path: str, pairs: Pairs) -> Link:
    best: tuple[int, Tool, dict[str, str]] | None = None
    for tool in catalog.tools.values():
        if tool.toolkit == service.toolkit and tool.method == method and tool.composed is None:
            values = _matched(tool.path, path)
            if values is not None and (best is None or len(values) < best[0]):
                best = len(values), tool, values
    if best is None:
        return Link(None, {}, f"No tool sends {method} {path[:120]}", _words_of(urlsplit(path)))
    _, tool, values = best
    arguments: dict[str, object] = {}
    left = []
    for parameter in tool.parameters:
        if parameter.place == "path" and parameter.wire_name in values:
            arguments[parameter.name] = values[parameter.wire_name]
    for name, value in pairs:
        named = [
            one
            for one in tool.parameters
            if one.wire_name in (name, name.removesuffix("[]"), f"{name}[]", re.sub(r"\[\d*\]$", "[]", name))
        ]
        if not named:
            left.append(name)
        elif named[0].type == "array":
            before = arguments.get(named[0].name)
            arguments[named[0].name] = [*(before if isinstance(before, list) else []), value]
        else:
            spoken = dict(zip(named[0].wire_enum or (), named[0].enum or (), strict=False))
            arguments[named[0].name] = spoken.get(value, value)
    return Link(tool, arguments, f"without {', '.join(dict.fromkeys(left))}, which the tool does not accept" if left else "")


def _matched(template: str, path: str) -> dict[str, str] | None:
    names = placeholders(template)
    pattern = re.escape(template)
    for name in names:
        pattern = pattern.replace(re.escape(f"{{{name}}}"), "([^/]+)", 1)
    found = re.fullmatch(pattern, path.rstrip("/") or "/")
    return dict(zip(names, map(unquote, found.groups()), strict=True)) if found else None


def _page(parts: SplitResult) -> Link:
    return Link(None, {}, "", _words_of(parts))


def _words_of(parts: SplitResult) -> str:
    """What can be looked for in a path: its last id, and otherwise its words."""
    steps = [unquote(step) for step in f"{parts.path}/{parts.fragment}".split("/") if step]
    ids = [step for step in steps if any(one.isdigit() for one in step) and len(step) > 4]
    return ids[-1] if ids else " ".join(steps[-2:]).replace("_", " ").replace("-", " ")


def _command(text: str) -> tuple[str, Pairs]:
    """The method and the data of a ``curl`` command."""
    try:
        words = shlex.split(text.replace("\\\n", " "))
    except ValueError:
        return "GET", ()
    method, data, as_query = "", list[str](), False
    rest = iter(words[1:])
    for word in rest:
        option, _, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if word.startswith("-") and not word.startswith("--") and len(word) > 2 and word[:2] in _WITH_VALUE:
            option, value = word[:2], word[2:]
        if option in _WITH_VALUE:
            value = value or next(rest, "")
        if option in ("-X", "--request"):
            method = value.upper()
        elif option in _DATA:
            data.append(value)
        elif option in ("-G", "--get"):
            as_query = True
        elif option in ("-I", "--head"):
            method = method or "HEAD"
    return method or ("POST" if data and not as_query else "GET"), list(_pairs(data))


def _pairs(data: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in data:
        if text.startswith("@"):
            continue
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        if isinstance(body, dict):
            yield from ((name, one if isinstance(one, str) else json.dumps(one)) for name, one in body.items())
        else:
            # --data-urlencode takes name=value as it is; quotes and blanks in it are its own.
            name, sign, value = text.partition("=")
            yield from [(unquote(name), unquote(value))] if sign and "&" not in value else parse_qsl(text)
