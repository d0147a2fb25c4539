"""The page of an object on the screen: from a few keys to the answer, on to other objects and back."""

from __future__ import annotations

from collections.abc import Callable

from registry.pages.page import Page
from registry.pages.subjects import PageWanted
from tests.tui.app import Desk, desk
from tui.pages.lines import PageLine, fitted, page_lines, timeline_lines
from tui.pages.lists import PageList
from tui.pages.screen import PageScreen

AURORA = "accounts@aurora.example"


class Pages:
    """The page on the screen of a desk, and the keys pressed for it that are no text."""

    def __init__(self, one: Desk) -> None:
        self.desk = one
        self.keys = 0

    @property
    def screen(self) -> PageScreen:
        screen = self.desk.app.screen
        assert isinstance(screen, PageScreen)
        return screen

    @property
    def page(self) -> Page:
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

    async def until_loaded(self, condition: Callable[[Page], object] = lambda _: True) -> None:
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


async def test_from_an_email_to_why_a_payment_failed_and_back() -> None:
    """At most six keys besides text, at each of three questions; the cursor comes back to its line."""
    async with desk((80, 24)) as one:
        pages = Pages(one)
        await one.type(AURORA)
        await pages.press("enter")
        view = one.screen.result.view
        await one.until(lambda: one.screen.result.laid_out and one.app.focused is view, "the customer")
        await pages.press("P")
        await pages.until_loaded()
        assert pages.keys <= 6
        assert "Last failed payment" in pages.text
        assert "insufficient funds" in pages.text

        # What did this customer see? The timeline.
        await pages.press("T")
        await one.pilot.pause()
        assert pages.screen.query_one("#page-timeline").has_focus
        assert "payment failed, 130.00 BRL" in pages.text
        await pages.press("T")
        assert pages.keys <= 6

        # The open invoice and its lines.
        assert pages.line.link is not None
        assert pages.line.link.type == "invoice"
        before = pages.page.subject.id, pages.line.key
        await pages.press("enter")
        await pages.until_loaded(lambda page: page.subject.type == "invoice")
        assert pages.keys <= 6
        assert "2 × Fernway Board" in pages.text

        await pages.press("backspace")
        await one.pilot.pause()
        assert (pages.page.subject.id, pages.line.key) == before


async def test_the_call_behind_a_section_is_one_key_away_and_leads_back() -> None:
    async with desk((120, 40)) as one:
        pages = Pages(one)
        one.app.open_page(PageWanted(AURORA))
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
        one.screen.result.focus_answer()
        await one.until(lambda: one.app.focused is one.screen.result.view, "the answer")
        await one.press("backspace")
        await one.until(lambda: isinstance(one.app.screen, PageScreen), "the page again")
        assert pages.line.key == key
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen, "the explorer")


async def test_from_a_row_of_a_table() -> None:
    async with desk((120, 40)) as one:
        pages = Pages(one)
        await one.open("ListIncidents")
        await one.run()
        one.screen.result.focus_answer()
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table, "the table")
        await one.press("down", "down", "P")
        await pages.until_loaded()
        result = one.screen.result.result
        assert result is not None
        assert pages.page.subject.id == result.json["incidents"][2]["id"]
        assert pages.page.subject.type == "incident"


async def test_sections_unfold_and_an_id_that_is_none_is_said() -> None:
    async with desk((120, 24)) as one:
        pages = Pages(one)
        one.app.open_page(PageWanted(AURORA))
        await pages.until_loaded()
        while pages.line.key != "invoices:more":
            await pages.press("down")
        assert "VV47RLFS-0001" not in "".join(_text(line) for line in pages.list._lines)
        await pages.press("enter")
        assert "VV47RLFS-0001" in "".join(_text(line) for line in pages.list._lines)
        said: list[str] = []
        one.app.notify = lambda words, **_: said.append(words)  # type: ignore[method-assign]
        one.app.open_page(PageWanted("two words"))
        await one.until(lambda: said, "the complaint")
        assert "does not look like an id" in said[0]


async def test_lines_fit_any_width_and_lose_no_state_and_no_amount() -> None:
    async with desk((80, 24)) as one:
        pages = Pages(one)
        one.app.open_page(PageWanted(AURORA))
        await pages.until_loaded()
        page = pages.page
    for width in (30, 46, 66, 100, 160):
        for line in (*page_lines(page, width, 5, ()), *timeline_lines(page, width, (), {})):
            assert len("".join(text for text, _ in fitted(line, width))) <= width
        rows = ["".join(text for text, _ in fitted(line, width)) for line in page_lines(page, width, 5, ())]
        assert any("failed" in row and "130.00 BRL" in row for row in rows), width
    only = timeline_lines(page, 60, ("failed",), {})
    assert len([line for line in only if line.rests]) == 1
