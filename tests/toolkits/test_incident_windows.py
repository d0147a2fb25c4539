"""Which period a list of incidents covers: the service takes a month where an end is missing, and does not say so."""

from datetime import datetime, timedelta

import pytest

from registry.calling.arguments import check
from registry.catalog.loader import load
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
    checked = check(load().tools["ListIncidents"], given, NOW.timestamp())
    sent = [datetime.fromisoformat(str(checked.values[name])) for name in ("since", "until")]
    assert (sent, checked.errors) == ([since, until], ())


def test_s1_a_list_without_an_end_is_the_one_until_now(run: Run) -> None:
    listed = [run("call", "ListIncidents", "--since=-90d", *more, "--all", "--json") for more in ((), ("--until=now",))]
    ids = [[one["id"] for one in answer.json] for answer in listed]
    assert len(ids[0]) > 50
    assert ids[0] == ids[1]
    assert "added: without it the service would cover less" in listed[0].err


def test_s1_a_list_that_the_service_narrows_says_so(run: Run) -> None:
    assert "ListIncidents lists only those of the last month; set since or until for others" in run("call", "ListIncidents").err
    assert "lists only" not in run("call", "ListIncidents", "--since=-7d").err
