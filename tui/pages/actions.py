"""What can be done with the object of a page: compared with another one, or itself in another account, and deleted."""

import asyncio
from collections.abc import Mapping
from functools import partial

from textual.app import App

from registry.json_text.values import dumps
from registry.pages.page import ObjectLink, ObjectPage
from registry.pages.subjects import related_tools, subjects
from registry.references.targets import Target
from registry.text.safe_text import visible_line
from tui.compare.screen import CompareScreen
from tui.compare.sides import Candidate, CompareWith, NoSide, Side
from tui.pages.open_page import OpenPage
from tui.session import Session
from tui.widgets.mode_labels import MODES


async def compare_page(app: App[object], session: Session, opened: OpenPage) -> str:
    """Let the user choose another account or object and show both side by side; returns why that is not possible, or ""."""
    page = opened.page
    if page is None or page.object is None or page.head is None:
        return "No object to compare."
    here, candidates = page.head.connection, []
    for name, connection in session.connections.items():
        if name != here and page.toolkit in connection.endpoints:
            about = MODES[connection.endpoint(page.toolkit).mode]
            elsewhere = partial(_elsewhere, session, OpenPage(opened.subjects, account=name))
            candidates.append(Candidate(f"The same object in {name}", about, elsewhere))
    type_, own = page.subject.type, page.subject.id
    for id_, label in await asyncio.to_thread(session.seen_ids, page.toolkit, [type_], ""):
        if id_ != own and (same := [*subjects(ObjectLink(page.toolkit, type_, id_), session.routes.toolkits[page.toolkit])]):
            name, _, about = visible_line(label).partition(" · ")
            other = partial(_elsewhere, session, OpenPage(same, account=here))
            candidates.append(Candidate(name or id_, " · ".join(filter(None, (about, id_ if name else ""))), other))
    if not candidates:
        return "Nothing to compare with: no other object of this kind was seen yet."
    chosen = await app.push_screen_wait(CompareWith(page.title, candidates))
    if chosen is not None:
        await app.push_screen_wait(CompareScreen(_side(page, here), chosen))
    return ""


async def _elsewhere(session: Session, opened: OpenPage) -> Side:
    page = await opened.reading(session, None, lambda _: None).load_object(opened.subjects)
    if page.failure is not None:
        raise NoSide(f"{opened.account}: {page.failure.title}. {page.failure.cause}")
    return _side(page, opened.account)


def _side(page: ObjectPage, account: str) -> Side:
    return Side(page.subject.tool, dumps(page.object).encode(), account, page.now)


def call_of(page: ObjectPage, section: str) -> tuple[str, Mapping[str, object]]:
    """The call of a section, its tool and arguments; that of the object itself for sections that it holds."""
    for one in page.sections:
        if one.id == section and one.tool and one.arguments is not None:
            return one.tool, one.arguments
    return page.subject.tool, page.subject.arguments


def deletions(page: ObjectPage, session: Session) -> list[Target]:
    """The tools that delete the object of a page and need only its id; none for an object that is deleted already."""
    if page.object is None or page.is_deleted:
        return []
    link = ObjectLink(page.toolkit, page.subject.type, page.subject.id)
    tools = session.catalog.tools
    return [
        one
        for one in related_tools(link, session.routes)
        if tools[one.tool].effect == "delete" and page.subject.type in tools[one.tool].returns.objects and not one.missing
    ]
