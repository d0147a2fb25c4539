"""Pasted addresses and ``curl`` commands as calls: which tool makes this request, and with which arguments.

An address of a service's API becomes the call itself; from an address of its web pages only the ids and words in the path are
used. From a command only method, address, data and the headers that a tool takes are read; credentials are ignored.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from registry.calling.sent_arguments import Pairs, sent_arguments
from registry.catalog.loader import Catalog
from registry.catalog.model import Tool, placeholders
from registry.catalog.service import Service

_WITH_VALUE = {
    "-X", "--request", "-H", "--header", "-u", "--user", "-d", "--data", "--data-ascii", "--data-raw", "--data-urlencode",
    "--data-binary", "--json", "-F", "--form", "--form-string", "-o", "--output", "-A", "--user-agent", "-b", "--cookie", "-m",
    "--max-time", "--url", "--connect-timeout", "-e", "--referer", "-x", "--proxy", "-w", "--write-out", "--retry", "-E",
    "--cert", "--key", "--cacert", "-c", "--cookie-jar", "-T", "--upload-file", "--url-query", "--oauth2-bearer",
}  # fmt: skip
_DATA = ("-d", "--data", "--data-ascii", "--data-raw", "--data-binary", "--json")
_SENDS = (*_DATA, "--data-urlencode", "-F", "--form", "--form-string")


class CurlCommand(NamedTuple):
    """The request of a command.

    Attributes:
        address: its address; may be empty.
        method: in capitals.
        headers: by lower-case name.
        query: data for the query (``--get``), percent-encoded.
        body: the body as text; None without a body, or if it is a file.
    """

    address: str = ""
    method: str = "GET"
    headers: Mapping[str, str] = {}
    query: str = ""
    body: str | None = None


def curl_command(text: str) -> CurlCommand:
    """The request in a ``curl`` command; an empty GET if it cannot be parsed."""
    try:
        options = list(_options(shlex.split(text.replace("\\\n", " "))[1:]))
    except ValueError:
        return CurlCommand()
    given = dict(reversed(options))  # of several, the first
    used = given.keys()
    headers, data = {}, []
    for option, value in options:
        if option in ("-H", "--header"):
            name, _, content = value.partition(":")
            headers[name.strip().lower()] = content.strip()
        elif option == "--data-urlencode":  # name=content, or content; only the content still has to be encoded
            name, sign, content = value.partition("=") if "=" in value else ("", "", value)
            data.append(f"{quote(name, safe='[]')}{sign}{quote(content, safe='')}")
        elif option in _DATA and not (value.startswith("@") and option != "--data-raw"):
            data.append(value)
    content = ("" if "--json" in used else "&").join(data)
    as_query = not used.isdisjoint(("-G", "--get"))
    sends = not as_query and not used.isdisjoint(_SENDS)
    method = given.get("-X") or given.get("--request") or ("HEAD" if used & {"-I", "--head"} else "POST" if sends else "GET")
    address = given.get("") or given.get("--url") or ""
    return CurlCommand(address, method.upper(), headers, content if as_query else "", content if data and sends else None)


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with their values; a positional argument has no option."""
    rest = iter(words)
    for word in rest:
        option, _, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if word.startswith("-") and not word.startswith("--") and len(word) > 2 and word[:2] in _WITH_VALUE:
            option, value = word[:2], word[2:]
        if option in _WITH_VALUE:
            value = value or next(rest, "")
        yield (option, value) if option.startswith("-") else ("", word)


_ADDRESS = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
_LOCAL = ("127.0.0.1", "localhost", "::1")


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


def _request(candidates: Sequence[tuple[Service, str]], catalog: Catalog, sent: CurlCommand, query: Pairs) -> Link:
    """The tool whose path matches with the fewest placeholders."""
    found = [
        (tool, values, service)
        for service, path in candidates
        for tool in catalog.tools.values()
        if tool.toolkit == service.toolkit and tool.method == sent.method and tool.composed is None
        if (values := _matched(tool.path, path)) is not None and all(pair in query for pair in tool.fixed_query)
    ]
    if not found:
        path = candidates[0][1]
        return Link(None, {}, f"No tool sends {sent.method} {path[:120]}", _words_of(urlsplit(path)))
    tool, values, service = min(found, key=lambda one: len(one[1]))
    carriers = {"authorization", "cookie", *(name.lower() for way in service.authentication for name in way.carriers)}
    query = [pair for pair in query if pair[0].lower() not in carriers]
    headers = {name: value for name, value in sent.headers.items() if name not in carriers}
    arguments, left = sent_arguments(tool, values, query, headers, sent.body)
    return Link(tool, arguments, f"without {', '.join(left)}, which the tool does not accept" if left else "")


def _matched(template: str, path: str) -> dict[str, str] | None:
    """The values of a template's placeholders, percent-encoded; None if the path does not match."""
    pattern = "([^/]+)".join(map(re.escape, re.split(r"\{[^{}]+\}", template)))
    found = re.fullmatch(pattern, path.rstrip("/") or "/")
    return dict(zip(placeholders(template), found.groups(), strict=True)) if found else None


def _words_of(parts: SplitResult) -> str:
    """The search text of a path: its last id, otherwise its words."""
    steps = [unquote(step) for step in f"{parts.path}/{parts.fragment}".split("/") if step]
    ids = [step for step in steps if any(one.isdigit() for one in step) and len(step) > 4]
    return ids[-1] if ids else " ".join(steps[-2:]).replace("_", " ").replace("-", " ")
