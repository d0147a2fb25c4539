"""Traces for OpenTelemetry: a span for each call and each of its HTTP requests, sent to the collector in the environment.

Data flow: the beginning and the end of calls and requests (`registry.calling.tracing`) → `SpanRecord` → a
bounded queue → a thread that imports OpenTelemetry (the extra ``callboard[telemetry]``) and posts them by OTLP over HTTP.

A span has the tool, the host, the duration and the outcome. It never holds request or response data: no address with ids, no
query, header, body or argument, and no message of an error. If a collector is slow, hangs or fails, only spans are lost.
OpenTelemetry's global provider is not used, so spans of libraries are not mixed in.
"""
