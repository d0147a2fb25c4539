"""A curl command that a toolkit's call is shown as leads back to that call, with the same arguments, when it is pasted."""

from typing import Any

import pytest

from registry.accounts.connection import Connection, Endpoint
from registry.accounts.secrets import Secret
from registry.calling.arguments import check
from registry.catalog.checking import checked_service
from registry.catalog.folders import SERVICE
from registry.catalog.loader import Catalog
from registry.catalog.model import Tool
from registry.finding.requests import Link, call_of
from registry.results.snippets import snippets
from tests.openapi.making import FEATURES, NOW, STRINGS, Feature, body, document, made, sent, service, tools

KEY = {"a": {"type": "apiKey", "in": "header", "name": "X-Key"}, "q": {"type": "apiKey", "in": "query", "name": "key"}}


def catalogue(content: dict[str, Any]) -> Catalog:
    """A catalogue with the toolkit of one document, and its tools."""
    found = made(content)
    problems: list[Any] = []
    own = checked_service(service(found), SERVICE, problems)
    assert own is not None
    return Catalog({own.toolkit: own}, tools(found), ())


def connection(catalog: Catalog) -> Connection:
    (own,) = catalog.toolkits.values()
    endpoint = Endpoint(
        own, {name: host.usual for name, host in own.hosts.items()}, own.authentication[0], Secret("marked-secret-7"), "live"
    )
    return Connection(own.name, own.title, {own.toolkit: endpoint})


def pasted(catalog: Catalog, tool: Tool, given: dict[str, Any]) -> Link:
    """What the curl command of a call leads to."""
    arguments = check(tool, given, NOW)
    assert arguments.errors == ()
    (command,) = [one.text for one in snippets(tool, arguments, connection(catalog)) if one.kind == "curl"]
    found = call_of(command, catalog)
    assert found is not None, command
    return found


_NOT_READ_BACK = (
    "path, simple object", "path, exploded object", "path, label", "path, matrix", "path, exploded matrix", "form, object",
    "form, exploded object", "fields of a form that nobody names", "style ",
    "a free-form", "a query string", "commas", "a field of a form whose", "a list of objects in a form", "a form with styles",
)  # fmt: skip


@pytest.mark.parametrize(
    "feature",
    [
        one
        for one in FEATURES
        if not one.name.startswith(_NOT_READ_BACK) and "multipart" not in one.sent and "content of" not in one.sent
    ],
    ids=lambda one: one.name,
)
def test_the_command_of_a_call_leads_back_to_it(feature: Feature) -> None:
    catalog = catalogue(feature.whole)
    tool = next(iter(catalog.tools.values()))
    found = pasted(catalog, tool, feature.with_files)
    assert (found.tool, found.why) == (tool, "")
    assert sent(tool, dict(found.arguments)) == sent(tool, feature.with_files)


def test_headers_come_along_and_credentials_do_not() -> None:
    headers = [
        {"name": "X-Trace", "in": "header", "schema": STRINGS},
        {"name": "X-Key", "in": "header", "schema": {"type": "string"}},
    ]
    operation = body({"type": "object", "properties": {"about": {"type": "string"}}}) | {"parameters": headers}
    catalog = catalogue(document({"/things": {"post": operation}}, components={"securitySchemes": KEY}))
    (tool,) = catalog.tools.values()
    command = (
        "curl -H 'Referer: https://other.example/page' 'https://things.example/v1/things?key=marked-7' -H 'X-Trace: a, b' "
        "-H 'X-Key: marked-7' -H 'Authorization: Bearer marked-7' -b 'session=marked-7' --json '{\"about\": \"@me\"}' -o @file"
    )
    found = call_of(command, catalog)
    assert found is not None
    assert (found.tool, dict(found.arguments), found.why) == (tool, {"x_trace": ["a", "b"], "about": "@me"}, "")


def test_toolkits_of_one_host_are_told_apart_by_port_and_path() -> None:
    servers = {"One": "http://127.0.0.1:8001/v1", "Two": "http://127.0.0.1:8002", "Three": "http://127.0.0.1:8001/v2"}
    known = [
        catalogue(document({"/a": {"get": {"operationId": "get"}}}, servers=[{"url": server}], info={"title": title}))
        for title, server in servers.items()
    ]
    toolkits = {name: one for each in known for name, one in each.toolkits.items()}
    every = Catalog(toolkits, {tool.full_name: tool for each in known for tool in each.tools.values()}, ())
    for title, server in servers.items():
        found = call_of(f"curl {server}/a", every)
        assert found is not None
        assert found.tool is not None
        assert found.tool.toolkit == title
    for address in ("http://127.0.0.1:8003/a", "http://127.0.0.1:8001/v11/a", "http://127.0.0.1:99999/a", "http://[::1/a"):
        other = call_of(f"curl {address}", every)
        assert other is None or other.tool is None
