"""Spans of calls and of their requests, without data of requests or responses.

Names and attributes follow OpenTelemetry's conventions for HTTP clients and for MCP.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from registry.calling.tracing import CallSpan, RequestSpan, Spans
from registry.telemetry.exporting import Exporting
from registry.telemetry.record import Attribute, SpanRecord

if TYPE_CHECKING:
    from registry.accounts.connection import Endpoint
    from registry.calling.request import PlannedRequest
    from registry.catalog.model import Tool
    from registry.telemetry.setting import Telemetry

_FAILED = 400


class TelemetrySpans(Spans):
    """Makes spans and has them sent.

    Args:
        wanted: the settings: where they are sent, and which hosts get ``traceparent``.
        tools: returns all tools: each request of a composed tool is named after the tool for its path.
    """

    def __init__(self, wanted: Telemetry, tools: Callable[[], Iterable[Tool]]) -> None:
        self._exporting = Exporting(wanted.endpoint)
        self._hosts = wanted.hosts
        self._tools = tools

    def call(self, tool: Tool) -> CallSpan:
        """Start the span of a call."""
        record = SpanRecord(tool.name, "internal", _number(128), _number(64), 0, {**_of(tool), "callboard.effect": tool.effect})
        return _Call(record, tool, self._exporting.take, self._hosts, self._tools)

    def close(self) -> None:
        """Send the remaining spans, for a few seconds at most."""
        self._exporting.close()


@dataclass(slots=True)
class _Call(CallSpan):
    record: SpanRecord
    tool: Tool
    take: Callable[[SpanRecord], None]
    hosts: frozenset[str]
    tools: Callable[[], Iterable[Tool]]

    def request(self, planned: PlannedRequest, endpoint: Endpoint, attempt: int) -> RequestSpan:
        """Start the span of a request that is about to be sent."""
        attributes: dict[str, Attribute] = _of(self.tool)
        address = urlsplit(endpoint.addresses.get(planned.host, ""))
        is_passed_on = False
        if address.hostname and address.scheme in ("http", "https"):  # an MCP server that is a program has no host
            attributes["server.address"] = address.hostname
            attributes["server.port"] = address.port or (443 if address.scheme == "https" else 80)
            is_passed_on = address.hostname.casefold() in self.hosts
        if endpoint.service.mcp is not None:
            name = "tools/call"
            attributes["mcp.method.name"] = name
        else:
            attributes["http.request.method"] = name = planned.method
            if template := self._template(planned):
                attributes["url.template"] = template
                name = f"{planned.method} {template}"
        if attempt > 1:
            attributes["http.request.resend_count"] = attempt - 1
        record = SpanRecord(name, "client", self.record.trace, _number(64), self.record.id, attributes)
        parent = f"00-{record.trace:032x}-{record.id:016x}-01" if is_passed_on else ""
        return _Request(record, self.take, parent)

    def _template(self, planned: PlannedRequest) -> str:
        """The template of a request's path, because the path itself may hold ids; empty if not known."""
        if self.tool.composed is None:
            return self.tool.path
        known = (one for one in self.tools() if one.toolkit == self.tool.toolkit and one.method == planned.method)
        fitting = (one.path for one in known if _pattern(one.path).fullmatch(planned.path))
        return min(fitting, key=lambda path: path.count("{"), default="")

    def ended(self, error: str) -> None:
        """It came to its end."""
        self.record.finish(error)
        self.take(self.record)


@dataclass(slots=True)
class _Request(RequestSpan):
    record: SpanRecord
    take: Callable[[SpanRecord], None]
    parent: str

    @property
    def traceparent(self) -> str:
        """The header for hosts that get it."""
        return self.parent

    def ended(self, status: int | None, error: str) -> None:
        """It came to its end."""
        if status is not None and "http.request.method" in self.record.attributes:
            self.record.attributes["http.response.status_code"] = status
            error = error or (str(status) if status >= _FAILED else "")
        self.record.finish(error)
        self.take(self.record)


def _of(tool: Tool) -> dict[str, Attribute]:
    return {"callboard.tool": tool.name, "callboard.toolkit": tool.toolkit}


def _number(bits: int) -> int:
    """A random number that is not 0."""
    return random.getrandbits(bits) or 1


@lru_cache(maxsize=1_024)
def _pattern(template: str) -> re.Pattern[str]:
    """A pattern that matches the paths of a template."""
    parts = re.split(r"\{[^{}/]*\}", template)
    return re.compile("[^/]+".join(map(re.escape, parts)))
