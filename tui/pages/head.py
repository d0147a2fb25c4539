"""The head of a page: the pages that led to it, its state and account, its headline and its facts."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content

from registry.pages.written import SIGNS
from registry.text.safe_text import visible_line
from tui.pages.lines import account_chip, state_line
from tui.pages.open_page import OpenPage
from tui.session import Session
from tui.widgets.line_list import TONES
from tui.widgets.words import Words, facts_lines, way_line


class PageHead(Vertical):
    """The lines above a page; short ones on a low screen."""

    DEFAULT_CSS = """
    PageHead {
        height: auto;
        #page-way { height: 1; padding: 0 1; background: $surface; color: $foreground-muted; }
        #page-way Static { width: auto; text-wrap: nowrap; text-overflow: ellipsis; }
        #page-way #page-crumbs { width: 1fr; }
        #page-headline { height: auto; max-height: 3; padding: 1 1 0 1; text-style: bold; }
        #page-facts {
            height: auto; max-height: 3; padding: 0 1 0 3;
            color: $foreground-muted; border-bottom: solid $border-blurred;
        }
        &.-short #page-headline { padding: 0 1; }
        &.-short #page-facts { height: 2; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-failed #page-facts { height: auto; max-height: 12; text-wrap: wrap; }
    }
    """

    def compose(self) -> ComposeResult:
        with Horizontal(id="page-way"):
            yield Words(id="page-crumbs")
            yield Words(id="page-state")
        yield Words(id="page-headline")
        yield Words(id="page-facts")

    def show(self, opened: OpenPage) -> None:
        page, facts = opened.page, ""
        self.set_class(page is not None and page.failure is not None, "-failed")
        if page is None:
            headline, facts = Content("Loading …"), visible_line(opened.subjects[0].id)
        elif page.failure is not None:
            headline = Content.styled(f"✗ {visible_line(page.failure.title)}", "$text-error")
            facts = "\n".join(map(visible_line, (page.failure.cause, page.failure.next_step)))
        else:
            headline = Content.styled(f"{SIGNS[page.tone]} {page.headline}".lstrip(), TONES[page.tone])
        self.query_one("#page-headline", Words).update(headline)
        if facts:
            self.query_one("#page-facts", Words).update(Content(facts))

    def show_clocks(self, opened: OpenPage, titles: Sequence[str], session: Session, next_step: str, *, brief: bool) -> None:
        """Show the titles of the pages that led here, the page's age, and its object's next step from the dashboard."""
        page, toolkit = opened.page, session.catalog.tools[opened.subjects[0].tool].toolkit
        state = state_line(page, session.clock(), brief=brief)
        chip = account_chip(opened.connection(session, toolkit), toolkit, short=brief)
        left = self.size.width - state.cell_length - chip.cell_length - 4
        self.query_one("#page-crumbs", Words).update(Content(way_line(titles, left)))
        self.query_one("#page-state", Words).update(Content.assemble(state, chip))
        if page is not None and page.failure is None:
            facts = [*([f"next: {next_step}"] if next_step else []), *page.facts]
            lines = facts_lines(facts, max(self.size.width - 5, 20), 1 if self.has_class("-short") else 2)
            self.query_one("#page-facts", Words).update(Content("\n".join(lines)))
