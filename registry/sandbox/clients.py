"""Lines of code that make the services' official clients talk to a sandbox with a port for each service.

The incident service's client for Python accepts only https. Without TLS, the lines for that client set the address in the one
way that it does not check. With TLS, the lines for Python name the certificate to trust; clients in Node take it from the
variable `NODE_EXTRA_CA_CERTS`, which must be set before Node starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

_PLAIN = {
    "payments": {
        "python": (
            "import stripe\n"
            'client = stripe.StripeClient("{credential}", base_addresses={{"api": "{api}", "files": "{files}"}})\n'
            "customers = client.v1.customers.list()"
        ),
        "node": (
            'import Stripe from "stripe";\n'
            'const client = new Stripe("{credential}", {{ protocol: "http", host: "{host}", port: {port} }});\n'
            "const customers = await client.customers.list();"
        ),
    },
    "incidents": {
        "python": (
            "import pagerduty\n"
            'client = type("Sandbox", (pagerduty.RestApiV2Client,), {{"url": ""}})("{credential}")\n'
            'client.url = "{api}"\n'
            'incidents = client.list_all("incidents")'
        ),
        "node": (
            'import {{ api }} from "@pagerduty/pdjs";\n'
            'const client = api({{ token: "{credential}" }});\n'
            'const {{ data }} = await client({{ url: "{api}/incidents" }});'
        ),
    },
    "crm": {
        "python": (
            "import hubspot\n"
            'client = hubspot.Client.create(access_token="{credential}", host="{api}")\n'
            "users = client.settings.users.users_api.get_page()"
        ),
        "node": (
            'import {{ Client }} from "@hubspot/api-client";\n'
            'const client = new Client({{ accessToken: "{credential}", basePath: "{api}" }});\n'
            "const users = await client.settings.users.usersApi.getPage();"
        ),
    },
}

_TLS = {
    "payments": {
        "python": _PLAIN["payments"]["python"].replace("stripe\n", 'stripe\nstripe.ca_bundle_path = "{certificate}"\n', 1),
        "node": _PLAIN["payments"]["node"].replace('protocol: "http", ', ""),
    },
    "incidents": {
        "python": (
            "import ssl, pagerduty\n"
            'trusted = ssl.create_default_context(cafile="{certificate}")\n'
            'client = pagerduty.RestApiV2Client("{credential}", base_url="{api}", verify=trusted)\n'
            'incidents = client.list_all("incidents")'
        ),
        "node": _PLAIN["incidents"]["node"],
    },
    "crm": {
        "python": _PLAIN["crm"]["python"].replace('host="{api}"', 'host="{api}", ssl_ca_cert="{certificate}"'),
        "node": _PLAIN["crm"]["node"],
    },
}


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
    lines = _TLS if certificate else _PLAIN
    return {language: code.format(**known) for language, code in lines.get(service, {}).items()}
