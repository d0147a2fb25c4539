"""Follows the row at the cursor: to the tool that shows its object, to tools that accept it, or expands it in place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol, cast

from registry.pages.page import ObjectLink
from registry.pages.subjects import NoPage, subject_of_link
from registry.references.expanding import expansions
from registry.references.targets import Target, as_raw
from registry.results.cells import quoted
from registry.text.safe_text import visible_line
from tui.dialogs.choose import Choice, ChooseDialog, choice_of
from tui.explorer.context import ExplorerContext
from tui.explorer.several_accounts import use_account_of
from tui.json_view.document import Document
from tui.json_view.links import Links

_NOWHERE = "No result here. Run the tool first."


async def follow(context: ExplorerContext) -> None:
    """Open what the row at the cursor names; otherwise fold or unfold the branch, or say why there is nothing to open."""
    at = _at(context)
    if at is None:
        context.say(_NOWHERE)
    else:
        await _follow(context, *at)


async def follow_item(context: ExplorerContext) -> None:
    """Open what the cell names, else the object of its row, or its page; without any of these, show the whole cell."""
    at = _at(context)
    if at is None:
        context.say(_NOWHERE)
        return
    links, document, row = at
    if not links.targets(document, row):
        item = context.result.views.row_of_item()
        if item is None or not links.targets(document, item):
            link = links.object_at(document, item) if item is not None else None
            if link is not None and _has_page(context, link):
                cast(Opener, context.app).open_page(link)
            else:
                context.result.table.action_read()
            return
        row = item
    await _follow(context, links, document, row)


async def _follow(context: ExplorerContext, links: Links, document: Document, row: int) -> None:
    view, found = context.result.view, links.targets(document, row)
    if len(found) > 1:
        chosen = await _choose(context, "Open which object?", found)
        found = [chosen] if chosen is not None else []
        if not found:
            return
    if found:
        if use_account_of(context, document, row):
            _go(context, found[0])
    elif document.opens(document.rows.opener(row)):
        view.action_toggle_fold()
    else:
        context.say(visible_line(links.why_not(document, row)))


async def what_else(context: ExplorerContext) -> None:
    """Choose among the tools that accept the object at the cursor, or around it."""
    at = _at(context)
    if at is None:
        context.say(_NOWHERE)
        return
    links, document, row = at
    found = links.offers(document, row)
    if not found:
        context.say("No other tool accepts this value.")
        return
    chosen = await _choose(context, f"Use {links.subject(document, row)} in another tool", found)
    if chosen is not None and use_account_of(context, document, row):
        context.visit(chosen.tool, chosen.raw)


class Opener(Protocol):
    """An application that opens the page of an object, from where the user can come back."""

    def open_page(self, wanted: ObjectLink) -> None:
        """Open the page of an object."""


async def page(context: ExplorerContext) -> None:
    """Open the page of the object that the row at the cursor names or is inside of."""
    at = _at(context)
    if at is None:
        context.say(_NOWHERE)
        return
    links, document, row = at
    link = links.object_at(document, row) or _only_item(context, links, document)
    if link is None:
        context.say("No page here: this value is not an id.")
    elif use_account_of(context, document, row):
        cast(Opener, context.app).open_page(link)


def _has_page(context: ExplorerContext, link: ObjectLink) -> bool:
    """Whether some call finds the object, so that it has a page: a role is found in its list, though no tool reads one role."""
    try:
        return bool(subject_of_link(link, context.session.routes))
    except NoPage:
        return False


def _only_item(context: ExplorerContext, links: Links, document: Document) -> ObjectLink | None:
    """The only item of a list, wherever the cursor is."""
    result = context.result.result
    if result is None or result.page is None or result.page.items != 1 or result.items_at is None:
        return None
    row = document.row_at([*(quoted(name) for name in result.items_at.split(".") if name), 0])
    return links.object_at(document, row) if row is not None else None


async def expand(context: ExplorerContext) -> None:
    """Run the call again with the id at the cursor expanded; elsewhere, with a field that the user chooses."""
    tool, at = context.tool, _at(context)
    parameter = tool.with_role("expand") if tool is not None else None
    if at is None or tool is None or parameter is None:
        context.say(_NOWHERE if at is None else "This service does not support expanding ids.")
        return
    links, document, row = at
    if not use_account_of(context, document, row):
        return
    arguments = links.expanded(document, row)
    if arguments is None:
        asked = context.trail.here.asked if context.trail.here is not None else {}
        given = asked.get(parameter.name)
        chosen = given if isinstance(given, list) else []
        fields = [path for path in expansions(tool, chosen) if path not in chosen]
        if not fields:
            context.say(f"{tool.name} has no ids to expand.")
            return
        place = await _ask(context, "Expand", [Choice(path) for path in fields], "Expand")
        if place is None:
            return
        arguments = {**asked, parameter.name: [*chosen, fields[place]]}
    _again(context, arguments, row)


def _go(context: ExplorerContext, target: Target) -> None:
    if target.reach == "expanded" and context.tool is not None and target.tool == context.tool.name:
        at = _at(context)
        _again(context, target.arguments, at[2] if at is not None else 0)
    else:
        context.visit(target.tool, target.raw)


def _again(context: ExplorerContext, arguments: Mapping[str, object], row: int) -> None:
    """Run the tool on screen again with other arguments; the cursor comes back to where it is."""
    context.result.come_back_to(row)
    context.form.fill(as_raw(arguments))
    context.form.run_tool()


async def _choose(context: ExplorerContext, title: str, found: Sequence[Target]) -> Target | None:
    tools = context.session.catalog.tools
    choices = [choice_of(target, tools[target.tool]) for target in found]
    place = await _ask(context, title, choices, "Open")
    return found[place] if place is not None else None


async def _ask(context: ExplorerContext, title: str, choices: Sequence[Choice], does: str) -> int | None:
    """The index of the chosen entry; None if the dialog was cancelled."""
    return await context.app.push_screen_wait(ChooseDialog(title, choices, does))


def _at(context: ExplorerContext) -> tuple[Links, Document, int] | None:
    """The links of the result on screen, its document, and the row at the cursor."""
    view = context.result.view
    if view.links is None or view.document is None or view.row is None or not context.result.laid_out:
        return None
    return view.links, view.document, view.row


ACTIONS: Mapping[str, Callable[[ExplorerContext], Awaitable[None]]] = {
    "follow": follow,
    "follow item": follow_item,
    "what else": what_else,
    "page": page,
    "expand": expand,
}
"""The actions of the result's keys, by name."""
