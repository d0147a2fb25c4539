"""Opens what the row at the cursor names: its page, or the tools that accept it; or expands it in place.

Also runs a list on several accounts. Such a list is from several at once, but one account per toolkit is in use. So following a
row (to its object, its page, a related tool) switches to the row's account: top line, form and calls always agree.
"""

from collections.abc import Iterable, Mapping

from registry.calling.result import Result
from registry.calling.several_accounts import SeveralAccounts
from registry.pages.page import ObjectLink
from registry.pages.subjects import NoPage, subject_of_link
from registry.references.naming import expansions
from registry.references.targets import as_raw
from registry.text.shown import visible_line
from tui.dialogs.choose import Choice, ChooseDialog, SeveralAccountsDialog, TargetDialog
from tui.explorer.explorer import Explorer
from tui.json_view.document import Document, Links
from tui.state.settings import key_of


async def open_here(context: Explorer) -> None:
    """Open the page of the object that the row or cell at the cursor names or belongs to; in JSON, fold or unfold a branch.

    Without a page, the tool that shows the object; else show the whole cell, or say why there is nothing to open.
    """
    if (at := _at(context)) is None:
        return
    links, document, row = at
    in_table = context.result.views.shows_table
    link = links.object_at(document, row)
    if not in_table and document.opens(document.rows.opener(row)):
        context.result.view.action_toggle_fold()
    elif link is not None and _has_page(context, link):
        if use_account_of(context, document, row):
            context.open_page(link)
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


def _has_page(context: Explorer, link: ObjectLink) -> bool:
    """Whether some call finds the object, so that it has a page: a role is found in its list, though no tool reads one role."""
    try:
        return bool(subject_of_link(link, context.session.routes))
    except NoPage:
        return False


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
