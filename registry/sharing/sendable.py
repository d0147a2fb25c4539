"""The request of a call with names in the place of its secrets: what curl and Python programs are written from.

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
from registry.catalog.service import Authentication
from registry.connections.profiles import SANDBOX_URL, Endpoint
from registry.text import visible_json

_NONE = Authentication(kind="none")
SERVED_SANDBOX_URL = "http://127.0.0.1:8210"
"""Where ``callboard sandbox`` serves it unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Proof:
    """How a request proves who is calling.

    Attributes:
        kind: ``header``, ``basic``, ``query``, ``cookie`` or ``none``.
        name: the header, query pair or cookie that carries the credential.
        scheme: what stands before the credential in its header.
        credential: the credential where it is public, otherwise None; `user` likewise.
        variable: the environment variable that holds it otherwise; `user_variable` likewise.
    """

    kind: str
    name: str
    scheme: str
    credential: str | None
    variable: str
    user: str | None = None
    user_variable: str = ""

    @classmethod
    def of(cls, endpoint: Endpoint) -> Proof:
        """That of an endpoint."""
        way, public = endpoint.authentication, endpoint.public_credential
        user = endpoint.user if public is not None else None
        return cls(way.kind, way.name, way.scheme, public, way.variable or "", user, way.user_variable or "")

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that must be set."""
        return tuple(name for name in (self.user_variable, self.variable) if name) if self.credential is None else ()


@dataclass(frozen=True, slots=True)
class Sendable:
    """A request as others may send it.

    Attributes:
        method: HTTP method.
        url: the address, without the pairs below.
        pairs: the query, in order, without secrets.
        secrets: query names, each with the environment variable that is to hold its value.
        headers: those that the service needs, without the one that carries the credential.
        proof: how the request proves who is calling.
        body: the JSON members that are sent; None for a request without a body.
    """

    method: str
    url: str
    pairs: tuple[tuple[str, str], ...]
    secrets: Mapping[str, str]
    headers: Mapping[str, str]
    proof: Proof
    body: Mapping[str, Any] | None

    @property
    def body_text(self) -> str | None:
        """The body as JSON that no terminal obeys."""
        return None if self.body is None else visible_json(json.dumps(self.body, ensure_ascii=False))


def sendable(tool: Tool, arguments: Arguments, endpoint: Endpoint) -> Sendable:
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
    url = replace(planned, query=()).url(replace(endpoint, authentication=_NONE))
    if url.startswith(SANDBOX_URL + "/"):
        url = SERVED_SANDBOX_URL + url.removeprefix(SANDBOX_URL)
    headers = dict(endpoint.service.request.headers)
    if planned.body is not None:
        headers["Content-Type"] = "application/json"
    return Sendable(
        planned.method,
        url,
        tuple(pair for pair in planned.query if pair[0] not in secrets),
        secrets,
        headers,
        Proof.of(endpoint),
        planned.body,
    )


def variable_of(parameter: str) -> str:
    """The environment variable that stands for a secret argument."""
    return parameter.upper()
