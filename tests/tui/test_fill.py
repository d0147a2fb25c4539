"""Filling in a form: times with their meaning, suggested values, and the states not set, empty and given."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from registry.journal.entries import SearchQuery
from tests.tui.app import Desk, desk, noted
from tests.tui.test_form import error, field, request
from tui.explorer.fields.text import OfferField, Offers, TextField

NOW = datetime(2026, 11, 21, 16, 22, 27, tzinfo=UTC).timestamp()


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A history of its own, and a machine in UTC."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def reading(one: Desk, name: str) -> str:
    return noted(field(one, name), "reading")


def offered(one: Desk, name: str) -> list[tuple[str, str]]:
    return field(one, name).query_one(Offers).values


async def test_a_time_in_words_says_what_it_becomes_and_stays_that_from_page_to_page() -> None:
    async with desk() as one:
        moment = [NOW]
        one.app.session.clock = lambda: moment[0]
        await one.open("ListIncidents")
        field(one, "since").focus_editor()
        await one.until(lambda: ("-24h", "Fri 20 Nov 2026 16:22:27 UTC") in offered(one, "since"), "offers")
        await one.type("yesterday 9:00 berl")
        assert "unknown time zone" in error(one, "since")
        await one.until(lambda: offered(one, "since"), "the zones")
        await one.press("down", "enter")
        assert reading(one, "since") == (
            "= Fri 20 Nov 2026 09:00 CET · 08:00 UTC here · 1 day ago · sends 2026-11-20T08:00:00Z"
        )
        assert "since=2026-11-20T08:00:00Z" in request(one)

        field(one, "since").raw = "-30d"
        field(one, "limit").raw = "1"
        moment[0] += 60
        await one.run()
        first = one.screen.result.result
        assert first is not None
        assert first.arguments["since"] == "2026-10-22T16:23:27Z"
        # What it became has moved on with the clock, and is told anew.
        assert "sends 2026-10-22T16:23:27Z" in reading(one, "since")
        moment[0] += 3_600
        one.screen.action_page("next")
        await one.until(lambda: one.screen.result.result is not first, "the next page")
        second = one.screen.result.result
        assert second is not None
        period = {"since": "2026-10-22T16:23:27Z", "until": "2026-11-21T16:23:27Z"}
        assert second.arguments == {**period, "limit": 1, "offset": 1}
        assert field(one, "since").raw == "-30d"
        # What is remembered is what was sent, so that running it again asks for the same.
        history = one.app.session.history
        assert history is not None
        assert {str(entry.arguments["since"]) for entry in history.search(SearchQuery())} == {"2026-10-22T16:23:27Z"}
        # Asked anew, it is counted anew.
        await one.run()
        assert one.result.arguments["since"] == "2026-10-22T17:23:27Z"


async def test_codes_are_offered_by_their_names() -> None:
    async with desk((80, 24)) as one:
        await one.open("GetCountrySpecifications")
        country = field(one, "country_code")
        assert isinstance(country, OfferField)
        await one.type("germ")
        await one.until(lambda: offered(one, "country_code") == [("DE", "Germany")], "Germany")
        # A look that was slow and finds the same does not take the mark away.
        country.action_mark(1)
        await country.completed("germ")
        assert country.query_one(Offers).marked == 0
        country.action_mark(-1)
        assert "Germany  DE" in str(country.query_one(Offers).render())
        await one.press("down", "enter")
        assert country.raw == "DE"
        assert one.screen.result.result is None
        country.line.value = ""
        await one.type("a")
        await one.until(lambda: country.line._suggestion == "AD", "the first code, in its own letters")


async def test_not_set_empty_and_a_value_are_three_things() -> None:
    async with desk() as one:
        await one.open("UpdateCrmUserInfo")
        await one.type("7")
        teams, name = field(one, "additional_teams_ids"), field(one, "first_name")
        assert isinstance(teams, TextField)
        assert isinstance(name, TextField)
        assert (teams.line.placeholder, teams.raw) == ("not set", None)
        assert "secondaryTeamIds" not in request(one)
        teams.focus_editor()
        await one.press("ctrl+n")
        assert (teams.line.placeholder, teams.raw) == ("empty", [])
        assert '"secondaryTeamIds": []' in request(one)
        # A comma alone is a slip, and no list that is empty on purpose: it would take a person out of every team.
        await one.type(",")
        assert "cannot be an empty list" in error(one, "additional_teams_ids")
        assert "secondaryTeamIds" not in request(one)
        name.focus_editor()
        await one.type(" ")
        assert reading(one, "first_name") == "= only spaces"
        # Where empty means the same to the service as nothing, it says so.
        await one.open("ListWalletPayDomains")
        domain = field(one, "domain_name_filter")
        assert isinstance(domain, TextField)
        domain.focus_editor()
        await one.press("ctrl+n")
        assert domain.line.placeholder == "empty: not sent"
        assert "domain_name" not in request(one)
