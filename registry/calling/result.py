"""The result of a call: the response, or a failure with the service's own message, and every request that was made for it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import msgspec

from registry.calling.receiving import is_text
from registry.calling.tracing import Trace
from registry.json_text import NotJson, read_json

# No engine stores a null character or a half of a surrogate pair, and msgspec refuses halves. Other escapes are stepped over.
_PAIR = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPES = re.compile(_PAIR + rb"|(?P<bad>\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\u0000)|\\.", re.DOTALL)

RawItems = Sequence[msgspec.Raw]
"""A page's items as slices of its text: copying all would double the memory."""


def readable(item: bytes) -> bytes:
    """An item in which null characters and halves of surrogate pairs, which few readers take, are the text of their escapes."""
    if b"\\u" not in item:
        return item
    return _ESCAPES.sub(lambda found: b"\\" + found[0] if found["bad"] is not None else found[0], item)


class _Identified(msgspec.Struct):
    id: msgspec.Raw = msgspec.Raw(b"null")


# Each item of a whole list passes here: all other properties are skipped. A type is read once: see registry.catalog.folders.
_identified = msgspec.json.Decoder(_Identified).decode


def id_of(item: bytes | msgspec.Raw) -> bytes | None:
    """The id of an item as JSON text, quotes included; None if it has no id."""
    try:
        text = readable(bytes(_identified(item).id))
    except (msgspec.MsgspecError, RecursionError):
        if (plain := readable(bytes(item))) == item:
            return None
        return id_of(plain)
    return text if text.startswith(b'"') or text.lstrip(b"-").isdigit() else None


FailureKind = Literal["service", "authentication", "connection", "protocol", "refused", "local"]
Became = Literal["done", "gone", "refused", "not done", "unknown"]


class Failure(msgspec.Struct, frozen=True):
    """Why a call failed: a title, a cause and the next step, in words; and the service's own terms.

    Attributes:
        kind: ``service`` (it returned an error), ``authentication`` (it rejects the credential), ``connection`` (it was not
            reached, or the connection broke), ``protocol`` (its response is invalid), ``refused`` (not sent),
            ``local`` (a problem with a file or disk of this machine).
        title: a few words.
        cause: what happened, with the service's message if there is one.
        next_step: what to do next.
        type: the service's error type or category.
        code: the service's error code.
        parameter: the tool's parameter at fault, or the service's name for it.
        documentation: the service's page about the error; https only.
        details: further messages of the service.
        permission: the permission or scope that the credential lacks, if the service names one.
        request_id: the service's id of the request, if the error has it.
        retry_after: seconds to wait before the next request, as the service says; None if it does not say.
    """

    kind: FailureKind
    title: str
    cause: str
    next_step: str
    type: str | None = None
    code: str | None = None
    parameter: str | None = None
    documentation: str | None = None
    details: tuple[str, ...] = ()
    permission: str | None = None
    request_id: str | None = None
    retry_after: float | None = None


class ResultPage(msgspec.Struct, frozen=True):
    """The position of a page in its list.

    Attributes:
        items: how many items it has.
        has_more: whether the list continues in the requested direction.
        next: the arguments to change for the next page; None if there is none.
        previous: the arguments to change for the previous page; None if there is none, or the service cannot page back.
        total: how many items the list has, if the service says so.
    """

    items: int
    has_more: bool
    next: Mapping[str, object] | None = None
    previous: Mapping[str, object] | None = None
    total: int | None = None


@dataclass(frozen=True)
class Result:
    """The result of one call.

    Attributes:
        tool: name of the tool.
        connection: name of the connection that it used.
        status: HTTP status of the (last) response; None without a response.
        headers: the (last) response's headers by lower-case name.
        body: the response's JSON text, as received; may be empty.
        elapsed: duration of the whole call in seconds, retries included.
        exchanges: every request that was sent, in order, each attempt by itself.
        failure: why there is no result; None on success.
        page: the position of the page in its list; None if the response is not a page.
        items: the page's items, as received; None if the response is not a page.
        items_at: the dotted path of a list's items in the body, empty if the body is the list; None if it is not a list.
        notes: notes for the user, for instance on a part that could not be read.
        files: media type and bytes of images and other files in the response, which its JSON only names; never stored.
        arguments: the checked arguments of the call, secrets included, so never show them.
        at: when the call started, in Unix seconds.
        became: the outcome of a change: ``done``; ``gone`` (it no longer existed); ``refused`` (by the service, the user,
            or a rule that the check found broken); after a lost response also ``not done`` or ``unknown``. None for reads.
    """

    tool: str
    connection: str
    status: int | None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    elapsed: float = 0.0
    exchanges: tuple[Trace, ...] = ()
    failure: Failure | None = None
    page: ResultPage | None = None
    items: RawItems | None = None
    items_at: str | None = None
    notes: tuple[str, ...] = ()
    files: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)
    arguments: Mapping[str, object] = field(default_factory=dict, repr=False)
    at: float = 0.0
    became: Became | None = None

    @property
    def ok(self) -> bool:
        """Whether the call succeeded."""
        return self.failure is None

    def connection_of(self, place: int) -> str:
        """The connection that an item came through; `place` counts from 0."""
        return self.connection

    @property
    def size(self) -> int:
        """The size of the body in bytes."""
        return len(self.body)

    @property
    def request_id(self) -> str | None:
        """The service's id of the last request."""
        said = self.failure.request_id if self.failure is not None else None
        return next((trace.request_id for trace in reversed(self.exchanges) if trace.request_id), said)

    @property
    def text(self) -> str | None:
        """The text of a response that is no JSON, such as CSV or XML: the body holds it as a JSON string. None for others."""
        return self.json if self.body.startswith(b'"') and is_text(self.headers.get("content-type", "")) else None

    @cached_property
    def json(self) -> Any:
        """The response as Python values; None if it is empty or not JSON."""
        try:
            return read_json(self.body) if self.body else None
        except NotJson:
            return None
