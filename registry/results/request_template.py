"""The request of a call with environment variables in place of its secrets: the source of curl and Python snippets.

It is planned and addressed like the call itself, with the name of a variable, between null characters, where a secret would be.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from msgspec import Struct, field

from registry.accounts.connection import SANDBOX_URL, Endpoint
from registry.accounts.secrets import Secret
from registry.calling.arguments import ArgumentError, Arguments
from registry.calling.bodies import FilePath, Writing, content_of, fields_of, media_type_of, text_of
from registry.calling.receiving import type_of_file
from registry.calling.request import headers_of
from registry.calling.scalars import Value
from registry.calling.sending import opening
from registry.catalog.model import Tool
from registry.json_text.values import dumps
from registry.text.safe_text import exact_json

SERVED_SANDBOX_URL = "http://127.0.0.1:8210"  # the default address of `callboard sandbox`
VARIABLE = re.compile("(?:\0|%00)(\\w+)(?:\0|%00)")
"""A variable in a text; in a path it is percent-encoded like any other value."""


class RequestTemplate(Struct, frozen=True):
    """A request as others may send it; its texts may contain variables.

    Attributes:
        url: the address, without the query, which is in `pairs`.
        user: the user and the password of HTTP's basic authentication; None without it.
        body: the properties of the body; None for a request without one.
        by_hand: secrets in the body, where ``<NAME>`` must be replaced by hand.
    """

    method: str
    url: str
    pairs: Sequence[tuple[str, str]]
    headers: Mapping[str, str]
    user: tuple[str, str] | None
    body: Mapping[str, Value] | None
    writing: Writing = field(default_factory=Writing)
    by_hand: tuple[str, ...] = ()

    @property
    def variables(self) -> list[str]:
        """The environment variables that must be set."""
        texts = (*(self.user or ()), self.url, *self.headers.values(), *(value for _, value in self.pairs))
        return list(dict.fromkeys(name for text in texts for name in VARIABLE.findall(text)))

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
    def parts(self) -> list[tuple[str, str | FilePath, str, Mapping[str, str]]] | None:
        """The parts of a multipart body: name, text or path of a file, media type, headers; None for other bodies."""
        if self.body is None or self.writing.kind != "multipart":
            return None
        types, headers = self.writing.types, self.writing.headers
        return [
            (name, value, type_of_file(value.name, types.get(key, "")), headers.get(key, {}))
            if isinstance(value, FilePath)
            else (name, text_of(value), types.get(key, ""), headers.get(key, {}))
            for name, value, key in fields_of(self.body, self.writing)
        ]


def request_template(tool: Tool, arguments: Arguments, endpoint: Endpoint) -> RequestTemplate:
    """The (first) request of a call.

    Raises:
        ArgumentError: the arguments are invalid.
    """
    if arguments.errors:
        raise ArgumentError(tool.name, arguments.errors)
    secret = [one for one in tool.parameters if one.role == "secret" and one.name in arguments.values]
    by_hand = [one.name.upper() for one in secret if one.place == "body"]
    values = {one.name: f"<{one.name.upper()}>" if one.place == "body" else _variable(one.name.upper()) for one in secret}
    planned = opening(tool, Arguments({**arguments.values, **values}))
    way, user = endpoint.authentication, None
    if not endpoint.public:
        own = "ACCESS_TOKEN" if way.token_url is not None else way.variable or "CREDENTIAL"
        names = (own, *(one.variable for one in way.beside))
        endpoint = replace(
            endpoint, credential=Secret(" ".join(map(_variable, names))), user=_variable(way.user_variable or "")
        )
    headers = headers_of(planned, endpoint)
    del headers["User-Agent"]
    if way.kind == "basic":
        del headers["Authorization"]
        user = endpoint.user, endpoint.credential.reveal().partition(" ")[0]
    if planned.body is not None and planned.writing.kind != "multipart":
        headers["Content-Type"] = media_type_of(planned.body, planned.writing)
    url = replace(planned, query=()).url(endpoint).partition("?")[0]
    if url.startswith(SANDBOX_URL + "/"):
        url = SERVED_SANDBOX_URL + url.removeprefix(SANDBOX_URL)
    pairs = (*planned.query, *((name, value) for kind, name, value in endpoint.carriers() if kind == "query"))
    return RequestTemplate(planned.method, url, pairs, headers, user, planned.body, planned.writing, tuple(by_hand))


def _variable(name: str) -> str:
    return f"\0{name}\0" if name else ""
