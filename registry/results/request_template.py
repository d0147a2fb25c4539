"""The request of a call with environment variables in place of its secrets: the source of curl and Python snippets.

It is made from the same plan as the call itself. It contains only the names of the environment variables of credentials.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from registry.accounts.connection import SANDBOX_URL, Endpoint
from registry.calling.arguments import ArgumentError, Arguments
from registry.calling.bodies import FilePath, Writing, content_of, form_pairs
from registry.calling.composed import opening
from registry.calling.request import headers_of
from registry.calling.styles import text_of
from registry.calling.values import Value
from registry.catalog.model import ParameterLocation, Tool
from registry.catalog.service import Authentication
from registry.json_text.values import dumps
from registry.text.safe_text import exact_json

_SECRET_IN: tuple[ParameterLocation, ...] = ("query", "header", "cookie", "body")
_BESIDE_IN = ("query", "header", "cookie")
_NONE = Authentication(kind="none")
SERVED_SANDBOX_URL = "http://127.0.0.1:8210"
"""The default address of ``callboard sandbox``."""


@dataclass(frozen=True, slots=True)
class Proof:
    """How a request authenticates.

    Attributes:
        kind: ``header``, ``basic``, ``query``, ``cookie`` or ``none``.
        name: the header, query pair or cookie that carries the credential.
        scheme: the text before the credential in its header.
        credential: the credential if it is public, otherwise None; `user` likewise.
        variable: otherwise, the environment variable with the credential; `user_variable` likewise.
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
        """The proof for an endpoint."""
        way, public = endpoint.authentication, endpoint.public_credential
        user = endpoint.user if public is not None else None
        return cls(way.kind, way.name, way.scheme, public, way.variable or "", user, way.user_variable or "")

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that must be set."""
        return tuple(name for name in (self.user_variable, self.variable) if name) if self.credential is None else ()


@dataclass(frozen=True, slots=True)
class RequestTemplate:
    """A request as others may send it.

    Attributes:
        method: HTTP method.
        url: the address, without the pairs below.
        pairs: the query, in order, without secrets.
        secrets: query names, each with the environment variable for its value.
        headers: the headers that the service needs, without the one with the credential.
        proof: how the request authenticates.
        body: the properties of the body; None for a request without one.
        secret_headers: header names, each with the environment variable for its value.
        writing: how the body is written.
        by_hand: secrets in cookies and the body, where ``<NAME>`` must be replaced by hand.
    """

    method: str
    url: str
    pairs: tuple[tuple[str, str], ...]
    secrets: Mapping[str, str]
    headers: Mapping[str, str]
    proof: Proof
    body: Mapping[str, Value] | None
    secret_headers: Mapping[str, str] = field(default_factory=dict)
    writing: Writing = field(default_factory=Writing)
    by_hand: tuple[str, ...] = ()

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
    secret = [one for one in tool.parameters if one.wire_name and (one.place, one.wire_name) in planned.secret]
    names = {place: {str(one.wire_name): variable_of(one.name) for one in secret if one.place == place} for place in _SECRET_IN}
    secrets, secret_headers, cookies, in_body = (names[place] for place in _SECRET_IN)
    beside = {
        kind: {one.name: one.variable for one in endpoint.authentication.beside if one.kind == kind} for kind in _BESIDE_IN
    }
    bare = replace(endpoint, authentication=_NONE)
    url = replace(planned, query=()).url(bare)
    if url.startswith(SANDBOX_URL + "/"):
        url = SERVED_SANDBOX_URL + url.removeprefix(SANDBOX_URL)
    body = {name: _placeholder(in_body.get(name)) or value for name, value in (planned.body or {}).items()}
    shown = replace(
        planned,
        headers=tuple(pair for pair in planned.headers if pair[0] not in secret_headers),
        cookies=tuple((name, _placeholder(cookies.get(name)) or value) for name, value in planned.cookies),
        secret=frozenset(),
    )
    headers = headers_of(shown, bare, masked=True)
    if planned.body is not None and planned.writing.kind != "multipart":
        headers["Content-Type"] = planned.writing.media_type
    return RequestTemplate(
        planned.method,
        url,
        tuple(pair for pair in planned.query if pair[0] not in secrets),
        secrets | beside["query"],
        headers,
        Proof.of(endpoint),
        None if planned.body is None else body,
        secret_headers | beside["header"],
        planned.writing,
        (*in_body.values(), *cookies.values(), *beside["cookie"].values()),
    )


def _placeholder(variable: str | None) -> str | None:
    return f"<{variable}>" if variable is not None else None


def variable_of(parameter: str) -> str:
    """The environment variable for a secret argument."""
    return parameter.upper()
