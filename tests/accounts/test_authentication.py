"""Every method of authentication: what is sent, what is shown, and that no form of the credential is revealed."""

import json
import os
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from registry.accounts.connection import Connection, ConnectionSettingsError, connections
from registry.accounts.secrets import MASK
from registry.calling.arguments import check
from registry.calling.request import build, plan, preview
from registry.catalog.folders import forget, toolkit_folders
from registry.catalog.loader import load
from tests.calling.network import ScriptedNetwork
from tests.cases import cases_beside
from tests.opened import opened

CASES = cases_beside(__file__)

SECRET = "k&y/MARKED+123"
WAYS: dict[str, dict[str, Any]] = {
    "bearer": {"kind": "header", "variable": "KIT_KEY"},
    "header": {"kind": "header", "name": "X-Api-Key", "scheme": "", "variable": "KIT_KEY"},
    "basic": {"kind": "basic", "user_variable": "KIT_USER", "variable": "KIT_KEY"},
    "query": {"kind": "query", "name": "api_key", "variable": "KIT_KEY"},
    "cookie": {"kind": "cookie", "name": "session", "variable": "KIT_KEY"},
    "none": {"kind": "none"},
}
BASIC = b64encode(f"ada:{SECRET}".encode()).decode()
SENT = {
    "bearer": ("authorization", f"Bearer {SECRET}"),
    "header": ("x-api-key", SECRET),
    "basic": ("authorization", f"Basic {BASIC}"),
    "cookie": ("cookie", f"session={SECRET}"),
}
ENVIRONMENT = {"KIT_KEY": SECRET, "KIT_USER": "ada"}


