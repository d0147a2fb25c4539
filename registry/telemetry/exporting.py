"""Sends spans to a collector, from a background thread."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from registry import __version__

if TYPE_CHECKING:
    from registry.telemetry.record import SpanRecord

MOST_WAITING = 2_048
"""The most spans that wait to be sent; beyond it, the oldest are dropped."""
_AT_ONCE, _GATHERING = 512, 1.0
_LAST_MOMENT, _LAST_POST = 3.0, 1.0
"""Seconds to send the rest at exit, and of these the most for one post with its retries."""


class Sender(Protocol):
    """Sends spans."""

    def send(self, batch: Sequence[SpanRecord], *, in_haste: bool) -> bool:
        """Send some spans; returns whether they were accepted. `in_haste`: give up soon."""

    def close(self) -> None:
        """Close the connections."""


class Exporting:
    """A queue of spans and the thread that empties it. The thread starts with the first span.

    Args:
        endpoint: the address to which spans are posted.
        sender: makes the sender, in the thread; by default OpenTelemetry's exporter.
    """

    def __init__(self, endpoint: str, sender: Callable[[str], Sender] | None = None) -> None:
        self._endpoint = endpoint
        self._sender = sender or _otlp
        self._waiting: deque[SpanRecord] = deque(maxlen=MOST_WAITING)
        self._wake, self._closing = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def take(self, span: SpanRecord) -> None:
        """Queue a span that has ended. Never waits."""
        if self._closing.is_set():
            return
        self._waiting.append(span)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="traces", daemon=True)
            self._thread.start()
        self._wake.set()

    def close(self, within: float = _LAST_MOMENT) -> None:
        """Send the waiting spans, for at most `within` seconds; the rest is lost."""
        self._closing.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(within)

    def _run(self) -> None:
        try:
            sender = self._sender(self._endpoint)
        except Exception:  # whatever error a library raises: calls must go on
            self._closing.set()
            self._waiting.clear()
            return
        try:
            self._send_all(sender)
        finally:
            sender.close()

    def _send_all(self, sender: Sender) -> None:
        while True:
            self._wake.wait()
            self._closing.wait(_GATHERING)
            self._wake.clear()
            while batch := self._next():
                leaving, sent = self._closing.is_set(), False
                with suppress(Exception):
                    sent = sender.send(batch, in_haste=leaving)
                if leaving and not sent:
                    return  # the collector is not reachable: do not wait for the rest
            if self._closing.is_set() and not self._waiting:
                return

    def _next(self) -> list[SpanRecord]:
        batch: list[SpanRecord] = []
        with suppress(IndexError):
            while len(batch) < _AT_ONCE:
                batch.append(self._waiting.popleft())
        return batch


def _otlp(endpoint: str) -> Sender:
    """The sender by OTLP over HTTP. Slow: it imports OpenTelemetry, and nothing else here does."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExportResult
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

    log = logging.getLogger("opentelemetry")  # it would print failures on the screen
    log.addHandler(logging.NullHandler())
    log.propagate = False
    own = Resource({"service.name": "callboard", "service.version": __version__})
    resource = own.merge(OTELResourceDetector().detect())  # OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES
    scope = InstrumentationScope("callboard", __version__)
    kinds = {"internal": SpanKind.INTERNAL, "client": SpanKind.CLIENT}
    sampled = TraceFlags(TraceFlags.SAMPLED)

    def span(one: SpanRecord) -> ReadableSpan:
        return ReadableSpan(
            one.name,
            SpanContext(one.trace, one.id, is_remote=False, trace_flags=sampled),
            SpanContext(one.trace, one.parent, is_remote=False, trace_flags=sampled) if one.parent else None,
            resource,
            one.attributes,
            kind=kinds[one.kind],
            status=Status(StatusCode.ERROR if one.error else StatusCode.UNSET),
            start_time=one.start,
            end_time=one.end,
            instrumentation_scope=scope,
        )

    class Otlp(Sender):
        patient, hasty = OTLPSpanExporter(endpoint), OTLPSpanExporter(endpoint, timeout=_LAST_POST)

        def send(self, batch: Sequence[SpanRecord], *, in_haste: bool) -> bool:
            result = (self.hasty if in_haste else self.patient).export([span(one) for one in batch])
            return result is SpanExportResult.SUCCESS

        def close(self) -> None:
            self.patient.shutdown()  # type: ignore[no-untyped-call]
            self.hasty.shutdown()  # type: ignore[no-untyped-call]

    return Otlp()
