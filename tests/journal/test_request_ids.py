"""Every id that a service gives to a request finds the request's call: in the history, in a search, for agents."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from registry.doors.mcp.agent_tools import AgentTools
from registry.journal.history import History
from registry.journal.schema import parse_search
from registry.sandbox.server import application
from tests.calling.network import LIVE, TOOLS, ScriptedNetwork
from tests.opened import opened

UUID = "0b3c8e1e-7a0f-4b1c-9d7e-2f6c3a915d4e"
NOT_FOUND = {"status": "error", "message": "Not found", "category": "OBJECT_NOT_FOUND"}


@pytest.mark.parametrize(
    ("tool", "arguments", "status", "headers", "body", "id_"),
    [
        (
            "GetCustomerCards",
            {"customer_id": "cus_1abc"},
            200,
            {"Request-Id": "req_Ab12Cd34Ef"},
            {"data": []},
            "req_Ab12Cd34Ef",
        ),
        ("GetCustomerCards", {"customer_id": "cus_1abc"}, 404, {"Request-Id": "req_Ab12Cd34Ef"}, {}, "req_Ab12Cd34Ef"),
        ("GetIncident", {"incident_id": "PT4KHLK"}, 200, {"X-Request-Id": UUID}, {"incident": {"id": "PT4KHLK"}}, UUID),
        ("ListTeams", {}, 403, {"X-Request-Id": UUID}, {"error": {"message": "No"}}, UUID),
        ("FetchCrmUsersList", {}, 200, {"X-HubSpot-Correlation-Id": UUID}, {"results": []}, UUID),
        ("RetrieveCrmUserById", {"user_identifier": "1"}, 404, {}, {**NOT_FOUND, "correlationId": UUID}, UUID),
    ],
)
async def test_the_id_of_a_request_finds_its_call(
    tmp_path: Path, tool: str, arguments: dict[str, Any], status: int, headers: dict[str, str], body: Any, id_: str
) -> None:
    network = ScriptedNetwork(lambda request: httpx.Response(status, json=body, headers=headers))
    through = next(one for one in LIVE.values() if one.name != "sandbox" and TOOLS[tool].toolkit in one.endpoints)
    async with opened(network, folder=tmp_path, history=History(tmp_path / "journal.db")) as engine:
        result = await engine.run(TOOLS[tool], arguments, through)
        assert result.request_id == id_
        assert engine.history.flush()
        [entry] = engine.history.search(parse_search(id_, 0.0))
        assert (entry.tool, entry.request_ids) == (tool, [id_])
        assert [(one.tool, one.id) for one in engine.history.of_request(id_)] == [(tool, id_)]
        assert engine.history.of_request(id_[:-1]) == [], "the beginning of an id is another id"
        found = await AgentTools(engine).call("find_tools", {"query": id_}, None)  # type: ignore[arg-type]
    first: Any = found.values["found"]
    assert (first[0]["tool"], first[0].get("arguments", {})) == (tool, arguments)


async def test_every_service_of_the_sandbox_gives_each_request_an_id(tmp_path: Path) -> None:
    async with opened(folder=tmp_path, sandbox=application, history=History(tmp_path / "journal.db")) as engine:
        ids = [
            (await engine.run(TOOLS[tool], arguments)).request_id
            for tool, arguments in (
                ("SearchPaymentsCustomers", {"search_query_string": "created>0"}),
                *(("ListTeams", {}), ("ListTeams", {}), ("GetTeam", {"team_id": "P000000"})),
                *(("FetchCrmUsersList", {}), ("FetchCrmUsersList", {}), ("RetrieveCrmUserById", {"user_identifier": "1"})),
            )
        ]
        assert None not in ids
        assert len(set(ids)) == len(ids), ids
        assert engine.history.flush()
        assert [len(engine.history.of_request(id_ or "")) for id_ in ids] == [1] * len(ids)
