"""Answers that say no, and connections that break, as failures in words.

Error bodies differ; where each service puts type, code, message, parameter and documentation link, it declares, and what a body
of another form tells is understood by general habit. What a reader should do next follows from the status, which means the same
everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import ceil
from typing import TYPE_CHECKING

import msgspec

from registry.calling.error_bodies import error_in
from registry.calling.receiving import Response
from registry.calling.result import Failure, FailureKind
from registry.calling.retrying import retry_after
from registry.calling.strict_json import NotJson, loads
from registry.catalog.model import Tool
from registry.catalog.service import Service

if TYPE_CHECKING:
    import httpx

    from registry.connections.renewed_secret import CredentialProblem

_TITLES = {
    400: "The service refused the request",
    401: "The service does not accept the credential",
    402: "The request was valid and failed",
    403: "The credential may not do this",
    404: "There is no such object",
    408: "The service took too long",
    409: "It conflicts with what is there",
    414: "The request is too long",
    429: "Too many requests",
}

_NEXT_STEPS = {
    400: "Correct what it names and run again.",
    401: "Check the connection's credential: it may be missing, mistyped, expired or revoked.",
    402: "Read the cause; the same request will fail again.",
    403: "Use a credential with the right that it names.",
    404: "Check the id, and that it belongs to this account and mode.",
    408: "Narrow the request, or run it again.",
    409: "Read the cause. If something else was changing it, run it again in a moment.",
    414: "Give fewer ids.",
    429: "Wait a moment and run it again.",
}

_MAYBE_DONE = "It may have been done all the same: look before you run it again."


# What Python puts around the system's own words.
_PYTHONS = re.compile(r"\[Errno -?\d+\] |\s?\(_ssl\.c:\d+\)")


class BadProxy(ValueError):
    """A proxy that the environment names and that cannot be used: the variable and the way out, never its value.

    The value may hold a password.
    """


def failure_of(tool: Tool, service: Service, came: Response) -> Failure | None:
    """The failure that an answer stands for, or None when it is a success."""
    status, headers = came.status, came.headers
    if 200 <= status < 300:
        return None
    kind: FailureKind = "authentication" if status in (401, 403) else "service"
    title = _TITLES.get(status, "The service failed" if status >= 500 else f"The service answered {status}")
    following = _NEXT_STEPS.get(status, "Run it again in a moment." if status >= 500 else "Check the request and the address.")
    seconds = retry_after(status, headers, service.response.retry)
    if status == 429 and seconds:
        following = f"Wait {ceil(seconds)} s and run it again."
    if tool.effect != "read" and (status >= 500 or status == 408):
        following = _MAYBE_DONE
    try:
        content = loads(came.body)
    except NotJson:
        content = None
    told = error_in(content, service.response.errors)
    cause = told.pop("cause", None) or f"HTTP {status}, without a message."
    if content is None and _media_type(headers) == "text/html":
        cause = f"HTTP {status} came with a page and not with the service's own words: it may come from a proxy in between."
    parameter = told.pop("parameter", None)
    return Failure(kind, title, cause, following, parameter=_own_name(tool, parameter), retry_after=seconds, **told)


def connection_failure(
    tool: Tool, error: httpx.HTTPError | httpx.InvalidURL, host: str, hide: Callable[[bytes], bytes]
) -> Failure:
    """The failure that a broken or missing connection stands for; `hide` masks what must not be told."""
    name = type(error).__name__
    told = _PYTHONS.sub("", hide(str(error).encode("utf-8", "replace")).decode("utf-8", "replace"))
    broken_off = f"{host} broke the connection off: {told}" if told else f"{host} broke the connection off."
    cause = {
        "ConnectTimeout": f"{host} did not accept a connection in time.",
        "ReadTimeout": f"{host} stopped answering.",
        "WriteTimeout": f"{host} stopped taking data.",
        "PoolTimeout": "Too many calls were under way at once.",
        "ReadError": broken_off,
        "WriteError": broken_off,
        "RemoteProtocolError": broken_off,
    }.get(name, f"{host} could not be reached: {told}" if told else f"{host} could not be reached.")
    following = "Check the network and the connection's address, then run it again."
    if tool.effect != "read" and name not in ("ConnectTimeout", "ConnectError"):
        following = "The answer was lost, so it may have been done: look before you run it again."
    return Failure("connection", "No answer from the service", cause, following, type=name)


def bad_proxy(cause: str) -> Failure:
    """The failure of a proxy setting that cannot be used; nothing was sent."""
    return Failure(
        "connection", "The proxy setting cannot be used", cause, "Correct the variable, or unset it, and run it again."
    )


def no_credential(problem: CredentialProblem) -> Failure:
    """The failure of a call whose credential has ended and could not be renewed."""
    return Failure("authentication", problem.title, problem.cause, problem.way_out)


def response_too_slow(tool: Tool, host: str, seconds: float) -> Failure:
    """The failure of an answer that keeps coming without an end."""
    cause = f"{host} had not finished its answer after {seconds:g} s."
    following = "Ask for less at once, or run it again later." if tool.effect == "read" else _MAYBE_DONE
    return Failure("connection", "The answer takes too long", cause, following)


def no_account(service: Service, needs: str) -> Failure:
    """The failure of a call for which there is no account; nothing was sent."""
    cause = f"{service.title} needs an account of your own: it is not in the sandbox."
    return Failure("refused", f"There is no account for {service.title}", cause, f"Set {needs}, then start Callboard again.")


def response_too_large(tool: Tool, largest: int) -> Failure:
    """The failure of an answer that is larger than can be kept."""
    size = f"{largest / 1_000_000:.3g} MB" if largest >= 1_000_000 else f"{largest:,} bytes"
    cause = f"The answer is larger than {size}; it was not read to its end."
    following = "Ask for less at once: a smaller limit, a narrower filter." if tool.effect == "read" else _MAYBE_DONE
    return Failure("protocol", "The answer is too large", cause, following)


def not_json(tool: Tool, came: Response, why: str) -> Failure:
    """The failure of an answer that should be JSON and is not; `why` says what stands against it."""
    status, kind = came.status, _media_type(came.headers)
    if kind.endswith("json"):
        cause = f"HTTP {status} came with JSON that is damaged or breaks off ({len(came.body)} bytes): {why}."
        following = "Run it again; if it happens again, something in between harms the answers."
    else:
        cause = f"HTTP {status} came with a body that is not JSON ({kind or 'no content type'}): {why}."
        following = "Check the connection's address, and whether a proxy answers in the service's place."
    if tool.effect != "read":
        following = _MAYBE_DONE
    return Failure("protocol", "The answer cannot be read", cause, following)


def not_of_a_change(service: Service, came: Response) -> Failure | None:
    """The failure of a list that came in the place of a change's answer; None for every other answer.

    Something in between may answer with what it has: a page of a cache, the answer to somebody else.
    """
    first, members = came.body.lstrip()[:1], dict[str, msgspec.Raw]()
    if first == b"{":
        try:
            members = msgspec.json.decode(came.body, type=dict[str, msgspec.Raw])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None  # what is wrong with it is told elsewhere
    held = [members[paging.items] for paging in service.response.paging.values() if paging.items in members]
    if first != b"[" and not any(bytes(one).startswith(b"[") for one in held):
        return None
    cause = f"HTTP {came.status} came with a list, which is no answer to a change."
    return Failure("protocol", "The answer is not a change's", cause, _MAYBE_DONE)


def not_a_file(came: Response) -> Failure | None:
    """The failure of an answer that should be a file and is a page or a message; None when it may be a file."""
    status, kind = came.status, _media_type(came.headers)
    if kind != "text/html" and not kind.endswith("json"):
        return None
    cause = f"HTTP {status} came with {kind} in place of the file; nothing was saved."
    following = "Check the connection's address, and whether a proxy answers in the service's place."
    return Failure("protocol", "The answer is not a file", cause, following)


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _own_name(tool: Tool, wire_name: str | None) -> str | None:
    """The tool's own name of a parameter that the service calls by its wire name."""
    if wire_name is None:
        return None
    for parameter in tool.parameters:
        if parameter.wire_name in (wire_name, wire_name + "[]"):
            return parameter.name
    return wire_name
