"""The query field: completion, the meaning of times, marked mistakes, and a count that is never requested twice at once."""

import asyncio
from dataclasses import replace

import pytest
from msgspec.structs import replace as with_fields
from textual.geometry import Size

from registry.accounts.connection import Mode
from registry.text.filter_line import words_of
from tests.tui.app import Desk, desk, noted
from tui.explorer.fields.query import ConditionRow, QueryEntry, said, without
from tui.explorer.fields.text import Offers
from tui.explorer.found import may_count
from tui.session import Session

SIGNS = {" ": "space", ":": "colon", ">": "greater_than_sign", "-": "minus", "_": "underscore", '"': "quotation_mark"}


def entry(one: Desk) -> QueryEntry:
    return one.screen.form.query_one(QueryEntry)


def offered(one: Desk) -> list[str]:
    return [text for text, _ in entry(one).query_one(Offers).values] if entry(one)._found else []


def under(one: Desk) -> list[str]:
    """What is said of the query: what its times mean, and how many objects it finds."""
    return noted(entry(one), "reading").split("\n")


async def keys(one: Desk, text: str) -> None:
    await one.press(*(SIGNS.get(letter, letter) for letter in text))


async def test_a_query_is_completed_read_and_corrected_before_it_is_sent() -> None:
    async with desk((80, 24)) as one:
        await one.open("PaymentsSearchCharges")
        line = entry(one).line
        await keys(one, "sta")
        assert offered(one) == ["status"]
        assert not entry(one).has_class("-wrong"), "what is half typed is not wrong yet"
        await one.press("escape")
        assert offered(one) == []
        assert entry(one).has_class("-wrong")
        await one.press("down", "tab")
        assert line.value == "status:"
        assert offered(one) == ['"succeeded"', '"pending"', '"failed"']
        await one.press("down", "down", "down", "up", "down", "enter")
        assert line.value == 'status:"failed"'
        assert one.screen.result.result is None, "Enter took an entry and ran nothing"

        await keys(one, " created")
        assert offered(one) == ["created:", "created>", "created>=", "created<", "created<="]
        await keys(one, ">-7d")
        assert under(one)[0].startswith("-7d  after ")
        assert under(one)[0].rpartition(" = ")[2].isdecimal()

        await keys(one, " amount_due>5000")
        told = noted(entry(one), "error")
        assert told.startswith("✗ unknown field amount_due. Did you mean amount? Enter changes it. Fields: amount, created,")
        await one.press("enter")
        assert line.value == 'status:"failed" created>-7d amount>5000'
        assert under(one)[0].startswith("-7d  after ")

        row = entry(one).query_one(ConditionRow)
        await one.until(lambda: row.region.height, "the filters in sight")
        assert [said(word) for word in row.words] == [
            "status is failed",
            "created after -7d",
            "amount more than 5000 (smallest unit)",
        ]
        assert said(words_of("created>1785542400")[0]) == "created after 1 Aug 2026"
        assert said(row.words[2], "jpy") == "amount more than 5,000 JPY"
        assert said(row.words[2], "eur") == "amount more than 50.00 EUR"
        await one.press("tab")
        assert row.has_focus
        await one.press("right", "delete")
        assert line.value == 'status:"failed" amount>5000'
        await one.press("enter")
        assert one.app.focused is line
        assert line.cursor_position == len(line.value)
        row.focus()
        await one.press("right", "right", "right", "enter")
        await one.until(lambda: len(offered(one)) == 5, "what may be added")
        assert line.has_focus
        assert line.value.endswith("amount>5000 ")
        await one.press("end", "escape")
        await keys(one, "an")
        assert offered(one) == ["AND "]
        await one.press("tab")
        assert line.value.endswith("amount>5000 AND ")
        await keys(one, "c")
        assert "created" in offered(one)
        await one.press("backspace")
        assert len(offered(one)) == 5
        await one.press("tab")
        assert one.app.focused is not line, "where nothing is begun, Tab goes on as everywhere"


def test_a_condition_goes_with_what_joined_it() -> None:
    for line, place, left in (
        ("a:1 AND b:2 AND c:3", 0, "b:2 AND c:3"),
        ("a:1 AND b:2 AND c:3", 1, "a:1 AND c:3"),
        ("a:1 AND b:2", 1, "a:1"),
        ("a:1", 0, ""),
        ("word a:1 b:2", 0, "word b:2"),
    ):
        assert without(line, place) == left
    row, room = ConditionRow(), Size(60, 9)
    row.line = "a:1 b:2"
    assert row.get_content_height(room, room, 60) == 1, "also before it has a width"
    row.line = "a:1 OR b:2"
    assert row.words == []


async def test_matches_are_counted_when_nobody_types_and_the_next_key_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        await one.open("PaymentsSearchCharges")
        await keys(one, "status:failed")
        await one.until(lambda: under(one)[-1].endswith(" found"), "the count")
        found = int(under(one)[-1].split()[0])
        await one.run()
        result = one.screen.result.result
        assert result is not None
        assert result.page is not None
        assert result.page.items == found

        asked: list[str] = []
        stopped: list[str] = []

        async def count(session: object, tool: object, raw: dict[str, str]) -> str:
            (query,) = raw.values()
            asked.append(query)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                stopped.append(query)
                raise
            return ""

        monkeypatch.setattr("tui.explorer.fields.query.counted", count)
        entry(one).line.focus()
        await keys(one, " amount>1")
        await one.until(lambda: asked[-1:] == ["status:failed amount>1"], "the count")
        assert under(one)[-1] == "counting …"
        await keys(one, "2")
        await one.until(lambda: asked[-1] == "status:failed amount>12", "the next count")
        assert stopped == asked[:-1], "the count before is given up"


async def test_live_data_is_counted_only_where_its_account_allows() -> None:
    cases: tuple[tuple[Mode, str, bool], ...] = (
        ("test", "", True),
        ("live", "", False),
        ("live", "other", False),
        ("live", "other, sandbox", True),
    )
    for mode, named, counts in cases:
        session = Session({"CALLBOARD_COUNT_LIVE": named})
        await session.ready()
        plain = session.connection("PaymentsApi")
        endpoints = {name: replace(endpoint, mode=mode) for name, endpoint in plain.endpoints.items()}
        session.engine._found = {"sandbox": with_fields(plain, endpoints=endpoints)}, ""
        tool = session.catalog.tools["PaymentsSearchCharges"]
        assert may_count(session, tool.toolkit) == counts, (mode, named)
        await session.aclose()
