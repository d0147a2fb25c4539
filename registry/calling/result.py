"""The result of a call: the response, or a failure with the service's own words, and every request that was made for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from registry.calling.strict_json import NotJson, loads

if TYPE_CHECKING:
    from registry.calling.items import Listing

FailureKind = Literal["service", "authentication", "connection", "protocol", "refused", "local"]
Became = Literal["done", "gone", "refused", "not done", "unknown"]


class Failure(msgspec.Struct, frozen=True):
    """Why a call failed: a title, a cause and what to do next, in words; and the service's own terms.

    Attributes:
        kind: ``service`` (it said no), ``authentication`` (it does not accept the credential), ``connection`` (it was not
            reached, or the connection broke), ``protocol`` (its answer could not be understood), ``refused`` (not sent),
            ``local`` (a file or the disk of this machine stood in the way).
        title: a few words.
        cause: what happened, with the service's message where there is one.
        next_step: what to do next.
        type: the service's error type or category.
        code: the service's error code.
        parameter: the tool's parameter at fault, or the service's name for it.
        documentation: the service's page about the error; https only.
        details: further messages of the service.
        permission: the permission or scope that the credential lacks, where the service names one.
        retry_after: seconds after which the service wants to be asked again; None where it does not say.
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
    retry_after: float | None = None


class Exchange(msgspec.Struct, frozen=True):
    """One request that was sent and what came back.

    Attributes:
        method: HTTP method.
        url: address with secret values redacted.
        status: HTTP status; None when no answer came.
        elapsed: seconds from sending to the last byte.
        size: bytes of the response's body.
        request_id: the service's id of the request, for reports of faults.
        fault: what went wrong on the way, in words; None when an answer came.
    """

    method: str
    url: str
    status: int | None
    elapsed: float
    size: int = 0
    request_id: str | None = None
    fault: str | None = None


class ResultPage(msgspec.Struct, frozen=True):
    """The position of a page in its list.

    Attributes:
        items: how many items are on it.
        has_more: whether the list goes on in the direction in which it was asked for.
        next: arguments that differ for the next page; None when there is none.
        previous: arguments that differ for the previous page; None when there is none, or the service cannot page back.
        total: how many items there are in all, where the service says so.
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
        connection: name of the connection that it went through.
        status: HTTP status of the (last) answer; None when none came.
        headers: the (last) answer's headers by lower-case name.
        body: the response's JSON text, as it came; empty when there is none.
        elapsed: seconds that the whole call took, retries included.
        exchanges: every request that was sent, in order.
        failure: why there is no answer; None when all went well.
        page: where the page stands in its list; None for answers that are no page.
        items: the page's items, each as the JSON text that came, where the call was asked for them.
        items_at: the dotted path of a list's items in the body, empty for a body that is the list; None for what is no list.
        notes: what the reader of the answer should know, for instance a part that could not be read.
        files: media type and bytes of images and other files in the answer, which its JSON only names; never kept.
        unusual: what is unusual in the response's JSON, in words: duplicate properties, lone surrogates.
        arguments: what it was called with, checked; secrets are among them, so they are shown by nobody.
        at: when the call began, in Unix seconds.
        became: the outcome of a change: ``done``; ``gone`` (it was not there any more); ``refused`` (by the service, the user,
            or a rule that the look saw broken); after a lost response also ``not done`` or ``unknown``. None for reads.
    """

    tool: str
    connection: str
    status: int | None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    elapsed: float = 0.0
    exchanges: tuple[Exchange, ...] = ()
    failure: Failure | None = None
    page: ResultPage | None = None
    items: Sequence[bytes] | None = None
    items_at: str | None = None
    notes: tuple[str, ...] = ()
    files: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)
    unusual: tuple[str, ...] = ()
    arguments: Mapping[str, object] = field(default_factory=dict, repr=False)
    at: float = 0.0
    became: Became | None = None

    @property
    def ok(self) -> bool:
        """Whether the call did what it was asked to do."""
        return self.failure is None

    def connection_of(self, place: int) -> str:
        """The connection that the item at a place, counted from 0, came through."""
        return self.connection

    @property
    def size(self) -> int:
        """Bytes of the answer."""
        return len(self.body)

    @property
    def request_id(self) -> str | None:
        """The service's id of the last request."""
        return next((exchange.request_id for exchange in reversed(self.exchanges) if exchange.request_id), None)

    def is_about(self, listing: Listing) -> None:
        """Take note of the list that the answer is about, where it is known already."""
        vars(self)["_listing"] = listing

    @property
    def listing(self) -> Listing | None:
        """The list that the answer is about; None when it is about one object. It is taken apart once; that may block.

        Raises:
            InvalidJson: the body is not JSON, or of a form that cannot be taken apart.
        """
        # No cached_property: its lock, one for all results, would let a screen wait for a thread that reads another one.
        known = vars(self)
        if "_listing" not in known:
            from registry.calling.items import listing_in

            known["_listing"] = listing_in(self.body, self.items_at)
        found: Listing | None = known["_listing"]
        return found

    @cached_property
    def json(self) -> Any:
        """The answer as Python values; None when it is empty or not JSON."""
        try:
            return loads(self.body) if self.body else None
        except NotJson:
            return None
