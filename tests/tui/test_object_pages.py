"""The page of an object on screen: from a few keys to the result, to other objects and back."""

import json
from collections.abc import Callable
from datetime import datetime
from itertools import pairwise

from msgspec.structs import replace
from rich.cells import cell_len
from textual.widgets import Static

from registry.pages.page import Moment, ObjectLink, ObjectPage, Subject, as_markdown
from registry.pages.subjects import PageRequest
from tests.opened import made
from tests.tui.app import Desk, desk
from tui.compare.screen import CompareScreen, CompareWith
from tui.dialogs.confirm import ConfirmDelete
from tui.keyboard.key_bar import KeyBar
from tui.pages.head import PageList, timeline_title
from tui.pages.lines import PageLine, fitted, page_lines, timeline_lines
from tui.pages.screen import PageScreen
from tui.widgets.texts import facts_lines, way_line

AURORA = "accounts@aurora.example"


class Pages:
    """The page in a running program, and the keys pressed for it that are not text."""

    def __init__(self, one: Desk) -> None:
        self.desk = one
        self.keys = 0

    @property
    def screen(self) -> PageScreen:
        screen = self.desk.app.screen
        assert isinstance(screen, PageScreen)
        return screen

    @property
    def page(self) -> ObjectPage:
        page = self.screen.page
        assert page is not None
        return page

    @property
    def list(self) -> PageList:
        return self.screen.query_one("#page-lines", PageList)

    @property
    def line(self) -> PageLine:
        line = self.list.here
        assert line is not None
        return line

    @property
    def text(self) -> str:
        return "\n".join(
            _text(one) for name in ("#page-lines", "#page-timeline") for one in self.screen.query_one(name, PageList)._lines
        )

    async def press(self, *keys: str) -> None:
        self.keys += len(keys)
        await self.desk.press(*keys)

    async def until_loaded(self, condition: Callable[[ObjectPage], object] = lambda _: True) -> None:
        def is_there() -> bool:
            screen = self.desk.app.screen
            return (
                isinstance(screen, PageScreen)
                and screen.page is not None
                and screen.page.loaded
                and bool(condition(screen.page))
            )

        await self.desk.until(is_there, "the page")
        await self.desk.pilot.pause()


def _text(line: PageLine) -> str:
    return "".join(text for text, _ in line.parts)


async def test_the_call_behind_a_section_is_one_key_away_and_leads_back() -> None:
    async with desk((120, 24)) as one:
        pages = Pages(one)
        one.app.open_page(PageRequest(AURORA))
        await pages.until_loaded()
        while pages.line.section != "invoices":
            await pages.press("down")
        await pages.press("down", "down")
        key, at, customer = pages.line.key, pages.list.cursor, pages.page.subject.id
        assert pages.line.link is not None
        invoice = pages.line.link.id
        await pages.press("enter")
        await pages.until_loaded(lambda page: page.subject.id == invoice)
        await pages.press("down", "backspace")
        await one.until(lambda: pages.page.subject.id == customer, "the customer again")
        assert (pages.line.key, pages.list.cursor) == (key, at)

        await pages.press("t")
        await one.until(lambda: one.app.screen is one.screen and one.screen.result.laid_out, "the call")
        await one.until(lambda: one.screen.tool is not None and one.screen.tool.name == "SearchPaymentsInvoices")
        assert one.screen.form.raw["search_query_string"] == f'customer:"{customer}"'
        await one.until(lambda: one.screen.result.result is not None)
        one.screen.result.views.focus()
        await one.until(lambda: one.app.focused is one.screen.result.view, "the answer")
        await one.press("backspace")
        await one.until(lambda: isinstance(one.app.screen, PageScreen), "the page again")
        assert pages.line.key == key
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen, "the explorer")
        # Sections unfold, and an id that is none is said.
        one.app.open_page(PageRequest(AURORA))
        await pages.until_loaded()
        while pages.line.key != "invoices:more":
            await pages.press("down")
        assert "VV47RLFS-0001" not in "".join(_text(line) for line in pages.list._lines)
        await pages.press("enter")
        assert "VV47RLFS-0001" in "".join(_text(line) for line in pages.list._lines)
        said: list[str] = []
        one.app.notify = lambda words, **_: said.append(words)  # type: ignore[method-assign]
        one.app.open_page(PageRequest("two words"))
        await one.until(lambda: said, "the complaint")
        assert "does not look like an id" in said[0]


