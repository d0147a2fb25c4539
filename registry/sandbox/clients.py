"""Lines of code that make the services' official clients talk to a sandbox with a port for each service.

The incident service's client for Python accepts only https. Without TLS, the lines for that client set the address in the one
way that it does not check. With TLS, the lines for Python name the certificate to trust; clients in Node take it from the
variable `NODE_EXTRA_CA_CERTS`, which must be set before Node starts.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from registry.sandbox.world import data_file

_LINES: dict[str, dict[str, dict[str, list[str]]]] = data_file(__file__, "clients")
"""Without TLS (``plain``) and with it (``tls``), by service and language."""


def set_up(service: str, addresses: Mapping[str, str], credential: str, certificate: str | None = None) -> dict[str, str]:
    """The lines for a service's official clients, by language; empty for a service that has no such client here.

    Args:
        service: ``payments``, ``incidents`` or ``crm``.
        addresses: base URLs of the service's hosts by their names, ``api`` among them.
        credential: what opens the service.
        certificate: the file with the certificate to trust, where the addresses are https.
    """
    there = urlsplit(addresses["api"])
    known = {**addresses, "credential": credential, "host": there.hostname, "port": there.port, "certificate": certificate}
    lines = _LINES["tls" if certificate else "plain"].get(service, {})
    return {language: "\n".join(code).format(**known) for language, code in lines.items()}
