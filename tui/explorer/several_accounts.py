"""Lists from several accounts at once in the explorer: chooses the accounts, and follows a row with its own account.

One account per toolkit is in use. So following a row (to its object, its page, a related tool) switches to the row's account:
top line, form and calls always agree.
"""

from collections.abc import Iterable

from registry.calling.result import Result
from registry.calling.several_accounts import SeveralAccounts
from tui.dialogs.choose import SeveralAccountsDialog
from tui.explorer.explorer import Explorer
from tui.json_view.document import Document
from tui.state.settings import key_of


async def run_on_several(context: Explorer) -> None:
    """Ask on which accounts to run the open tool, and run it on all of them, into one table."""
    tool, session = context.tool, context.session
    if tool is None:
        context.say("Open a tool first.")
        return
    if tool.effect != "read" or tool.returns.kind not in ("list", "search_result"):
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