def _page(*moments: Moment, now: float = 10 * 86_400.0) -> ObjectPage:
    return ObjectPage(Subject("incident", "Q1", "GetIncident", {}), "incidents", timeline=moments, now=now)


def _moment(at: float, words: str = "Triggered through the API", section: str = "log") -> Moment:
    return Moment(at, words, "text", section, "incidents", ObjectLink("incidents", "log_entry", f"R{at:.0f}"))


def test_neighbours_of_the_timeline_that_say_the_same_are_one_line_and_unfold() -> None:
    noon = datetime(2026, 11, 22, 12).timestamp()
    alike = [_moment(noon - minutes * 60) for minutes in range(12)]
    page = _page(_moment(noon + 60, "Resolved"), *alike, _moment(noon - 900, "Assigned"), _moment(noon - 960), now=noon + 120)
    lines = timeline_lines(page, 64, (), {})
    assert len({_text(one).index(":") for one in lines}) == 1, "all times stand below each other"
    assert [_text(one).partition(":")[2][2:].strip() for one in lines[1:]] == [
        "Triggered through the API × 12, until 12:00",
        "Assigned",
        "Triggered through the API",
    ]
    assert _text(lines[1]).strip().startswith("11:49")
    assert lines[1].unfolds
    assert lines[-1].link == ObjectLink("incidents", "log_entry", f"R{noon - 960:.0f}")
    unfolded = timeline_lines(page, 64, (), {}, {lines[1].key})
    assert [one.link for one in unfolded[2:14]] == [one.link for one in alike]
    assert len({one.key for one in unfolded}) == len(unfolded)
    assert len(timeline_lines(page, 60, ("assigned",), {})) == 1, "what is filtered out divides nothing"

    parted = _page(_moment(noon + 60), _moment(noon, section="others"), _moment(noon - 60), now=noon + 30)
    assert not any(one.unfolds for one in timeline_lines(parted, 60, (), {})), "other sections and what is to come stay apart"
    yesterday = _page(_moment(noon), _moment(noon - 86_400), now=noon)
    (one,) = timeline_lines(yesterday, 80, (), {})
    assert _text(one).endswith("× 2, until 22 Nov 12:00")
    assert "× 12, until Sun 22 Nov 2026 12:00" in as_markdown(replace(page, object={}, headline="Incident"))


def test_the_head_fits_any_width_and_breaks_between_facts() -> None:
    facts = ("in_vny4sH2PGDGoJuZrOdmZcfVs", "of Padaria Aurora Ltda", "subscription cycle", "charge automatically", "test")
    assert facts_lines(facts, 120, 2) == [" · ".join(facts)]
    assert facts_lines(facts, 90, 2) == [" · ".join(facts[:3]), " · ".join(facts[3:])]
    assert facts_lines(facts, 60, 1) == [" · ".join(facts[:2]) + " · …"]
    for width in range(20, 130):
        assert all(cell_len(line) <= width for line in facts_lines(facts, width, 2))
    way = ("Padaria Aurora Ltda", "Padaria Aurora Ltda", "VV47RLFS-0004", "213.00 BRL of Padaria Aurora Ltda")
    assert way_line(way, 80) == "Padaria Aurora Ltda › VV47RLFS-0004 › 213.00 BRL of Padaria Aurora Ltda"
    assert way_line(way, 60) == "… › VV47RLFS-0004 › 213.00 BRL of Padaria Aurora Ltda"
    assert way_line(way, 40) == "… › 213.00 BRL of Padaria Aurora Ltda"
    assert way_line(way, 20) == "213.00 BRL of Padar…"
    assert way_line((), 20) == ""


