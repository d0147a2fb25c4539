"""Picks an id for a field: from the service's list, or else from ids in earlier results.

If the list has an owner (the cards of a customer), the owner is taken from the form's other fields, or picked first.
"""

from collections.abc import Mapping
from functools import partial

from registry.catalog.model import Parameter, Tool
from registry.references.routes import IdSource, sources_of
from registry.references.targets import with_article, words_for
from tui.explorer.explorer import Explorer
from tui.explorer.fields.text import IdField
from tui.explorer.pick_dialog import IdRows, ListedIds, PickDialog, SeenIds

_DEEPEST = 4


async def pick(context: Explorer, field: IdField, name: str = "") -> None:
    """Let the user choose an id for a field, and fill it in; owners chosen on the way are filled into their fields.

    `name` is what the user has already typed of the object's name; of the owner's if that is asked first.
    """
    tool = context.tool
    if tool is None:
        return
    owners: dict[str, str] = {}
    raw = {**context.form.raw}
    id_ = await _choose(context, tool, field.parameter, raw, owners, name, changes=tool.effect != "read")
    if id_ is not None and field.is_in_form and context.tool is tool:
        context.form.fill_in({name: owner for name, owner in owners.items() if name != field.parameter.name})
        field.take(id_)
        field.focus_editor()


async def _choose(
    context: Explorer, tool: Tool, parameter: Parameter, raw: Mapping[str, object], owners: dict[str, str], name: str,
    why: str = "", depth: int = 0, changes: bool = False,
) -> str | None:  # fmt: skip
    """The id chosen for a parameter of a tool, after the owners that its list needs; None if the dialog was cancelled.

    Args:
        context: the explorer.
        tool: the tool that the parameter belongs to.
        parameter: the parameter for the id.
        raw: known values of the tool's other parameters.
        owners: receives the ids chosen on the way, by parameters of the form.
        name: the search text for the first list.
        why: a text above the list, for owners.
        depth: how many choices wait for this one.
        changes: whether the id is for a change.
    """
    session = context.session
    kind = " or ".join(words_for(type_) for type_ in parameter.refers_to)
    source = next(iter(sources_of(tool, parameter, raw, session.routes)), None) if depth < _DEEPEST else None
    if source is not None:
        known = dict(source.known)
        for owner in source.missing:
            of = words_for(owner.refers_to[0])
            first = f"{parameter.name} depends on {with_article(of)}. Choose the {of} first."
            id_ = await _choose(context, source.tool, owner, known, {}, name, first, depth + 1, changes)
            if id_ is None:
                return None
            known[owner.name], name = id_, ""
            for one in tool.parameters:
                is_owner = one is not parameter and set(one.refers_to) & set(owner.refers_to)
                if is_owner and one.required and not raw.get(one.name):
                    owners[one.name] = id_
        rows: IdRows = ListedIds(session, IdSource(source.tool, source.types, known, (), source.words))
    else:
        why = why or f"No tool lists {kind} ids. Choose one from earlier results, or type it."
        rows = SeenIds(partial(session.seen_ids, tool.toolkit, parameter.refers_to))
    id_ = await context.app.push_screen_wait(PickDialog(f"Choose {with_article(kind)}", why, rows, name, changes=changes))
    name = next((row.name for row in rows.rows if row.id == id_), "")
    session.names.note({id_: name} if id_ and name else {})  # so the field can show whose id it is
    return id_
