"""Pasted addresses and ``curl`` commands as calls: which tool makes this request, and with which arguments.

The second is the inverse of `registry.calling.request`. Values are parsed in the usual styles: lists repeated, with brackets or
with commas, nested objects with brackets, bodies as JSON or forms. Parts of the request that the tool does not take are listed;
nothing is guessed. Cookies, credentials in headers and pairs, files and multipart forms are ignored.

An address of a service's API becomes the call itself; from an address of its web pages only the ids and words in the path are
used. From a command only method, address, data and the headers that a tool takes are read; credentials are ignored.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from registry.calling.arguments import is_whole
from registry.calling.bodies import text_of
from registry.calling.values import from_text
from registry.catalog.loader import Catalog
from registry.catalog.model import SCALARS, Parameter, Tool, placeholders
from registry.catalog.service import Service
from registry.json_text import NULL, NUMBER, Exact, read_typed

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


Pairs = list[tuple[str, str]]

_KEYS = re.compile(r"\[([^\[\]]*)\]")


def arguments_of(
    tool: Tool, path: dict[str, str], query: Pairs, sent: CurlCommand, credentials: frozenset[str]
) -> tuple[dict[str, object], list[str]]:
    """The arguments, as a form takes them, and the names of parts that the tool does not take.

    Args:
        tool: the tool that makes the request.
        path: the values of the path's placeholders, percent-encoded.
        query: the pairs of the query.
        sent: headers and body.
        credentials: the names of headers and pairs with credentials, in lower case.
    """
    headers = {name: value for name, value in sent.headers.items() if name not in credentials}
    left = [
        pair for pair in query if pair not in (*tool.fixed_query, *tool.optional_query) and pair[0].lower() not in credentials
    ]
    found: dict[str, object] = {}
    for parameter in tool.parameters:
        name = parameter.wire_name or ""
        match parameter.place:
            case "path" if name in path:
                found[parameter.name] = _in_line(parameter, path[name], unquote)
            case "query":
                found[parameter.name] = _taken(parameter, left, tool)
            case "header" if name.lower() in headers:
                found[parameter.name] = _in_line(parameter, headers[name.lower()], str.strip)
    left += _read_body(tool, sent.body, found)
    return {name: value for name, value in found.items() if value is not None}, list(dict.fromkeys(name for name, _ in left))


def _in_line(parameter: Parameter, text: str, plain: Callable[[str], str]) -> object:
    """A value in a path or a header."""
    if parameter.type == "object" or parameter.style not in (None, "comma"):
        return None
    if parameter.type == "array":
        return _typed(parameter, [plain(one) for one in text.split(",")])
    return _spoken(parameter, plain(text))


def _read_body(tool: Tool, body: str | None, found: dict[str, object]) -> Pairs:
    """Add the arguments in a body to `found`; returns the rest of the body."""
    rest = next((one for one in tool.parameters if one.style == "members"), None)
    inside = [one for one in tool.parameters if one.place == "body" and one is not rest]
    members = _json(body)
    if tool.body_kind == "raw" and inside:
        found[inside[0].name] = members if inside[0].is_structured else body
    elif isinstance(members, dict):
        found |= {one.name: _as_field(one, members.pop(one.wire_name)) for one in inside if one.wire_name in members}
        if rest is None:
            return [(name, "") for name in members]
        found[rest.name] = members or None
    elif rest is not None and body and is_whole(rest, from_text(rest, body)):
        found[rest.name] = from_text(rest, body)
    else:
        pairs = parse_qsl(body or "", keep_blank_values=True)
        found |= {one.name: _taken(one, pairs, tool) for one in inside}
        return pairs
    return []


def _taken(parameter: Parameter, pairs: Pairs, tool: Tool) -> object:
    """The value of a parameter in pairs, whose own pairs are removed; None if there are none."""
    bare = (parameter.wire_name or "").removesuffix("[]")
    taken = [pair for pair in pairs if pair[0] == bare or pair[0].startswith(f"{bare}[")]
    if not taken:
        return None
    pairs[:] = [pair for pair in pairs if pair not in taken]
    own = [(name[len(bare) :], text) for name, text in taken]
    texts = [text for path, text in own if re.fullmatch(r"(\[\d*\])?", path)]
    if parameter.type in SCALARS:
        return _spoken(parameter, texts[-1]) if texts else None
    if len(texts) < len(own):
        return _typed(parameter, _tree(own))
    if len(texts) == 1 and (parameter.is_structured or parameter.style == "json") and (whole := _json(texts[0])) is not None:
        return _as_field(parameter, whole)
    if parameter.type != "array":
        return _typed(parameter, texts[0])
    with_commas = parameter.style == "comma" or (not parameter.style and tool.arrays == "comma" and not parameter.is_structured)
    parts = texts[0].split(",") if with_commas and len(texts) == 1 else texts
    return _typed(parameter, [] if parts == [""] else parts)


def _tree(pairs: Pairs) -> Any:
    """``[a][b]`` → value as nested objects; ``[]`` and numbers stay names until the types show the lists."""
    root: dict[str, Any] = {}
    for path, value in pairs:
        *outer, last = _KEYS.findall(path) or [""]
        here = root
        for key in outer:
            inner = here.setdefault(key, {})
            here = inner if isinstance(inner, dict) else {}
        here[last or str(len(here))] = value
    return root


def _spoken(parameter: Parameter, text: str) -> str:
    """A value as callers write it, if the service writes it differently."""
    return dict(zip(parameter.wire_enum or (), parameter.enum or (), strict=False)).get(text, text)


def _as_field(parameter: Parameter, value: Any) -> object:
    """A JSON value in the form of the parameter's field; None for null if the parameter does not take it."""
    if value is None:
        return NULL if parameter.nullable else None
    if parameter.is_structured:
        return value
    return [text_of(one) for one in value] if isinstance(value, list) else _spoken(parameter, text_of(value))


def _typed(parameter: Parameter, value: Any) -> object:
    """Text from pairs as the JSON values of a structured parameter; lists of scalars stay text."""
    if parameter.is_structured:
        return _inside(parameter, value)
    return _as_field(parameter, [*value.values()] if isinstance(value, dict) else value)


def _inside(parameter: Parameter | None, value: Any) -> Any:
    if parameter is None:
        return value
    if parameter.type == "array" and isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, dict):
        return {name: _inside(parameter.property_named(name), one) for name, one in value.items()}
    if isinstance(value, list):
        return [_inside(parameter.items, one) for one in value]
    if parameter.type in ("integer", "number") and NUMBER.fullmatch(value):
        return Exact(value)
    if parameter.type == "boolean" and value in ("true", "false"):
        return value == "true"
    whole = _json(value) if parameter.type in ("object", "array", "any") else None
    return value if whole is None else whole


def _json(text: str | None) -> Any:
    """The JSON value in a text; None if it is not JSON."""
    try:
        return read_typed(text) if text else None
    except ValueError:
        return None


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
    pattern = "([^/]+)".join(map(re.escape, re.split(r"\{[^{}]+\}", template)))
    found = re.fullmatch(pattern, path.rstrip("/") or "/")
    return dict(zip(placeholders(template), found.groups(), strict=True)) if found else None


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
