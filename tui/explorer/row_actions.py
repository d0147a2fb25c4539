"""Acts on rows of the result: opens what a row names, its page or the tools that accept it; expands it; deletes marked rows.

Also runs a list on several accounts. Such a list is from several at once, but one account per toolkit is in use. So following a
row (to its object, its page, a related tool) switches to the row's account: top line, form and calls always agree.

Marked rows are deleted by the tool that deletes their type. Without marks the object at the cursor is, checked and confirmed
like every single object.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from registry.calling.listing import listing_in
from registry.calling.result import Result
from registry.calling.several_accounts import SeveralAccounts
from registry.catalog.model import Tool
from registry.changes.check_result import called
from registry.changes.declared import cannot_delete
from registry.changes.deletion import Deleted, OnSurprise, Progress
from registry.engine import Consent
from registry.json_text import read_json
from registry.pages.subjects import NoPage, subject_of_link
from registry.references.naming import ELEMENT, Branch, JsonLocation, expansions, text_of
from registry.references.targets import Target, as_raw, offers
from registry.text.shown import visible_line
from tui.dialogs.choose import Choice, ChooseDialog, SeveralAccountsDialog, TargetDialog
from tui.dialogs.confirm import DeleteMany
from tui.explorer.explorer import Explorer
from tui.json_view.document import Document, Links
from tui.state.settings import key_of, refused_words


async def open_here(context: Explorer) -> None:
    """Open the page of the object that the row or cell at the cursor names or belongs to; in JSON, fold or unfold a branch.

    Without a page, the tool that shows the object; else show the whole cell, or say why there is nothing to open.
    """
    if (at := _at(context)) is None:
        return
    links, document, row = at
    in_table = context.result.views.shows_table
    link = links.object_at(document, row)
    try:  # a role has a page as well: it is found in its list, though no tool reads one role
        has_page = link is not None and bool(subject_of_link(link, context.session.routes))
    except NoPage:
        has_page = False
    if not in_table and document.opens(document.rows.opener(row)):
        context.result.view.action_toggle_fold()
    elif link is not None and has_page:
        if use_account_of(context, document, row):
            cast(Any, context.app).open_page(link)
    elif found := links.targets(document, row):
        dialog = TargetDialog("Open which object?", found, context.session)
        chosen = found[0] if len(found) == 1 else await context.app.push_screen_wait(dialog)
        if chosen is None or not use_account_of(context, document, row):
            return
        if chosen.reach == "expanded" and context.tool is not None and chosen.tool == context.tool.name:
            _again(context, chosen.arguments, row)
        else:
            context.visit(chosen.tool, chosen.raw)
    elif in_table:
        context.result.table.action_read()
    else:
        context.say(visible_line(links.why_not(document, row)))


async def what_else(context: Explorer) -> None:
    """Choose among the tools that accept the object at the cursor, or around it."""
    if (at := _at(context)) is None:
        return
    links, document, row = at
    found = links.offers(document, row)
    if not found:
        context.say("No other tool accepts this value.")
        return
    title = f"Use {links.subject(document, row)} in another tool"
    chosen = await context.app.push_screen_wait(TargetDialog(title, found, context.session))
    if chosen is not None and use_account_of(context, document, row):
        context.visit(chosen.tool, chosen.raw)


async def expand(context: Explorer) -> None:
    """Run the call again with the id at the cursor expanded; elsewhere, with a field that the user chooses."""
    if (at := _at(context)) is None:
        return
    tool = context.tool
    parameter = tool.with_role("expand") if tool is not None else None
    if tool is None or parameter is None:
        context.say("This service does not support expanding ids.")
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
        field = await context.app.push_screen_wait(ChooseDialog("Expand", [*map(Choice, fields)], fields, "Expand"))
        if field is None:
            return
        arguments = {**asked, parameter.name: [*chosen, field]}
    _again(context, arguments, row)


def _again(context: Explorer, arguments: Mapping[str, object], row: int) -> None:
    """Run the tool on screen again with other arguments; the cursor comes back to where it is."""
    context.result.come_back_to(row)
    context.form.fill(as_raw(arguments))
    context.form.run_tool()


def _at(context: Explorer) -> tuple[Links, Document, int] | None:
    """The links of the result on screen, its document, and the row at the cursor; None, with a message, without a result."""
    view = context.result.view
    if context.result.views.shows_table and context.result.table.place is None:
        context.say("There is no row.")
        return None
    if view.links is None or view.document is None or view.row is None or not context.result.laid_out:
        context.say(context.result.missing)
        return None
    return view.links, view.document, view.row


async def run_on_several(context: Explorer) -> None:
    """Ask on which accounts to run the open tool, and run it on all of them, into one table."""
    tool, session = context.tool, context.session
    if tool is None:
        context.say("Open a tool first.")
        return
    if tool.effect != "read" or not tool.is_list:
        why = "changes data" if tool.effect != "read" else "returns no list"
        context.say(f"{tool.name} {why}. Only lists are read from several accounts at once.")
        return
    known = [one for one in session.connections.values() if tool.toolkit in one.endpoints]
    if len(known) < 2:
        context.say(f"There is one account here. {key_of(context.app, 'connections')} adds another one.")
        return
    result = context.result.result
    before = result.accounts if isinstance(result, SeveralAccounts) and result.tool == tool.name else ()
    marked = before or (session.connection(tool.toolkit).name,)
    chosen = await context.app.push_screen_wait(SeveralAccountsDialog(tool, known, marked))
    if chosen is not None:
        context.launch(tool, context.form.raw, accounts=[one for one in known if one.name in chosen])


def place_of(result: Result, document: Document, row: int) -> int | None:
    """The index of the item that a row of a result is in; None outside the items."""
    path = document.path(row)
    depth = len(result.items_at.split(".")) if result.items_at else 0
    step = path[depth] if len(path) > depth else None
    return step if isinstance(step, int) else None


def one_account(context: Explorer, places: Iterable[int]) -> str | None:
    """The account of some rows of the result on screen; None, with a message, if they are from different ones."""
    result = context.result.result
    assert result is not None
    if _is_output(context, result):
        return None
    names = {result.connection_of(place) for place in places}
    if len(names) > 1:
        context.say("These rows are from several accounts. Mark those of one account.")
        return None
    return next(iter(names), result.connection)


def use_account_of(context: Explorer, document: Document, row: int) -> bool:
    """Switch to the account of a row in a list of several accounts; False, with a message, if the row has no account."""
    result = context.result.result
    if not isinstance(result, SeveralAccounts):
        return True
    if _is_output(context, result):
        return False
    place = place_of(result, document, row)
    if place is None:
        context.say("This line belongs to no account. Move to a row.")
        return False
    return use_account(context, result, result.connection_of(place))


def _is_output(context: Explorer, result: Result) -> bool:
    """Whether the rows are a query's output on a list of several accounts, which does not keep the account of a row."""
    if not isinstance(result, SeveralAccounts) or not context.result.views.shows_output:
        return False
    context.say(f"These rows are a query's output. Press {key_of(context.app, 'cancel')} and open the row in the full result.")
    return True


