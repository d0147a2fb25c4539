"""The request of a call with environment variables in place of its secrets: the source of curl and Python snippets.

It is made from the same plan as the call itself. Of a credential only the environment variable's name is known here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from registry.calling.arguments import ArgumentError, Arguments
from registry.calling.composed import opening
from registry.catalog.model import Tool
from registry.connections.profiles import SANDBOX_URL, Endpoint
from registry.display.safe_text import visible_json

SERVED_SANDBOX_URL = "http://127.0.0.1:8210"
"""Where ``callboard sandbox`` serves it unless told otherwise."""


@dataclass(frozen=True, slots=True)
class RequestTemplate:
    """A request as others may send it.

    Attributes:
        method: HTTP method.
        url: the address, without the pairs below.
        pairs: the query, in order, without secrets.
        secrets: query names, each with the environment variable that is to hold its value.
        headers: those that the service needs, without Authorization.
        scheme: what stands before the credential in the Authorization header.
        credential: the credential where it is public, otherwise None.
        variable: the environment variable that holds it otherwise.
        body: the JSON members that are sent; None for a request without a body.
    """

    method: str
    url: str
    pairs: tuple[tuple[str, str], ...]
    secrets: Mapping[str, str]
    headers: Mapping[str, str]
    scheme: str
    credential: str | None
    variable: str
    body: Mapping[str, Any] | None

    @property
    def body_text(self) -> str | None:
        """The body as JSON that no terminal obeys."""
        return None if self.body is None else visible_json(json.dumps(self.body, ensure_ascii=False))


def request_template(tool: Tool, arguments: Arguments, endpoint: Endpoint) -> RequestTemplate:
    """The (first) request of a call.

    Raises:
        ArgumentError: something is wrong with the arguments.
    """
    if arguments.errors:
        raise ArgumentError(tool.name, arguments.errors)
    planned = opening(tool, arguments)
    secrets = {
        parameter.wire_name: variable_of(parameter.name)
        for parameter in tool.parameters
        if parameter.wire_name in planned.secret_pairs and parameter.wire_name
    }
    url = replace(planned, query=()).url(endpoint)
    if url.startswith(SANDBOX_URL + "/"):
        url = SERVED_SANDBOX_URL + url.removeprefix(SANDBOX_URL)
    headers = {name: value for name, value in endpoint.headers(masked=True).items() if name != "Authorization"}
    if planned.body is not None:
        headers["Content-Type"] = "application/json"
    return RequestTemplate(
        planned.method,
        url,
        tuple(pair for pair in planned.query if pair[0] not in secrets),
        secrets,
        headers,
        endpoint.authorization,
        endpoint.public_credential,
        endpoint.variable or "",
        planned.body,
    )


def variable_of(parameter: str) -> str:
    """The environment variable that stands for a secret argument."""
    return parameter.upper()
