"""Whether spans are sent, and where: OpenTelemetry's own variables, and one of Callboard's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import urlsplit

from registry.text.safe_text import shortened, visible_line

HOSTS = "CALLBOARD_TRACE_HOSTS"
"""Hosts, separated by commas, whose requests carry the header ``traceparent``. Without it, no service gets it."""

ENDPOINT, TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
_LIBRARY = "opentelemetry.exporter.otlp.proto.http"


@dataclass(frozen=True, slots=True)
class Telemetry:
    """The settings of traces from the environment.

    Attributes:
        endpoint: the address that spans are posted to; empty for none.
        hosts: the hosts that get ``traceparent``.
        problem: why no spans are sent although an endpoint is set, and what to do next; empty without a problem.
        off: whether OpenTelemetry's own variables switch them off.
    """

    endpoint: str = ""
    hosts: frozenset[str] = frozenset()
    problem: str = ""
    off: bool = False

    @property
    def is_on(self) -> bool:
        """Whether spans are sent."""
        return bool(self.endpoint) and not self.problem and not self.off

    @property
    def shown(self) -> str:
        """The endpoint without parts that may be a credential."""
        parts = urlsplit(self.endpoint)
        return visible_line(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}")


def telemetry(environment: Mapping[str, str]) -> Telemetry:
    """The settings from the environment. Does not import OpenTelemetry."""
    endpoint = environment.get(TRACES_ENDPOINT, "").strip()
    named = TRACES_ENDPOINT if endpoint else ENDPOINT
    if not endpoint and (base := environment.get(ENDPOINT, "").strip()):
        endpoint = base.rstrip("/") + "/v1/traces"
    if not endpoint:
        return Telemetry()
    hosts = frozenset(filter(None, (one.strip().casefold() for one in environment.get(HOSTS, "").split(","))))
    exporters = environment.get("OTEL_TRACES_EXPORTER", "otlp")
    off = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true" or "otlp" not in exporters
    return Telemetry(endpoint, hosts, "" if off else _problem(endpoint, named, environment), off)


def _problem(endpoint: str, named: str, environment: Mapping[str, str]) -> str:
    try:
        parts = urlsplit(endpoint)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        return f"Traces are not sent: {named} must be an address with http:// or https://."
    protocol = environment.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or environment.get("OTEL_EXPORTER_OTLP_PROTOCOL", "")
    if protocol not in ("", "http/protobuf"):
        shown = shortened(visible_line(protocol), 40)
        return f"Traces are not sent: the protocol {shown} is not supported; set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf."
    if not _is_installed():
        from registry.files.extras import how_to_install

        return f"Traces are not sent: {named} needs OpenTelemetry. Install {how_to_install('telemetry')}"
    return ""


def _is_installed() -> bool:
    try:
        return find_spec("opentelemetry.sdk") is not None and find_spec(_LIBRARY) is not None
    except (ImportError, ValueError):
        return False
