"""The history: calls are recorded, found by words or by the id of a request, opened again and deleted."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from registry.accounts.connection import sandbox
from registry.calling.arguments import Arguments, check
from registry.doors.mcp.agent_tools import AgentTools
from registry.journal.entries import SearchQuery, parse_search
from registry.journal.history import History
from registry.results.snippets import snippets
from registry.sandbox.server import application
from tests.calling.network import LIVE, TOOLS, ScriptedNetwork
from tests.cases import cases_beside
from tests.hostile import CONTROLS, MARKUP
from tests.journal.calls import CUSTOMER, REFUSED, ended, record
from tests.opened import opened

CASES = cases_beside(__file__)

NOW = 1_700_000_000.0


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    one = History(tmp_path / "state" / "journal.db")
    yield one
    one.close()


def tools(history: History, line: str) -> list[str]:
    return [entry.tool for entry in history.search(parse_search(line, NOW + 60))]


def test_a_call_is_found_again_with_its_answer(history: History) -> None:
    history.note(*ended(customer_id="cus_N1abcdef", limit=3))
    [entry] = history.search(SearchQuery())
    assert (entry.tool, entry.connection, entry.mode, entry.outcome) == ("GetCustomerCards", "payments", "live", "ok")
    assert (entry.status, entry.subject, entry.at) == (200, "cus_N1abcdef", NOW)
    assert entry.arguments == {"customer_id": "cus_N1abcdef", "limit": 3}
    recalled = history.recall(entry.id, TOOLS[entry.tool])
    assert recalled is not None
    assert json.loads(recalled.body) == CUSTOMER
    assert (recalled.at, recalled.ok, recalled.kept, recalled.arguments) == (NOW, True, True, entry.arguments)
    assert history.recall(entry.id + 1) is None


def test_a_call_from_history_is_copied_as_it_was_sent(history: History) -> None:
    tool = TOOLS["ListLogEntries"]
    sent = check(tool, {"since": "-30d", "team_ids": ["P1", "P2"]}, NOW)
    values: dict[str, Any] = {**sent.values}
    history.note(*ended(tool.name, {"log_entries": []}, **values))
    assert history.flush()
    recalled = history.recall(1, tool)
    assert recalled is not None
    assert recalled.arguments == sent.values
    then = snippets(tool, Arguments(dict(recalled.arguments)), sandbox())  # type: ignore[arg-type]
    assert then == snippets(tool, sent, sandbox())


_ODD = ['"', "'", "*", "NEAR(", "a OR b", "said:", "%", "_", "\\", "-", "()", 'tool:"', *MARKUP, *CONTROLS]


def test_any_line_can_be_searched_for(history: History) -> None:
    record(history, [ended(customer_id="cus_1")])
    for line in _ODD:
        history.search(parse_search(line, NOW))
    assert parse_search("since:2h", NOW).since == NOW - 7_200
    assert parse_search("since:yesterday", NOW).since == pytest.approx(NOW - 86_400, abs=86_400)
    assert parse_search("since:soon", NOW).problem
    assert parse_search("since:", NOW) == SearchQuery()
    assert parse_search("tool: on: x:y", NOW) == SearchQuery(("x:y",))
    assert parse_search("since:99999d", NOW).problem == "" or parse_search("since:99999d", NOW).since is None


def test_the_oldest_calls_go(tmp_path: Path) -> None:
    history = History(tmp_path / "journal.db", most=5)
    record(history, (ended(customer_id=f"cus_{number}") for number in range(12)))
    assert [entry.subject for entry in history.search(SearchQuery())] == [f"cus_{number}" for number in range(11, 6, -1)]
    assert history.search(SearchQuery(("cus_3",))) == []
    assert history.recall(1) is None


def test_it_stays_small(tmp_path: Path) -> None:
    chance = random.Random(1)
    history = History(tmp_path / "journal.db", most_bytes=1_000_000)
    record(history, (ended(answer={"x": chance.randbytes(50_000).hex()}, customer_id=f"cus_{n}") for n in range(80)))
    assert (tmp_path / "journal.db").stat().st_size < 1_600_000
    newest = history.search(SearchQuery())
    assert len(newest) == 80
    record(history, [ended(customer_id="cus_1", is_part=True)])
    kept, gone, part = (history.recall(one) for one in (newest[0].id, newest[-1].id, newest[0].id + 1))
    assert kept is not None
    assert gone is not None
    assert part is not None
    assert not part.kept, "parts of a whole list leave their answers out"
    assert (kept.kept, gone.kept, gone.body) == (True, False, b"")
    assert "not kept" in gone.notes[-1]


def test_ids_are_seen_with_their_names_newest_first(history: History) -> None:
    other = {"object": "customer", "id": "cus_N2abcdef", "name": "Ada Byron"}
    charge = {"object": "charge", "id": "ch_1abcdef", "customer": "cus_N1abcdef"}
    record(history, [ended(customer_id="x"), ended(answer=other), ended(answer=charge)])
    ada = ("cus_N1abcdef", "Ada Lovelace · ada@example.com")
    assert history.seen("PaymentsApi", ["customer"], "", "payments") == [ada, ("cus_N2abcdef", "Ada Byron")]
    assert history.seen("PaymentsApi", ["customer"], "lovelace", "payments") == [ada]
    bakery = {"object": "customer", "id": "cus_N3abcdef", "name": "Padaria Aurora"}
    record(history, [ended(answer={**other, "id": "cus_N4abcdef", "name": "Müller Ada"}), ended(answer=bakery)])
    found = history.seen("PaymentsApi", ["customer"], "ada", "payments")
    assert [id_[:6] for id_, _ in found] == ["cus_N1", "cus_N2", "cus_N4", "cus_N3"], "what begins with it, though older"
    assert history.seen("PaymentsApi", ["customer"], "cus_N2", "payments") == [("cus_N2abcdef", "Ada Byron")]
    assert history.seen("PaymentsApi", ["customer"], "%", "payments") == []
    assert history.seen("PaymentsApi", ["customer"], "", "sandbox") == []
    assert history.seen("Incidents", ["customer"], "", "payments") == []
    assert [(one.id, one.type, one.connection) for one in history.named(["lovelace"])] == [(ada[0], "customer", "payments")]
    assert [one.id for one in history.named([ada[0]])] == [ada[0]], "an id has signs that searching takes otherwise"
    assert history.named(["velace"]) == history.named(["%"]) == history.named([]) == [], "a word is found from its beginning"


def test_what_is_forgotten_is_in_no_file(history: History, tmp_path: Path) -> None:
    answers = [{"object": "customer", "id": f"cus_N{word}1", "name": f"Marked{word}"} for word in ("Gone", "Left")]
    record(history, (ended(answer=answer, customer_id=answer["id"]) for answer in answers))

    def everything() -> bytes:
        return b"".join(file.read_bytes().lower() for file in (tmp_path / "state").iterdir())

    assert b"gone" in everything()
    assert history.forget(1)
    assert not history.forget(1)
    assert b"gone" not in everything()
    assert tools(history, "MarkedGone") == []
    assert len(tools(history, "MarkedLeft")) == 1
    history.forget_all()
    assert b"left" not in everything()
    assert history.search(SearchQuery()) == []
    assert history.seen("PaymentsApi", ["customer"], "", "payments") == []


SEARCHES = CASES["searches"]


def test_what_is_searched(history: History) -> None:
    record(
        history,
        [
            ended(customer_id="cus_N1abcdef", at=NOW - 90_000),
            ended("DeletePaymentsCustomer", failure=REFUSED, customer_id="cus_N2xyz", at=NOW),
            ended("RemoveCrmUser", {"id": "7"}, user_identifier="grace@example.com", cut_off=True, at=NOW + 1),
        ],
    )
    assert {line: tools(history, line) for line in SEARCHES} == SEARCHES


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
        assert [len(engine.history.of_request(id_ or "")) for id_ in ids] == [1] * len(ids)
