"""Times as people write them: what each becomes at one moment in one zone, and what is said of it."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest

from registry.calling.arguments import check, times_in
from registry.calling.times import InvalidValue, instant, interval_seconds, reading, value_of
from registry.catalog.loader import load
from tests.calling.network import LIVE, ScriptedNetwork, one_after_the_other
from tests.cases import cases_beside
from tests.opened import opened

CASES = cases_beside(__file__)

TOOLS = load().tools
SINCE = next(one for one in TOOLS["ListIncidents"].parameters if one.name == "since")
START = next(one for one in TOOLS["GetBillingMeterEventSummaries"].parameters if one.name == "start_time_timestamp")
BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 21, 16, 22, 27, tzinfo=UTC).timestamp()  # a Saturday, 17:22 in Berlin


@pytest.fixture
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("text", "sent"), CASES["what a time becomes"])
def test_what_a_time_becomes(text: str, sent: str) -> None:
    assert value_of(SINCE, text, NOW, BERLIN) == sent
    seconds = int(datetime.fromisoformat(sent).timestamp())
    # A step from the present is a whole minute where only those are taken.
    moves = text[0] in "-+" or text == "now" or text.startswith(("24h", "1d12h", "4 min", "in 3", "17 days", "1 day"))
    assert value_of(START, text, NOW, BERLIN) == (seconds - seconds % 60 if moves else seconds)


@pytest.mark.parametrize(("text", "why"), CASES["what is no time"])
def test_what_is_no_time(text: str, why: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        value_of(SINCE, text, NOW, BERLIN)
    assert str(refused.value).startswith("must be a time such as -24h, yesterday 9:00 Europe/Berlin or 2026-03-01T09:00Z; ")
    assert why in str(refused.value)
    assert reading(SINCE, text, NOW, BERLIN) == ""


def test_what_is_said_of_a_time() -> None:
    assert reading(SINCE, "yesterday 9:00", NOW, BERLIN) == (
        "= Fri 20 Nov 2026 09:00 CET (this computer’s time zone) · 1 day ago · sends 2026-11-20T08:00:00Z"
    )
    assert reading(SINCE, "yesterday 9:00 Asia/Tokyo", NOW, BERLIN) == (
        "= Sat 21 Nov 2026 09:00 JST · 01:00 CET here · 16 hours ago · sends 2026-11-21T00:00:00Z"
    )
    assert reading(SINCE, "2026-10-25 2:30", NOW, BERLIN).endswith(
        "\n02:30 occurs twice that day in Europe/Berlin (clocks go back); using the first. For the second: 02:30 +01:00"
    )
    assert reading(START, "-7d UTC", NOW, UTC) == "= Sat 14 Nov 2026 16:22 UTC · 7 days ago · sends 1794673320"
    assert reading(START, "1794673320", NOW, UTC) == "= Sat 14 Nov 2026 16:22 UTC · 7 days ago"
    texts = ("-24h", "2026-11-20 9:00", "2026-11-20", "2026-11-20T09:00Z")
    assert [bool(reading(SINCE, text, NOW, if_spoken=True)) for text in texts] == [True, True, False, False]


def test_without_a_zone_it_is_this_machines(in_berlin: None) -> None:
    assert value_of(SINCE, "yesterday 9:00", NOW) == "2026-11-20T08:00:00Z"
    assert value_of(SINCE, "2026-07-20 9:00", NOW) == "2026-07-20T07:00:00Z"
    with pytest.raises(InvalidValue, match=r"in this computer’s time zone \(clocks go forward\); use 01:30 or 03:30"):
        value_of(SINCE, "2026-03-29 2:30", NOW)


def test_arguments_are_absolute_and_asking_with_them_again_is_the_same() -> None:
    raw = {"since": "-24h", "until": "now"}
    found = check(TOOLS["ListIncidents"], raw, NOW)
    assert found.values == {"since": "2026-11-20T16:22:27Z", "until": "2026-11-21T16:22:27Z"}
    assert check(TOOLS["ListIncidents"], found.values, NOW + 999).values == found.values
    assert times_in(TOOLS["ListIncidents"], {**found.values, "limit": 3}) == found.values
    meter = {"customer_id": "c", "meter_id": "m", "start_time_timestamp": "-7d", "stop_aggregating_until": "now"}
    by_day = check(TOOLS["GetBillingMeterEventSummaries"], {**meter, "granularity_for_event_summaries": "day"}, NOW)
    assert next(error.message for error in by_day.errors if error.parameter == START.name) == (
        "must be midnight UTC; use 1794614400 (2026-11-14T00:00Z), the closest earlier one"
    )
    assert not check(TOOLS["GetBillingMeterEventSummaries"], meter, NOW).errors


async def test_the_client_counts_from_its_own_clock(tmp_path: Path) -> None:
    page = {"incidents": [], "offset": 0, "limit": 10, "more": False}
    network = ScriptedNetwork(one_after_the_other(httpx.Response(200, json=page)))
    async with opened(network, folder=tmp_path, clock=lambda: NOW) as engine:
        result = await engine.run(TOOLS["ListIncidents"], {"since": "-24h"}, LIVE["incidents"])
    assert network.requests[0].url.params["since"] == "2026-11-20T16:22:27Z" == result.arguments["since"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("15", 15), ("0.5", 0.5), ("90s", 90), ("30 s", 30), ("2M", 120), ("1.5h", 5_400), ("1h30m", 5_400), ("1d 12h", 129_600)],
)
def test_intervals(text: str, seconds: float) -> None:
    assert interval_seconds(text) == seconds
    if text in ("90s", "1h30m"):
        assert NOW - instant(text, NOW).at.timestamp() == seconds


@pytest.mark.parametrize("text", ["", "soon", "m", "1x", "-5m", "1h30", "1.h", ".5", "1e3", "1" * 10, "5m ago", "1h\x00"])
def test_what_is_no_interval(text: str) -> None:
    with pytest.raises(InvalidValue, match="must be an interval such as 90s, 10m or 1h30m; got"):
        interval_seconds(text)


@pytest.mark.parametrize("text", ["1s", "61m", "1h1s", "2w"])
def test_the_bounds_are_in_the_rule(text: str) -> None:
    with pytest.raises(InvalidValue, match="from 2s to 1h; got"):
        interval_seconds(text, 2.0, 3_600.0)
