"""The result of a call: the response, or a failure with the service's own message, and every request that was made for it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, overload

import msgspec
from msgspec import Struct

from registry.accounts.connection import Connection
from registry.calling.arguments import Arguments
from registry.calling.receiving import is_text
from registry.calling.tracing import Trace
from registry.catalog.model import Tool
from registry.json_text import NotJson, read_json

# No engine stores a null character or a half of a surrogate pair, and msgspec refuses halves. Other escapes are stepped over.
_PAIR = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPES = re.compile(_PAIR + rb"|(?P<bad>\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\u0000)|\\.", re.DOTALL)


class Listing(Struct, frozen=True):
    """A list inside a response: the property names that lead to it, empty if the response is the list; and its items."""

    path: tuple[str, ...]
    items: Sequence[bytes]


class Items(Sequence[bytes]):
    """Items as slices of a text. They are copied when read: copying all would double the memory."""

    def __init__(self, slices: Sequence[bytes] | Sequence[msgspec.Raw]) -> None:
        self._slices = slices

    def __len__(self) -> int:
        return len(self._slices)

    @overload
    def __getitem__(self, place: int) -> bytes: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[bytes]: ...

    def __getitem__(self, place: int | slice) -> bytes | Sequence[bytes]:
        return bytes(self._slices[place]) if isinstance(place, int) else [bytes(one) for one in self._slices[place]]


def listing_in(body: bytes, at: str | None = None) -> Listing | None:
    """The list in a response; None if the response is one object.

    `at` is the dotted path of the list, as the tool declares it (`Result.items_at`). Without a path, or if nothing is there,
    the list is the response itself, or its only property.

    Raises:
        NotJson: the text is not JSON, or the reader refuses it.
    """
    start = body.lstrip()[:1]
    try:
        if start == b"[":
            return Listing((), items_in(body.strip(b" \t\r\n")))
        if start != b"{":
            return None
        if at and (raw := raw_at(body, at)) is not None and _begins(raw) == b"[":
            return Listing(tuple(at.split(".")), items_in(raw))
        members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        name = next(iter(members), "")
        only = members[name] if len(members) == 1 else b""
        return Listing((name,), items_in(only)) if _begins(only) == b"[" else None
    except RecursionError:
        raise NotJson("it is nested too deeply to be read") from None
    except msgspec.MsgspecError as error:
        raise NotJson(str(error)) from None


def items_in(text: bytes | msgspec.Raw) -> Items:
    """The items of a list; `msgspec.MsgspecError` if it is none, or not JSON."""
    return Items(msgspec.json.decode(text, type=list[msgspec.Raw]))


def raw_at(body: bytes, path: str) -> bytes | msgspec.Raw | None:
    """The raw JSON at a dotted path of an object; None if nothing is there.

    Raises:
        msgspec.MsgspecError: the text is not JSON.
    """
    found: bytes | msgspec.Raw | None = body.lstrip()
    for name in path.split("."):
        if found is None or _begins(found) != b"{":
            return None
        found = msgspec.json.decode(found, type=dict[str, msgspec.Raw]).get(name)
    return found


def _begins(text: bytes | msgspec.Raw) -> bytes:
    return bytes(memoryview(text)[:1])


def readable(item: bytes) -> bytes:
    """An item in which null characters and halves of surrogate pairs, which few readers take, are the text of their escapes."""
    if b"\\u" not in item:
        return item
    return _ESCAPES.sub(lambda found: b"\\" + found[0] if found["bad"] is not None else found[0], item)


class _Identified(msgspec.Struct):
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


# Each item of a whole list passes here: all other properties are skipped. A type is read once: see registry.catalog.folders.
_identified = msgspec.json.Decoder(_Identified).decode


def id_of(item: bytes) -> bytes | None:
    """The id of an item as JSON text, quotes included; None if it has no id."""
    try:
        value = _identified(item).id
    except (msgspec.MsgspecError, RecursionError):
        if (plain := readable(item)) == item:
            return None
        return id_of(plain)
    text = b"null" if value is msgspec.UNSET else readable(bytes(value))
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
    items: Sequence[bytes] | None = None
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
    def listing(self) -> Listing | None:
        """The list in the response; None if it is one object. Read once, then kept; may block.

        Raises:
            InvalidJson: the body is not JSON, or the reader refuses it.
        """
        if self.items is not None and self.items_at is not None:
            return Listing(tuple(filter(None, self.items_at.split("."))), self.items)
        # Not a cached_property: its lock, shared by all results, would make a screen wait for a thread that reads another one.
        known = vars(self)
        if "_listing" not in known:
            known["_listing"] = listing_in(self.body, self.items_at)
        found: Listing | None = known["_listing"]
        return found

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


class FinishedCall(msgspec.Struct, frozen=True):
    """A call that has ended, for the history.

    Attributes:
        tool: the tool that was called.
        arguments: its arguments, secrets included.
        connection: the connection it used.
        result: its result; None if it was cut off.
        at: when it started, in Unix seconds.
        elapsed: its duration in seconds.
        is_part: it fetched one page of a whole list; these are too many to keep all their bodies.
        exchanges: every request that was sent, also if the call was cut off.
    """

    tool: Tool
    arguments: Arguments
    connection: Connection
    result: Result | None
    at: float
    elapsed: float
    is_part: bool = False
    exchanges: tuple[Trace, ...] = ()
