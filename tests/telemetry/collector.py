"""A collector on this machine that takes spans by OTLP over HTTP, as OpenTelemetry's own does."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.loopback import listening


class Span(NamedTuple):
    """A span that came."""

    name: str
    kind: int
    trace: str
    id: str
    parent: str
    attributes: Mapping[str, str | int]
    failed: bool
    nanoseconds: int


@dataclass
class Collector:
    """What came. `answer` is the status that it gives; while `go_on` is not set, it gives none."""

    address: str
    answer: int = 200
    raw: list[bytes] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    resources: list[Mapping[str, str | int]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)

    @property
    def calls(self) -> list[Span]:
        return [one for one in self.spans if not one.parent]

    @property
    def requests(self) -> list[Span]:
        return [one for one in self.spans if one.parent]

    def take(self, path: str, body: bytes) -> None:
        message = ExportTraceServiceRequest()
        message.ParseFromString(body)
        self.paths.append(path)
        self.raw.append(body)
        for resource in message.resource_spans:
            self.resources.append(_values(resource.resource.attributes))
            for scope in resource.scope_spans:
                self.spans += [
                    Span(
                        one.name,
                        one.kind,
                        one.trace_id.hex(),
                        one.span_id.hex(),
                        one.parent_span_id.hex(),
                        _values(one.attributes),
                        one.status.code == 2,
                        one.end_time_unix_nano - one.start_time_unix_nano,
                    )
                    for one in scope.spans
                ]


def _values(attributes: Any) -> dict[str, str | int]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector that runs."""

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.go_on.wait(30)
            found.take(self.path, body)
            self.send_response(found.answer)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with listening(Answering) as address:
        found = Collector(address)
        found.go_on.set()
        try:
            yield found
        finally:
            found.go_on.set()
