"""Which period a list of incidents covers: the service takes a month where an end is missing, and does not say so."""

from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from registry.calling.arguments import check
from registry.calling.sending import composition
from registry.catalog.loader import load
from tests.calling.network import call
from tests.command_line import Run

NOW = datetime.fromisoformat("2026-11-28T15:00:00Z")
SIX_MONTHS = timedelta(days=180)


@pytest.mark.parametrize(
    ("given", "since", "until"),
    [
        ({"since": "-90d"}, NOW - timedelta(days=90), NOW),
        ({"until": "-90d"}, NOW - timedelta(days=90) - SIX_MONTHS, NOW - timedelta(days=90)),
        ({"since": "-90d", "until": "-60d"}, NOW - timedelta(days=90), NOW - timedelta(days=60)),
    ],
    ids=["since", "until", "both"],
)
def test_s1_both_ends_are_sent(given: dict[str, str], since: datetime, until: datetime) -> None:
    tool = load().tools["ListIncidents"]
    checked = check(tool, given, NOW.timestamp())
    assert composition(tool, checked) is None, "in one request"
    sent = [datetime.fromisoformat(str(checked.values[name])) for name in ("since", "until")]
    assert (sent, checked.errors) == ([since, until], ())


def test_s1_a_list_without_an_end_is_the_one_until_now(run: Run) -> None:
    listed = [run("call", "ListIncidents", "--since=-90d", *more, "--all", "--json") for more in ((), ("--until=now",))]
    ids = [[one["id"] for one in answer.json] for answer in listed]
    assert len(ids[0]) > 50
    assert ids[0] == ids[1]
    assert "added: without it the service would cover less" in listed[0].err


async def test_s1_more_than_six_months_are_listed_in_windows() -> None:
    """Each item once, wherever a page begins; `more` and `total` are those of the whole."""
    moments = [NOW - timedelta(days=day, minutes=1) for day in range(400, 0, -8)]

    def answer(request: httpx.Request) -> httpx.Response:
        since, until = (datetime.fromisoformat(request.url.params[name]) for name in ("since", "until"))
        assert until - since <= SIX_MONTHS
        listed = [{"id": one.isoformat(), "type": "incident"} for one in moments if since <= one <= until]
        offset, limit = (int(request.url.params.get(name, 0)) for name in ("offset", "limit"))
        page = listed[offset : offset + limit]
        about = {"more": offset + len(page) < len(listed), "total": len(listed), "limit": limit, "offset": offset}
        return httpx.Response(200, json={"incidents": page, **about})

    found: list[str] = []
    window: dict[str, Any] = {"since": "2025-10-24T00:00Z", "until": "2026-11-28T15:00Z"}
    for offset in range(0, len(moments), 12):
        result, network = await call("ListIncidents", answer, offset=offset, limit=12, **window)
        assert (len(network.requests), result.json["total"]) == (3, len(moments))
        found += [one["id"] for one in result.json["incidents"]]
        assert result.json["more"] is (len(found) < len(moments))
    assert found == [one.isoformat() for one in moments]


@pytest.mark.parametrize("span", ["last year", "2025", "ytd", "last 3 years", "last 14 months", "since 3 March 2024"])
def test_s1_what_ask_proposes_can_be_run(span: str, run: Run) -> None:
    commands = [line.split() for line in run("find", f"incidents {span}").out.splitlines() if "callboard call" in line]
    dated = [words[1:] for words in commands if "--since" in words]
    assert dated
    for words in dated:
        assert run(*words, "--limit=1").code == 0, words


def test_s1_a_list_that_the_service_narrows_says_so(run: Run) -> None:
    assert "ListIncidents lists only those of the last month; set since or until for others" in run("call", "ListIncidents").err
    assert "lists only" not in run("call", "ListIncidents", "--since=-7d").err
