"""Traces for OpenTelemetry: a span for each call and each HTTP request of it, sent to a collector that the environment names.

What flows through this room: the beginning and the end of calls and requests (`registry.calling.tracing`) → `SpanRecord` → a
bounded queue → a thread that alone imports OpenTelemetry (the extra ``callboard[telemetry]``) and posts them by OTLP over HTTP.

A span says which tool, which host, how long, and how it ended. It never holds request or response data: no address with ids, no
query, header, body or argument, and no message of an error. A collector that is slow, hangs or fails only loses spans.
OpenTelemetry's global provider is left alone, so spans of libraries are not mixed in.
"""
