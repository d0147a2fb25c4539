"""Names, servers, common defaults and ways to authenticate of a document → the ``service.json`` of a toolkit.

A requirement is a combination of schemes (AND); an operation takes one of several (OR), or none. Each combination that an
operation names becomes a way to authenticate, whose title the operation's tool names, so that a credential goes nowhere else.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin

from registry.accounts.connection import is_base_url, is_loopback, without_secrets
from registry.catalog.checking import can_carry
from registry.openapi.document import (
    CONVENTIONS,
    Document,
    DocumentRefused,
    Node,
    Omit,
    Overlay,
    first_sentence,
    fits,
    pascal,
    plain,
    short,
    unique,
    words_of,
)
from registry.openapi.guesses import Guess
from registry.openapi.operations import METHODS

_SCHEME = re.compile(
    r"\b((?:Token token|Bearer token|Token|Bearer|ApiKey|Api-Key|Key|GenieKey|Klaviyo-API-Key|SSWS|Apikey|apikey)\s*[= ])"
    r"['\"]?[<{\[]?(?:your|my|the|api|access|token|key|\w*_?(?:key|token))",
    re.IGNORECASE,
)
_COMPUTED: frozenset[str] = frozenset(CONVENTIONS["computed"])
"""HTTP schemes whose credential is computed for each request or connection, which is not supported."""

_MOST_WAYS = 20

Way = dict[str, Any]


class Security:
    """The schemes of one document, with the ways to authenticate that its operations need, as entries of ``service.json``."""

    def __init__(self, document: Document, prefix: str, overlay: Overlay, guess: list[Guess], omit: Omit) -> None:
        self._top, self._prefix, self._overlay, self._guess, self._omit = document.top, prefix, overlay, guess, omit
        self._variables: set[str] = set()
        self._titles: set[str] = set()
        self._known: dict[tuple[str, ...], list[str]] = {}
        self._needed: Counter[str] = Counter()
        described = [
            *self._top.named("securityDefinitions"),
            *(self._top.get("components") or self._top).named("securitySchemes"),
        ]
        self._nodes = {child.key: child.resolved() for child in described}
        own = self._own()
        self._schemes = {} if own else {name: self._scheme(node) for name, node in self._nodes.items()}
        operations = [one for path in self._top.named("paths") for method in METHODS if (one := path.child(method)) is not None]
        declare = [one for one in (self._top, *operations) if isinstance(one.value, dict) and "security" in one.value]
        self._declares = bool(self._schemes) and any(isinstance(one.value["security"], list) for one in declare)
        self._ways: dict[str, Way] = {own["title"]: own} if own else {}
        first = self._requirements(self._top) if self._declares else [(name,) for name in self._schemes]
        for names in first:  # those of the whole document come before those of operations
            self._titles_of(tuple(names))

    def of(self, operation: Node) -> tuple[list[str] | None, str]:
        """The titles of the ways that an operation takes, "" for none, and None for any; and in words what cannot be sent."""
        if not self._declares:
            return None, ""
        required = self._requirements(operation)
        titles = [title for one in required for title in (self._titles_of(tuple(one)) if one else [""])]
        self._needed.update(titles[:1])
        cannot = [" and ".join(map(self._spoken, one)) for one in required if not titles]
        return list(dict.fromkeys(titles)), f"It needs {' or '.join(cannot)}, which Callboard cannot send." if cannot else ""

    def ways(self) -> list[Way]:
        """The ways to authenticate: those of the whole document first, then what most operations need."""
        first = self._requirements(self._top) if self._declares else [{}]
        of_all = {title for one in first for title in self._known.get(tuple(one), ())}
        found = [
            self._ways[title] for title in sorted(self._ways, key=lambda title: (title not in of_all, -self._needed[title]))
        ]
        needs_none = not found or (not self._overlay.header and {} in first)
        return found + [{"kind": "none"}] * needs_none

    def _requirements(self, place: Node) -> list[dict[str, Any]]:
        """What an operation, or the whole document, requires."""
        own = place if isinstance(place.value.get("security"), list) else self._top
        return [one for one in own.values("security") if isinstance(one, dict)]

    def _own(self) -> Way | None:
        """The credential that the user names, or for a document that declares none, a usual one that calls may do without."""
        header = self._overlay.header or ("" if self._nodes else "Authorization")
        scheme = self._overlay.scheme
        is_bearer = header.lower() == "authorization" and scheme in (None, "Bearer ")
        if not header:
            return None
        if not can_carry("header", header):
            raise self._top.refused(
                f"no credential can travel in the header {short(header)!r}; give another one (--header NAME)"
            )
        return {
            "kind": "header",
            "title": "a token" if is_bearer else f"a value for {header}",
            "name": header,
            "scheme": "Bearer " if is_bearer else scheme or "",
            "variable": self._variable("TOKEN"),
        }

    def _spoken(self, name: str) -> str:
        node = self._nodes.get(name)
        if node is None:
            return f"{short(name)} (not described)"
        return short(node.text("scheme") if node.text("type") == "http" else node.text("type")) or short(name)

    def _titles_of(self, names: tuple[str, ...]) -> list[str]:
        """The titles of the ways that send all of some schemes' credentials at once; empty if that is not possible."""
        if names not in self._known:
            parts = [self._schemes.get(name, []) for name in names]
            usable = bool(parts) and all(parts) and len(self._ways) < _MOST_WAYS
            self._known[names] = []
            for way in self._together(names, parts) if usable else ():
                of_them = f" ({short(' and '.join(names))})" if way["title"] in self._ways else ""
                title = unique(f"{way['title']}{of_them}", self._titles, " ")
                self._ways[title] = way | {"title": title}
                self._known[names].append(title)
        return self._known[names]

    def _together(self, names: tuple[str, ...], parts: list[list[Way]]) -> list[Way]:
        """The ways that send one credential of each scheme; a second one in the same header is left out, with a remark."""
        if len(parts) == 1:
            return parts[0]
        first = next((part for part in parts if part[0]["title"] != "an API key"), parts[0])
        others = {_carrier(part[0]): part[0] for part in reversed(parts) if part is not first}
        beside = [one for carrier, one in reversed(others.items()) if carrier != _carrier(first[0])]
        if len(beside) < len(parts) - 1:
            of_first = names[parts.index(first)]
            self._omit(
                self._nodes[of_first],
                f"is needed together with others ({', '.join(names)}), which is not supported: only {of_first} is sent",
            )
        if not beside:
            return first
        carriers = [first[0].get("name", "Authorization"), *(one["name"] for one in beside)]
        note = f"All of them, with a space between: {', '.join(carriers)}."
        further = [{name: one[name] for name in ("kind", "name", "scheme", "variable") if name in one} for one in beside]
        return [way | {"title": f"{len(carriers)} credentials", "note": note, "beside": further} for way in first]

    def _scheme(self, node: Node) -> list[Way]:
        """The ways to send one scheme's credential; empty if none is supported."""
        kind, http, place, name = (node.text(key) for key in ("type", "scheme", "in", "name"))
        note = first_sentence(node.text("description"))
        if kind == "basic" or (kind == "http" and http.lower() == "basic"):
            return [
                {
                    "kind": "basic",
                    "title": "a user name and a password",
                    "note": note,
                    "user_variable": self._variable("USER"),
                    "variable": self._variable("PASSWORD"),
                }
            ]
        if kind == "http" and http.lower() not in _COMPUTED and (not http or fits(http)):
            scheme = {} if http.lower() in ("bearer", "") else {"scheme": f"{http} "}
            return [{"kind": "header", "title": "a token", "variable": self._variable("TOKEN"), "note": note} | scheme]
        if kind in ("oauth2", "openIdConnect"):
            # A token that was given elsewhere; and the client's own credentials, for which the service gives a token.
            flows = {flow.key: flow for flow in node.named("flows")} or {node.text("flow"): node}
            scopes = [one for flow in flows.values() for one in flow.object("scopes") if fits(one) and len(one) <= 200][:300]
            token = {"kind": "header", "title": "an OAuth token", "scopes": scopes, "variable": self._variable("OAUTH_TOKEN")}
            ways: list[Way] = [token | {"note": note or "A token that the service's OAuth gave."}]
            own = flows.get("clientCredentials", flows.get("application"))
            with suppress(DocumentRefused):
                if own is not None and own.text("tokenUrl"):
                    client = {
                        "kind": "header",
                        "title": "an OAuth client",
                        "scopes": [one for one in own.object("scopes") if one in scopes],
                        "token_url": usable_address(urljoin(node.document.name, own.text("tokenUrl")), node),
                        "note": "The client's id and secret; the service gives a token for them.",
                        "user_variable": self._variable("CLIENT_ID"),
                        "variable": self._variable("CLIENT_SECRET"),
                    }
                    ways.append(client)
            return ways
        if kind == "apiKey" and place in ("header", "query", "cookie") and can_carry(place, name):
            scheme = {"scheme": self._before_key(node)} if place == "header" else {}
            variable = self._variable("API_KEY")
            return [{"kind": place, "title": "an API key", "name": name, "variable": variable, "note": note} | scheme]
        cannot = f"{short(http or kind)} is not supported"
        if kind == "apiKey":
            cannot = f"no credential can travel under the name {short(name)!r}"
        self._omit(node, f"{cannot}, so it is left out")
        return []

    def _before_key(self, node: Node) -> str:
        """The text before a key in its header: as the overlay says, or guessed from its description."""
        if self._overlay.scheme is not None:
            return self._overlay.scheme
        words, found = node.text("description"), _SCHEME.search(node.text("description"))
        is_bearer = node.text("name").lower() == "authorization" and "bearer" in words.lower()
        usual = "Bearer " if is_bearer else ""
        if written := found[1] if found is not None else usual:
            what = f"the credential is written after {written!r}"
            self._guess.append(Guess("credential", what, f"the description of {node.pointer}", value=written))
        return written

    def _variable(self, wanted: str) -> str:
        return unique(f"{self._prefix}{wanted}", self._variables, "_")


def _carrier(way: Way) -> tuple[str, str]:
    """Where a credential is sent: two cannot be at the same place."""
    place = "header" if way["kind"] == "basic" else way["kind"]
    name = way.get("name", "Authorization")
    return place, name.lower() if place == "header" else name


def names_of(document: Document, overlay: Overlay, given: str | None) -> tuple[str, str, str]:
    """The toolkit's name, the name of its account, and the title; the name that the user gave is the title, too."""
    title = plain(document.top.object("info").get("title"), 60) or "API"
    base = (
        given
        or overlay.toolkit
        or re.sub(
            r"\b(the|apis?|rest|restful|openapi|swagger|specification|public|v\d[\d.]*|\d[\d.]*)\b", " ", title, flags=re.I
        )
    )
    toolkit = pascal(base)[:60] or pascal(title)[:60] or "Toolkit"
    name = "-".join(words_of(base) or words_of(title))[:32].strip("-").lstrip("0123456789-") or "toolkit"
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