def toolkit(folder: Path, *ways: dict[str, Any], **service: Any) -> dict[str, str]:
    """A toolkit with one tool; the environment in which it is found."""
    tool = {
        "name": "GetThing",
        "operation": "getThing",
        "method": "GET",
        "path": "/things",
        "effect": "read",
        "summary": "Read a thing.",
        "returns": {"kind": "object", "objects": ["thing"]},
        "parameters": [
            {"name": "word", "type": "string", "help": "A word.", "in": "query", "wire_name": "q", "role": "filter"}
        ],
    }
    content = {
        "toolkit": "Kit",
        "name": "kit",
        "title": "Kit",
        "summary": "Things.",
        "hosts": {"api": {"usual": "https://kit.example/v1", "variable": "KIT_URL"}},
        "authentication": list(ways),
    }
    (folder / "tools").mkdir(parents=True)
    (folder / "service.json").write_text(json.dumps(content | service), "utf-8")
    groups = {"groups": [{"name": "Things", "tools": [tool]}]}
    (folder / "tools" / "things.json").write_text(json.dumps(groups), "utf-8")
    return {"CALLBOARD_TOOLKITS": str(folder)}


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def kit(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Connection:
    for name, value in (toolkit(tmp_path / "kit", WAYS[way]) | ENVIRONMENT).items():
        monkeypatch.setenv(name, value)
    forget()
    assert load().problems == ()
    return connections(os.environ)["kit"]


def test_what_is_sent_and_what_is_shown(kit: Connection, way: str) -> None:
    tool = load().tools["GetThing"]
    planned = plan(tool, check(tool, {"word": "a"}))
    request = build(planned, kit.endpoint("Kit"))
    carried = {name: value for name, value in request.headers.items() if name in ("authorization", "cookie", "x-api-key")}
    assert carried == (dict([SENT[way]]) if way in SENT else {})
    assert dict(request.url.params) == ({"q": "a", "api_key": SECRET} if way == "query" else {"q": "a"})
    shown = repr(preview(planned, kit.endpoint("Kit")))
    assert "MARKED" not in shown + repr(kit)
    assert BASIC not in shown + repr(kit)
    assert (MASK in shown) == (way != "none")


async def test_no_form_of_it_comes_back(kit: Connection, way: str, tmp_path: Path) -> None:
    """A service or proxy returns everything that it was sent: in a header, in the body, as JSON."""

    def echo(request: httpx.Request) -> httpx.Response:
        told = {"url": str(request.url), "headers": dict(request.headers), "key": SECRET, "quoted": quote(SECRET, safe="")}
        return httpx.Response(400, json={"message": json.dumps(told)}, headers={"X-Echo": str(request.url)})

    async with opened(ScriptedNetwork(echo)) as engine:
        result = await engine.run(load().tools["GetThing"], {}, kit)
    [trace] = engine.traces.newest_first()
    told = repr([result, *(getattr(trace, name) for name in trace.__struct_fields__)])
    if way != "none":
        assert "MARKED" not in told
        assert BASIC not in told
    assert result.failure is not None
    assert result.failure.cause


def test_the_first_way_whose_variables_are_set_counts(tmp_path: Path) -> None:
    found = toolkit(tmp_path / "kit", WAYS["basic"], WAYS["bearer"] | {"variable": "KIT_TOKEN"})
    forget()
    assert "kit" not in connections(found)
    assert "kit" not in connections(found | {"KIT_KEY": "k"})
    assert connections(found | {"KIT_TOKEN": "t"})["kit"].endpoint("Kit").authentication.kind == "header"
    both = connections(found | {"KIT_TOKEN": "t", "KIT_KEY": "k", "KIT_USER": "ada"})
    assert both["kit"].endpoint("Kit").authentication.kind == "basic"
    assert load(toolkit_folders(found)).toolkits["Kit"].needs == "KIT_USER and KIT_KEY, or KIT_TOKEN"
    with pytest.raises(ConnectionSettingsError, match="KIT_USER contains a colon"):
        connections(found | {"KIT_KEY": "k", "KIT_USER": "a:b"})


@pytest.mark.parametrize(("key", "base", "mode"), CASES["what a credential opens"])
def test_what_a_credential_opens(tmp_path: Path, key: str, base: str, mode: str) -> None:
    modes = {"test": ["t_"], "live": ["l_"], "test_hosts": ["sandbox.kit.example"]}
    found = toolkit(tmp_path / "kit", WAYS["bearer"], modes=modes)
    forget()
    assert connections(found | {"KIT_KEY": key, "KIT_URL": base})["kit"].endpoint("Kit").mode == mode


def test_a_toolkit_that_the_sandbox_has(tmp_path: Path) -> None:
    host = {"usual": "https://kit.example", "variable": "KIT_URL", "sandbox": "/kit"}
    found = toolkit(tmp_path / "kit", WAYS["bearer"] | {"sandbox": "open"}, hosts={"api": host})
    forget()
    endpoint = connections(found)["sandbox"].endpoint("Kit")
    assert (endpoint.base_url, endpoint.mode, endpoint.credential.reveal()) == (
        "http://sandbox.callboard/kit",
        "sandbox",
        "open",
    )
    served = connections(found | {"KIT_URL": "http://127.0.0.1:8210/kit", "KIT_KEY": "open"})["kit"].endpoint("Kit")
    assert served.mode == "sandbox"


async def test_a_short_credential_in_a_header_of_any_name_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So short a text may stand anywhere by chance, so only its own header tells that it is one."""
    found = toolkit(tmp_path / "kit", {"kind": "header", "name": "X-Account", "scheme": "", "variable": "KIT_KEY"})
    for name, value in (found | {"KIT_KEY": "s3cr"}).items():
        monkeypatch.setenv(name, value)
    forget()
    network = ScriptedNetwork(lambda _: httpx.Response(200, json={}))
    async with opened(network) as engine:
        await engine.run(load().tools["GetThing"], {}, connections(os.environ)["kit"])
    assert network.requests[0].headers["x-account"] == "s3cr"
    [trace] = engine.traces.newest_first()
    assert ("x-account", MASK) in trace.sent


def test_one_connection_for_each_credential() -> None:
    assert list(connections({})) == ["sandbox"]
    assert {endpoint.mode for endpoint in connections({})["sandbox"].endpoints.values()} == {"sandbox"}
    environment = {"PAYMENTS_API_KEY": "sk_test_1", "INCIDENTS_API_TOKEN": "t", "CRM_ACCESS_TOKEN": "c"}
    found = connections(environment | {"PAYMENTS_BASE_URL": "http://127.0.0.1:8210/payments/"})
    assert list(found) == ["sandbox", "payments", "incidents", "crm"]
    assert found["payments"].endpoint("PaymentsApi").base_url == "http://127.0.0.1:8210/payments"
    assert found["incidents"].endpoint("Incidents").headers()["Authorization"] == "Token token=t"
    assert found["crm"].endpoint("CrmUsersApi").headers()["Authorization"] == "Bearer c"
    oauth = connections({"INCIDENTS_ACCESS_TOKEN": "o"})
    assert oauth["incidents"].endpoint("Incidents").headers()["Authorization"] == "Bearer o"


ADDRESSES = ("http://api.example", "ftp://api.example", "api.example", "https://a:b@api.example", "https://x/?a=b", "https://")
REFUSED = {
    "PAYMENTS_BASE_URL": ADDRESSES,
    "PAYMENTS_API_KEY": ("sk_test\n1", "sk test", "sk_é"),
    "CRM_USERS_PATH": ("settings/users", "/settings/../x", "/a b", "/a?b"),
}


@pytest.mark.parametrize(("variable", "value"), [(name, one) for name, values in REFUSED.items() for one in values])
def test_settings_that_are_refused(variable: str, value: str) -> None:
    with pytest.raises(ConnectionSettingsError, match=variable):
        connections({"PAYMENTS_API_KEY": "sk_test_1", "CRM_ACCESS_TOKEN": "t", variable: value})
