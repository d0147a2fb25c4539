"""The request of a call with environment variables in place of its secrets: the source of curl and Python snippets.

It is made from the same plan as the call itself. It contains only the names of the environment variables of credentials.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from msgspec import Struct, field

from registry.accounts.connection import SANDBOX_URL, Endpoint
from registry.calling.arguments import ArgumentError, Arguments
from registry.calling.bodies import FilePath, Writing, content_of, form_pairs, text_of
from registry.calling.request import headers_of
from registry.calling.scalars import Value
from registry.calling.sending import opening
from registry.catalog.model import Tool
from registry.catalog.service import Authentication
from registry.json_text.values import dumps
from registry.text.safe_text import exact_json

_NONE = Authentication(kind="none")
SERVED_SANDBOX_URL = "http://127.0.0.1:8210"  # the default address of `callboard sandbox`


class Variable(NamedTuple):
    """A value from an environment variable, and a text before it."""

    name: str
    before: str = ""


Said = str | Variable


class RequestTemplate(Struct, frozen=True):
    """A request as others may send it.

    Attributes:
        url: the address, without the query, which is in `pairs`.
        user: the user and the password of HTTP's basic authentication; None without it.
        body: the properties of the body; None for a request without one.
        by_hand: secrets in cookies and the body, where ``<NAME>`` must be replaced by hand.
    """

    method: str
    url: str
    pairs: Sequence[tuple[str, Said]]
    headers: Mapping[str, Said]
    user: tuple[Said, Said] | None
    body: Mapping[str, Value] | None
    writing: Writing = field(default_factory=Writing)
    by_hand: tuple[str, ...] = ()

    @property
    def variables(self) -> list[str]:
        """The environment variables that must be set."""
        said = (*(self.user or ()), *self.headers.values(), *(value for _, value in self.pairs))
        return list(dict.fromkeys(one.name for one in said if isinstance(one, Variable)))

    @property
    def file(self) -> FilePath | None:
        """The file that is the whole body; None if there is none."""
        value = next(iter(self.body.values()), None) if self.body is not None and self.writing.kind == "raw" else None
        return value if isinstance(value, FilePath) else None

    @property
    def body_text(self) -> str | None:
        """The body as text without terminal controls; None without a body, and for one that is a file or has parts."""
        if self.body is None or self.parts is not None or self.file is not None:
            return None
        if self.writing.kind == "json":
            return exact_json(dumps(self.body))
        text = content_of(self.body, self.writing).decode()
        return exact_json(text) if "json" in self.writing.styles.values() and self.writing.kind == "raw" else text

    @property
    def parts(self) -> list[tuple[str, str | FilePath]] | None:
        """The parts of a multipart body: texts, and paths of files; None for other bodies."""
        if self.body is None or self.writing.kind != "multipart":
            return None
        return [
            (name, value if isinstance(value, FilePath) else text_of(value))
            for name, value in form_pairs(self.body, self.writing)
        ]


def request_template(tool: Tool, arguments: Arguments, endpoint: Endpoint) -> RequestTemplate:
    """The (first) request of a call.

    Raises:
        ArgumentError: the arguments are invalid.
    """
    if arguments.errors:
        raise ArgumentError(tool.name, arguments.errors)
    planned = opening(tool, arguments)
    places = {(one.place, str(one.wire_name)): variable_of(one.name) for one in tool.parameters}
    secret = {key: variable for key, variable in places.items() if key in planned.secret}
    by_hand = {key: f"<{variable}>" for key, variable in secret.items() if key[0] in ("cookie", "body")}
    way, public = endpoint.authentication, endpoint.public_credential
    bare = replace(endpoint, authentication=_NONE)
    url = replace(planned, query=()).url(bare)
    if url.startswith(SANDBOX_URL + "/"):
        url = SERVED_SANDBOX_URL + url.removeprefix(SANDBOX_URL)
    cookies = [(name, by_hand.get(("cookie", name), value)) for name, value in planned.cookies]
    cookies += [(one.name, f"<{one.variable}>") for one in way.beside if one.kind == "cookie"]
    shown = replace(
        planned,
        headers=tuple(pair for pair in planned.headers if ("header", pair[0]) not in secret),
        cookies=tuple(cookies),
        secret=frozenset(),
    )
    headers: dict[str, Said] = dict(headers_of(shown, bare, masked=True))
    if planned.body is not None and planned.writing.kind != "multipart":
        headers["Content-Type"] = planned.writing.media_type
    pairs: list[tuple[str, Said]] = [pair for pair in planned.query if ("query", pair[0]) not in secret]
    further = [*secret.items(), *(((one.kind, one.name), one.variable) for one in way.beside)]

    def credential(before: str = "") -> Said:
        return before + public if public is not None else Variable(way.variable or "", before)

    user: tuple[Said, Said] | None = None
    match way.kind:
        case "header":
            headers[way.name] = credential(way.scheme)
        case "cookie":
            own = next((name for name in headers if name.lower() == "cookie"), "Cookie")
            headers[own] = credential(f"{headers[own]}; {way.name}=" if own in headers else f"{way.name}=")
        case "query":
            pairs.append((way.name, credential()))
        case "basic":
            user = (endpoint.user or "") if public is not None else Variable(way.user_variable or ""), credential()
    pairs += [(name, Variable(variable)) for (place, name), variable in further if place == "query"]
    headers |= {name: Variable(variable) for (place, name), variable in further if place == "header"}
    body = {name: by_hand.get(("body", name), value) for name, value in (planned.body or {}).items()}
    told = [
        *(variable for key, variable in secret.items() if key in by_hand),
        *(one.variable for one in way.beside if one.kind == "cookie"),
    ]
    return RequestTemplate(
        planned.method, url, pairs, headers, user, None if planned.body is None else body, planned.writing, tuple(told)
    )


def variable_of(parameter: str) -> str:
    """The environment variable for a secret argument."""
    return parameter.upper()
