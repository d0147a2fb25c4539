"""The request of a call with environment variables in place of its secrets: the source of curl and Python snippets.

It is planned and addressed like the call itself, with the name of a variable, between null characters, where a secret would be.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from msgspec import Struct

from registry.accounts.connection import SANDBOX_URL, Endpoint
from registry.accounts.secrets import Secret
from registry.calling.arguments import ArgumentError, Arguments
from registry.calling.bodies import Body
from registry.calling.request import headers_of
from registry.calling.sending import opening
from registry.catalog.model import Tool
from registry.text.safe_text import exact_json

SERVED_SANDBOX_URL = "http://127.0.0.1:8210"  # the default address of `callboard sandbox`
VARIABLE = re.compile("(?:\0|%00)(\\w+)(?:\0|%00)")
"""A variable in a text; in a path it is percent-encoded like any other value."""


class RequestTemplate(Struct, frozen=True):
    """A request as others may send it; its texts may contain variables.

    Attributes:
        url: the address, without the query, which is in `pairs`.
        user: the user and the password of HTTP's basic authentication; None without it.
        body: None for a request without one.
        by_hand: secrets in the body, where ``<NAME>`` must be replaced by hand.
    """

    method: str
    url: str
    pairs: Sequence[tuple[str, str]]
    headers: Mapping[str, str]
    user: tuple[str, str] | None
    body: Body | None
    by_hand: tuple[str, ...] = ()

    @property
    def variables(self) -> list[str]:
        """The environment variables that must be set."""
        texts = (*(self.user or ()), self.url, *self.headers.values(), *(value for _, value in self.pairs))
        return list(dict.fromkeys(name for text in texts for name in VARIABLE.findall(text)))

    @property
    def body_text(self) -> str | None:
        """The body as text without terminal controls; None without a body, and for one that is a file or has parts."""
        body = self.body
        if body is None or body.kind == "multipart" or body.file is not None:
            return None
        is_json = body.kind == "json" or (body.kind == "raw" and "json" in body.styles.values())
        return exact_json(body.text()) if is_json else body.text()


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
    if planned.body is not None and planned.body.kind != "multipart":
        headers["Content-Type"] = planned.body.media_type
    url = replace(planned, query=()).url(endpoint).partition("?")[0]
    if url.startswith(SANDBOX_URL + "/"):
        url = SERVED_SANDBOX_URL + url.removeprefix(SANDBOX_URL)
    pairs = (*planned.query, *((name, value) for kind, name, value in endpoint.carriers() if kind == "query"))
    return RequestTemplate(planned.method, url, pairs, headers, user, planned.body, tuple(by_hand))


def _variable(name: str) -> str:
    return f"\0{name}\0" if name else ""
