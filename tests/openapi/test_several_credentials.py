"""Requirements that name several credentials at once: all travel, none is shown, and what cannot be done is told."""

from typing import Any

import pytest

from registry.accounts.connection import Connection, _endpoint
from registry.accounts.secrets import MASK
from registry.calling.arguments import check
from registry.calling.request import build, plan, preview
from registry.catalog.checking import checked_service
from registry.catalog.folders import SERVICE
from registry.catalog.service import Service
from registry.results.snippets import snippets
from tests.openapi.making import NOW, document, made, only_tool, service

SCHEMES: dict[str, Any] = {
    "app": {"type": "apiKey", "in": "header", "name": "X-App"},
    "token": {"type": "apiKey", "in": "header", "name": "X-App-Token"},
    "tenant": {"type": "apiKey", "in": "query", "name": "tenant"},
    "session": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "other": {"type": "http", "scheme": "bearer"},
}
VALUES = {"THINGS_API_KEY": "first-secret-1", "THINGS_API_KEY_2": "second-secret-2"}


def secured(*requirements: dict[str, list[str]]) -> dict[str, Any]:
    return document({"/a": {"get": {}}}, components={"securitySchemes": SCHEMES}, security=list(requirements))


def needing(*names: str) -> dict[str, list[str]]:
    return {name: [] for name in names}


def checked(content: dict[str, Any]) -> Service:
    problems: list[Any] = []
    found = checked_service(service(made(content)), SERVICE, problems)
    assert found is not None, problems
    return found


def connected(one: Service, values: dict[str, str]) -> Connection:
    return Connection(one.name, one.title, {one.toolkit: _endpoint(one, one.authentication[0], values, values)})


def test_all_of_them_travel_and_are_masked_where_the_request_is_shown() -> None:
    content = secured(needing("app", "token", "tenant", "session"))
    one, tool = checked(content), only_tool(made(content))
    values = VALUES | {"THINGS_API_KEY_3": "acme", "THINGS_API_KEY_4": "fourth-secret-4"}
    assert one.authentication[0].variables == tuple(values)
    connection = connected(one, values)
    endpoint = connection.endpoint(one.toolkit)
    planned = plan(tool, check(tool, {}, NOW))
    request = build(planned, endpoint)
    assert (request.headers["x-app"], request.headers["x-app-token"]) == ("first-secret-1", "second-secret-2")
    assert (request.headers["cookie"], request.url.params["tenant"]) == ("sid=fourth-secret-4", "acme")
    shown = preview(planned, endpoint)
    assert (shown.headers["X-App-Token"], shown.url.endswith(f"?tenant={MASK}")) == (MASK, True)
    curl, program, _ = snippets(tool, check(tool, {}, NOW), connection)
    assert '"X-App: ${THINGS_API_KEY}"' in curl.text
    assert "THINGS_API_KEY_2" in program.text
    assert not [text for text in values.values() if text in f"{shown.url} {shown.headers} {curl.text} {program.text}"]
    assert b"second-secret-2" not in endpoint.hide(b'{"echo": "second-secret-2"}')


@pytest.mark.parametrize(("names", "beside"), [(("bearer", "other"), 0), (("bearer", "other", "app"), 1)])
def test_two_credentials_for_one_header_are_told(names: tuple[str, ...], beside: int) -> None:
    found = made(secured(needing(*names)))
    (told,) = found.remarks
    assert told.pointer == f"/components/securitySchemes/{names[0]}"
    assert "is needed together with others" in told.reason
    assert f"only {names[0]} is sent" in told.reason
    assert len(service(found)["authentication"][0].get("beside", ())) == beside
