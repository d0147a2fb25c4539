"""Error responses and broken connections: as failures in words, and whether to try again.

Error bodies differ: each service declares where type, code, message, parameter and documentation link are; other bodies
are read by common property names. The next step depends on the HTTP status, which means the same everywhere.

Only reads are repeated: a write or a delete whose response was lost may have been done. The service declares which statuses are
temporary and which headers contain a wait. Such a wait is used unchanged; otherwise the wait doubles, with jitter, so that many
callers do not retry at once.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import ceil, isfinite
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec
from msgspec.structs import replace

from registry.accounts.connection import NOT_FOLLOWED
from registry.calling.receiving import Response, ResponseLimits, redacted_text
from registry.calling.result import Failure, FailureKind
from registry.catalog.model import Tool
from registry.catalog.service import ErrorBody, LastingLimit, Retry, Service
from registry.files.folders import network_words
from registry.json_text import NotJson, read_json
from registry.text.shown import bare, shortened, visible_line

ATTEMPTS = 4
LONGEST_WAIT = 30.0
"""Seconds; a read is not repeated if the service wants a longer wait."""

_FIRST_WAIT, _LONGEST_OWN_WAIT, _NEVER = 0.5, 8.0, 366 * 86_400.0
_LONGEST_PERMISSION, _LONGEST_SENTENCE = 100, 2_000
_WORDS = ("message", "detail", "title", "description")
# Usual forms of services without a declaration, and of proxies; the second is RFC 9457.
_GENERAL = (
    ErrorBody(cause=("error.message", "message", "error", "error_description")),
    ErrorBody(cause=("detail", "title"), type=("type",)),
)

_MEANINGS = {
    400: ("Bad request", "Fix the value named above and run it again."),
    401: ("Credential rejected", "Check the account's credential: it may be missing, mistyped, expired or revoked."),
    402: ("Request failed", "Fix the cause above first; repeating the same request will fail again."),
    403: ("Permission denied", "Use a credential that has the permission named above."),
    404: ("Not found", "Check the id, and that it belongs to this account and to the same mode (test or live)."),
    408: ("Request timed out", "Request less data, or run it again."),
    409: ("Conflict", "If another request was changing the same object, wait a moment and run it again."),
    414: ("Request too long", "Pass fewer ids."),
    429: ("Too many requests", "Wait a moment and run it again."),
}
"""What an HTTP status means in a few words, and what to do next."""

_MAYBE_DONE = "The change may have been made. Check before you run it again."

_BROKEN_OFF = re.compile("closed|disconnected|truncated")


class CallFailed(Exception):
    """A call that failed. `failure` says why; `response` is what the service sent, if anything."""

    def __init__(self, failure: Failure, response: Response | None = None) -> None:
        super().__init__(failure.title)
        self.failure = failure
        self.response = response


class BadProxy(ValueError):
    """A proxy from the environment that cannot be used. The text names the variable and what to do, but not its value.

    The value may contain a password.
    """


def failure_of(tool: Tool, service: Service, came: Response, *, anonymous: bool = False) -> Failure:
    """The failure of an error response. `anonymous`: no credential was sent."""
    status, headers = came.status, came.headers
    kind: FailureKind = "authentication" if status in (401, 403) else "service"
    other = f"Unexpected status {status}", "Check the request and the address."
    title, following = _MEANINGS.get(status, ("Server error", "Run it again in a moment.") if status >= 500 else other)
    seconds = retry_after(came, service.response.retry)
    if status == 401 and anonymous:
        title, following = "Credential needed", _credential_for(tool, service)
    if (lasting := lasting_limit(came, service.response.retry)) is not None:
        seconds, following = None, lasting.following
    elif status == 429 and seconds:
        following = f"Wait {ceil(seconds)} s and run it again."
    if tool.effect != "read" and (status >= 500 or status == 408):
        following = _MAYBE_DONE
    try:
        content = read_json(came.body)
    except NotJson:
        content = None
    fields = error_in(content, service.response.errors)
    cause = fields.pop("cause", None) or f"HTTP {status}, without a message."
    if (
        content is None
        and bare(headers.get("content-type", "")) == "text/plain"
        and (words := came.body.decode("utf-8", "replace").strip())
    ):
        cause = shortened(visible_line(words), 300)
    if 300 <= status < 400 and (leads := headers.get(NOT_FOLLOWED) or headers.get("location")):
        title, following = (
            "Redirected",
            "A redirect is not followed: the credential would go there. Check the account's URL.",
        )
        cause = f"HTTP {status} leads to {shortened(visible_line(leads), 500)}"
    if content is None and bare(headers.get("content-type", "")) == "text/html":
        cause = f"HTTP {status} came with an HTML page instead of an API error; it may come from a proxy."
    for name in ("type", "code"):
        if fields.get(name) in (cause, str(status)):  # both are shown beside it
            del fields[name]
    if wire_name := fields.pop("parameter", None):
        own_names = (one.name for one in tool.parameters if one.wire_name in (wire_name, f"{wire_name}[]"))
        fields["parameter"] = next(own_names, wire_name)
    return Failure(kind, title, cause, following, retry_after=seconds, **fields)


def _credential_for(tool: Tool, service: Service) -> str:
    """How to give a call the credential that it was sent without."""
    header = "add the toolkit again with --bearer or --header NAME"
    if tool.security == ():
        return f"The document says that this call takes no credential. If it does, {header}."
    asked = ", or ".join(" and ".join(way.variables) for way in service.authentication if way.variables)
    account = f"Set {asked}, or add an account (F6, or callboard account add {service.name} --name NAME)."
    return account if tool.security is not None else f"{account} If the service wants it in another header, {header}."


def too_large(tool: Tool, bounds: ResponseLimits) -> Failure:
    """The failure of a response that is larger than allowed; the rest of it is not received."""
    size = f"{bounds.size / 1_000_000:.3g} MB" if bounds.size >= 1_000_000 else f"{bounds.size:,} bytes"
    cause = f"The response exceeds the limit of {size}; the download was stopped."
    way_out = "Request less data: lower the limit or use narrower filters." if tool.effect == "read" else _MAYBE_DONE
    return Failure("protocol", "Response too large", cause, way_out)


NO_RESPONSE = (CallFailed, BadProxy, httpx.HTTPError, httpx.InvalidURL, UnicodeError, TimeoutError)
"""The errors of an attempt that brought no response; those of `httpx.HTTPError` may be gone at the next attempt."""


def without_response(
    tool: Tool, error: Exception, host: str, bounds: ResponseLimits, hide: Callable[[bytes], bytes]
) -> Failure:
    """The failure of an attempt that brought no response; `hide` redacts secrets."""
    reads = tool.effect == "read"
    match error:
        case CallFailed():  # it is known what went wrong
            return replace(error.failure, cause=redacted_text(error.failure.cause, hide))
        case BadProxy():
            way_out = "Fix the variable, or unset it, and run it again."
            return Failure("connection", "Invalid proxy setting", str(error), way_out)
        case httpx.InvalidURL() | UnicodeError():  # of a host name that no machine can have
            unusable = f"The address cannot be used: {redacted_text(str(error), hide)}."
            cause = f"{host} is not a valid host name." if isinstance(error, UnicodeError) else unusable
            way_out = "Nothing was sent. Shorten or correct the arguments, or the account's URL."
            return Failure("connection", "Request not sent", cause, way_out, type="InvalidURL")
        case TimeoutError():
            cause = f"{host} did not finish the response within {bounds.whole:g} s."
            way_out = "Request less data, or try again later." if reads else _MAYBE_DONE
            return Failure("connection", "Response took too long", cause, way_out)
    name, message = type(error).__name__, redacted_text(network_words(error), hide)
    broken_off = f"{host} closed the connection: {message}" if message else f"{host} closed the connection."
    no_http = f"The response of {host} is not valid HTTP: {message}"
    cause = {
        "ConnectTimeout": f"Timed out connecting to {host}.",
        "ReadTimeout": f"Timed out waiting for a response from {host}.",
        "WriteTimeout": f"Timed out sending the request to {host}.",
        "PoolTimeout": "Too many calls were running at once.",
        "ReadError": broken_off,
        "WriteError": broken_off,
        "RemoteProtocolError": no_http if message and not _BROKEN_OFF.search(message) else broken_off,
        "DecodingError": f"The response of {host} cannot be decompressed: {message}",
    }.get(name, f"Cannot reach {host}: {message}" if message else f"Cannot reach {host}.")
    way_out = "Check the network and the account's URL, then run it again."
    if not reads and name not in ("ConnectTimeout", "ConnectError"):
        way_out = "The response was lost, so the change may have been made. Check before you run it again."
    return Failure("connection", "No response", cause, way_out, type=name)


def no_account(service: Service, needs: str, other: str = "") -> Failure:
    """The failure of a call without an account, or whose account has an `other` credential; nothing was sent."""
    cause = f"{service.title} is not part of the sandbox. It needs an account of yours."
    if other:
        cause = f"The account has {other}, and this call takes another credential; a credential goes nowhere else."
    return Failure("refused", f"No account for {service.title}", cause, f"Set {needs}, then start Callboard again.")


def not_json(tool: Tool, came: Response, why: str) -> Failure:
    """The failure of a response that should be JSON and is not; `why` gives the reason."""
    status, kind = came.status, bare(came.headers.get("content-type", ""))
    if kind.endswith("json"):
        cause = f"HTTP {status}: the JSON is invalid or truncated ({len(came.body)} bytes): {why}."
        following = "Run it again. If it keeps failing, check for a proxy that alters responses."
    else:
        cause = f"HTTP {status}: expected JSON, got {kind or 'no content type'}: {why}."
        following = "Check the account's URL, and whether a proxy intercepts the request."
    if tool.effect != "read":
        following = _MAYBE_DONE
    return Failure("protocol", "Invalid response", cause, following)


def wait_before_retry(attempt: int, came: Response | None, rules: Retry, *, now: datetime | None = None) -> float | None:
    """Seconds to wait before the next attempt at a read, or None to give up.

    `attempt` counts from 1. `came` is None if the connection failed. `now` is for a wait that is a date.
    """
    if attempt >= ATTEMPTS or (came is not None and lasting_limit(came, rules) is not None):
        return None
    if came is not None:
        should = came.headers.get(rules.decides or "")
        if should == "false" or (should != "true" and came.status not in rules.statuses):
            return None
        if (requested := retry_after(came, rules, now=now)) is not None:
            return requested if requested <= LONGEST_WAIT else None
    wait = min(_FIRST_WAIT * float(2 ** (attempt - 1)), _LONGEST_OWN_WAIT)
    return wait * random.uniform(0.5, 1.0)


def lasting_limit(came: Response, rules: Retry) -> LastingLimit | None:
    """The limit that a response refuses with, if no wait of seconds ends it. Of several limits the one that it names counts."""
    if came.status != 429 or rules.lasting is None:
        return None
    name, value = rules.lasting.named
    try:
        said = read_json(came.body).get(name)
    except (NotJson, AttributeError):
        said = None
    reached = said == value if said is not None else came.headers.get(rules.lasting.left) == "0"
    return rules.lasting if reached else None


def retry_after(came: Response, rules: Retry, *, now: datetime | None = None) -> float | None:
    """Seconds to wait before the next request, as the service says; None if it does not say."""
    present, is_limited = now or datetime.now(UTC), came.status == 429
    for name in (*rules.seconds, *(rules.seconds_when_limited if is_limited else ())):
        if (seconds := _seconds(came.headers.get(name), present)) is not None:
            return seconds
    for name in rules.milliseconds_when_limited if is_limited else ():
        interval = came.headers.get(name, "")
        if interval.isascii() and interval.isdigit():
            return int(interval[:12]) / 1000
    return None


def _seconds(text: str | None, now: datetime) -> float | None:
    """The seconds in a header, a number or a date: at most a year, so that clocks and calendars can take them."""
    try:
        seconds = float(text or "")
    except ValueError:
        try:
            moment = parsedate_to_datetime(text or "")
        except (ValueError, OverflowError):  # also a year or a zone that no calendar has
            return None
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds()
    return min(max(seconds, 0.0), _NEVER) if isfinite(seconds) else None


UNEXPECTED = "Unexpected response to a change"
"""The title of the failure of a change whose response was received but does not show that the change was made."""


def not_of_a_change(service: Service, came: Response) -> Failure | None:
    """The failure of a change whose successful response is a list, such as the page in a cache; None for other responses."""
    if not is_list(service, came.body):
        return None
    cause = f"HTTP {came.status} returned a list instead of the changed object."
    return Failure("protocol", UNEXPECTED, cause, _MAYBE_DONE)


def is_list(service: Service, body: bytes) -> bool:
    """Whether the body of a response is an array, or a page in one of the forms that the service declares.

    An object with an id is not a page, even if it has a list under the name that pages use, as an order has its items.
    """
    first, members = body.lstrip()[:1], dict[str, msgspec.Raw]()
    if first == b"{":
        try:
            members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return False  # reported elsewhere
    if "id" in members:
        return False
    held = [members[paging.items] for paging in service.response.paging.values() if paging.items in members]
    return first == b"[" or any(bytes(one).startswith(b"[") for one in held)


def not_a_file(came: Response) -> Failure | None:
    """The failure of a response that should be a file and is an HTML page or JSON; None when it may be a file."""
    status, kind = came.status, bare(came.headers.get("content-type", ""))
    if kind != "text/html" and not kind.endswith("json"):
        return None
    cause = f"HTTP {status}: expected a file, got {kind}. Nothing was saved."
    following = "Check the account's URL, and whether a proxy intercepts the request."
    return Failure("protocol", "Not a file", cause, following)


def error_in(content: Any, shapes: Sequence[ErrorBody]) -> dict[str, Any]:
    """The contents of an error body as fields of a failure; missing ones are left out.

    The first of the declared `shapes` that has a cause is used; then common property names are tried.
    """
    if not isinstance(content, dict):
        return {}
    for shape in (*shapes, *_GENERAL):
        if (cause := _first(content, shape.cause)) is not None:
            return {
                "cause": cause,
                "type": _first(content, shape.type),
                "code": _first(content, shape.code),
                "parameter": _first(content, shape.parameter),
                "documentation": _link(_first(content, shape.documentation)),
                "permission": _permission(content, shape),
                "request_id": _first(content, shape.request_id),
                "details": tuple(text for text in _details(content, shape.details) if text != cause),
            }
    # Without a cause, type and code are still worth showing.
    fields = {"type": [one.type for one in shapes], "code": [one.code for one in shapes]}
    return {name: next((text for one in paths if (text := _first(content, one))), None) for name, paths in fields.items()}


def values_at(content: Any, path: str) -> list[Any]:
    """The values at a path: dotted names, ``[]`` for every item of a list, ``*`` for the first property of an object."""
    found = [content]
    for step in path.split("."):
        following: list[Any] = []
        for one in found:
            if step == "[]":
                following += one if isinstance(one, list) else ()
            elif step == "*":
                following += list(one.values())[:1] if isinstance(one, dict) else ()
            elif isinstance(one, dict) and step in one:
                following.append(one[step])
        found = following
    return found


def _first(content: Any, paths: Sequence[str]) -> str | None:
    for path in paths:
        found = [text for value in values_at(content, path) if (text := _text(value)) is not None]
        if len(found) == 1:
            return found[0]
    return None


def _details(content: Any, paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        for value in values_at(content, path):
            text = _item_text(value) if isinstance(value, dict) else _text(value)
            if text:
                yield text


def _item_text(item: dict[str, Any]) -> str:
    """An object in a list of details: its message, and the lists inside it with their names."""
    parts = [next((text for name in _WORDS if (text := _text(item.get(name)))), "")]
    for value in item.values():
        if isinstance(value, dict):
            parts += [f"{name}: {', '.join(map(str, values))}" for name, values in value.items() if isinstance(values, list)]
    return " · ".join(part for part in parts if part)


def _text(value: Any) -> str | None:
    if isinstance(value, str | int) and not isinstance(value, bool):
        # Lone surrogates, which no database, file or address can hold, become escapes again, as they were received.
        return str(value).encode("utf-8", "backslashreplace").decode() or None
    return None


def _permission(content: Any, shape: ErrorBody) -> str | None:
    """The missing permission; if one of several is enough, the first."""
    texts = [text for path in shape.permission for value in values_at(content, path) if (text := _text(value)) is not None]
    if shape.permission_pattern is None:
        return texts[0][:_LONGEST_PERMISSION] if texts else None
    found = (re.search(shape.permission_pattern, text[:_LONGEST_SENTENCE]) for text in texts)
    return next((match.group(1)[:_LONGEST_PERMISSION] for match in found if match is not None), None)


def _link(text: str | None) -> str | None:
    try:
        return text if text is not None and urlsplit(text).scheme == "https" else None
    except ValueError:
        return None