def use_account(context: Explorer, result: Result, name: str) -> bool:
    """Switch to an account for the toolkit of a result; False, with a message, if it no longer exists."""
    session, toolkit = context.session, context.session.catalog.tools[result.tool].toolkit
    if name not in session.connections:
        context.say(f"The account {name} no longer exists.")
        return False
    if session.connection(toolkit).name != name:
        session.chosen[toolkit] = name
        context.targets_changed()
        context.say(f"Now using {name}, the account of this row.", "$text-accent")
    return True


_MOST = 500


async def delete_marked(context: Explorer) -> None:
    """Ask once, delete one by one, and show the outcome of each."""
    result, table = context.result.result, context.result.views.shown
    if result is None or table is None or table.place is None:
        context.say("No rows here to delete.")
        return
    if context.result.views.shows_output:
        context.say(f"These rows are a query's output. Press {key_of(context.app, 'cancel')} and delete from the full result.")
        return
    if not table.marked:
        path, items = await asyncio.to_thread(_read, result.body, result.items_at, table.items, [table.place])
        if (one := _deletion(context, result, items[0], path)) is None:
            tool = context.session.catalog.tools[result.tool]
            context.say(cannot_delete(tool.toolkit, next(iter(_types(items[0], tool)), "object")))
        else:
            context.ask_once_open(context.visit(one.tool, one.raw))
        return
    if len(table.marked) > _MOST:
        context.say(f"At most {_MOST} rows at once; {len(table.marked):,} are marked.")
        return
    if (name := one_account(context, table.marked)) is None:
        return
    path, items = await asyncio.to_thread(_read, result.body, result.items_at, table.items, table.marked)
    calls = [one for item in items if (one := _deletion(context, result, item, path)) is not None]
    if len(calls) < len(items) or len({one.tool for one in calls}) != 1:
        several = "No single tool can delete all marked rows. Mark objects of one type."
        context.say(several if calls else "No tool can delete these objects.")
        return
    tool = context.session.catalog.tools[calls[0].tool]
    session, connection = context.session, context.session.connections[name]
    decision = session.engine.policy.decide(tool, connection)
    if decision.kind in ("switch", "refuse"):
        context.app.notify(refused_words(context.app, decision), title=tool.name, severity="warning")
        return

    began = asyncio.Event()

    async def run(consent: Consent, on_surprise: OnSurprise, progress: Progress, stop: asyncio.Event) -> Sequence[Deleted]:
        began.set()

        def tell(account: Sequence[Deleted]) -> None:
            for item, one in zip(items, account, strict=True):
                if one.outcome is not None and one.outcome.became in ("done", "gone"):
                    session.deleted_ids[connection.name].add(str(item["id"]))
            progress(account)

        arguments = [one.arguments for one in calls]
        delete_many = session.engine.delete_many
        return await delete_many(tool, arguments, connection, consent, on_surprise=on_surprise, progress=tell, stop=stop)

    mode = connection.endpoint(tool.toolkit).mode
    names = [visible_line("  ".join([str(item["id"]), *called(item)[:1]])) for item in items]
    await context.app.push_screen_wait(DeleteMany(tool, names, mode, run, typed=decision.kind == "type"))
    if began.is_set():  # after Cancel the marks stay
        table.action_unmark()
        await context.result.recount()
    table.refresh()


