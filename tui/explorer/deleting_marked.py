"""Deletes the objects of the marked rows of a table, by the tool that deletes their type.

Without marks it deletes the object at the cursor, which is checked and confirmed like every single object.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from registry.calling.result import Result, listing_in
from registry.catalog.model import Tool
from registry.changes.check_result import called
from registry.changes.declared import cannot_delete
from registry.changes.deletion import Deleted, OnSurprise, Progress
from registry.engine import Consent
from registry.json_text import read_json
from registry.references.naming import ELEMENT, Branch, JsonLocation, text_of
from registry.references.targets import Target, offers
from registry.text.shown import visible_line
from tui.dialogs.confirm import DeleteMany
from tui.explorer.explorer import Explorer
from tui.explorer.follow_actions import one_account
from tui.state.settings import key_of, refused_words

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
    """The possible types of an item of a tool's result."""
    own = item.get("object") if isinstance(item, dict) else None
    return [own] if isinstance(own, str) else tool.returns.objects