async def test_keys_lead_from_a_page_to_the_explorer_d_asks_and_lines_fit_any_width() -> None:
    async with desk((80, 24)) as one:
        pages = Pages(one)
        one.app.open_page(PageRequest(AURORA))
        await pages.until_loaded()
        page = pages.page
        assert " D Delete " in str(pages.screen.query_one(KeyBar).render())
        assert "SANDBOX" in str(pages.screen.query_one("#page-state", Static).render())
        cursor = pages.list.render_line(pages.list.cursor - pages.list.scroll_offset.y)
        assert cursor.text.startswith("›")
        await one.press("D")
        await one.until(lambda: isinstance(one.app.screen, ConfirmDelete), "the question")
        await one.press("escape")
        await one.until(lambda: isinstance(one.app.screen, PageScreen), "the page again, and not the form of the deletion")
        await one.press("f4")
        await one.until(lambda: one.app.screen is one.screen and one.screen.here == "result", "the result")
    for width in (30, 46, 66, 100, 160):
        for line in (*page_lines(page, width, 5, ()), *timeline_lines(page, width, (), {})):
            assert len("".join(text for text, _ in fitted(line, width))) <= width
        rows = ["".join(text for text, _ in fitted(line, width)) for line in page_lines(page, width, 5, ())]
        assert any("failed" in row and "130.00 BRL" in row for row in rows), width
    lines = page_lines(page, 100, 5, (), roomy=True)
    assert not any(before.parts for before, line in pairwise(lines) if line.key.endswith(":heading")), "all fits: none touches"
    only = timeline_lines(page, 60, ("failed",), {})
    assert len([line for line in only if line.rests]) == 1


async def test_what_cannot_be_deleted_says_what_to_do_instead_and_what_is_deleted_offers_no_deletion() -> None:
    async with desk((80, 24)) as one:
        pages = Pages(one)

        def bar() -> str:
            return str(pages.screen.query_one(KeyBar).render())

        # Few calls before the last page: the sandbox refuses what exceeds its rate.
        engine, customer = one.app.session.engine, "cus_SxAKdn2A4YV4At"
        search = engine.catalog.tools["PaymentsSearchCharges"]
        listed = await engine.run(search, {"search_query_string": f'customer:"{customer}"'}, engine.usual(search.toolkit))
        one.app.open_page(PageRequest(json.loads(listed.body)["data"][0]["id"]))
        await pages.until_loaded(lambda page: page.subject.type == "charge")
        assert "Delete" not in bar()
        await one.press("D")
        await one.until(lambda: "A charge cannot be deleted. Refund it in the service's dashboard instead." in bar())
        tool = engine.catalog.tools["DeletePaymentsCustomer"]
        assert (await made(engine, tool, {"customer_id": customer}, engine.usual(tool.toolkit))).ok
        one.app.open_page(PageRequest(customer))
        await pages.until_loaded(lambda page: page.subject.id == customer)
        assert pages.page.headline == f"{customer} (deleted)"
        assert {one.state for one in pages.page.sections} == {"complete"}, "what asks about a deleted customer has not failed"
        assert "Delete" not in bar()
        await one.press("D")
        await one.until(lambda: "This object is already deleted." in bar())
        one.app.open_page(PageRequest("cus_NobodyIsHere1"))
        await pages.until_loaded(lambda page: page.failure is not None)
        facts = pages.screen.query_one("#page-facts", Static)
        assert str(facts.render()).splitlines() == [
            "No such customer: 'cus_NobodyIsHere1'",
            "Check the id, and that it belongs to this account and to the same mode (test or live).",
        ]
        assert facts.size.height >= 3, "all of it is in sight"
        assert "not loaded" in str(pages.screen.query_one("#page-state", Static).render())
        assert str(timeline_title(pages.page, [], {})) == "Timeline 0 · not loaded"
        assert not [one for one in (" Open", "Timeline", "Related", "Delete", "Watch") if one in bar()]


async def test_an_object_on_its_page_is_compared_with_another_one_that_was_seen() -> None:
    async with desk(lists="table") as one:
        await one.open("ListServices")
        await one.run()
        await one.press("enter")
        pages = Pages(one)
        await one.until(lambda: isinstance(one.app.screen, PageScreen) and pages.screen.page is not None and pages.page.loaded)
        await one.press("c")
        await one.until(lambda: isinstance(one.app.screen, CompareWith), "what to compare with")
        await one.pilot.pause()
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, CompareScreen), "both side by side")
        beside = [one.app.screen.query_one(f"#head-{side}", Static) for side in ("left", "right")]
        await one.until(lambda: all(str(head.render()) for head in beside))
        heads = [str(head.render()) for head in beside]
        assert heads[0].startswith("batch")
        assert heads[0].split()[0] != heads[1].split()[0], "each is told by its name"