def _read(body: bytes, at: str | None, items: Sequence[bytes], marked: Sequence[int]) -> tuple[tuple[str, ...], list[Any]]:
    """The path of the list in a response, declared to be at `at`, and its marked items."""
    listing = listing_in(body, at)
    return listing.path if listing is not None else (), [read_json(items[place]) for place in marked]


def _deletion(context: Explorer, result: Result, item: Any, path: Sequence[str]) -> Target | None:
    """The call that deletes an item, with all its arguments; None if there is no such call."""
    if not isinstance(item, dict) or (id_ := text_of(item)) is None:
        return None
    tools = context.session.catalog.tools
    tool = tools[result.tool]
    types = _types(item, tool)
    # Only scalars decide which object an item is, and whose.
    members = {key: value for key, value in item.items() if isinstance(value, str | int)}
    whole = Branch("", {"object": "list"} if path else {})
    place = JsonLocation(ELEMENT, members, (*(Branch(name, {}) for name in reversed(path)), whole))
    for target in offers(place, tool, result.arguments, context.session.routes):
        deleting = tools[target.tool]
        known = deleting.effect == "delete" and not target.missing and not set(types).isdisjoint(deleting.returns.objects)
        # The object with that id itself, and not something inside it.
        if known and deleting.subject is not None and target.arguments.get(deleting.subject.name) == id_:
            return target
    return None


def _types(item: Any, tool: Tool) -> Sequence[str]:
    own = item.get("object") if isinstance(item, dict) else None
    return [own] if isinstance(own, str) else tool.returns.objects
