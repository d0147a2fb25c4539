"""A toolkit that the user added: its source, the changes of a refresh, and removing it, from its place in the tree.

Every change is shown first and asked about. The explorer follows: the form of a changed tool keeps the values that still fit; a
removed tool disappears from the form and from the trail.
"""

import asyncio

from textual.content import Content

from registry.accounts.connection import ConnectionSettingsError
from registry.openapi.document import DocumentRefused
from registry.openapi.store import Change, Kept, all_kept, keep_prepared, look_again, remove
from registry.text.shown import counted, shortened, visible_line
from tui.dialogs.choose import Choice, ChooseDialog
from tui.dialogs.questions import Question, YesNo
from tui.explorer.explorer import Explorer
from tui.explorer.toolkit_tree import ToolkitTree
from tui.state.settings import key_of

_WIDE, _MOST_NAMES, _MOST_LINES = 400, 12, 3


async def manage(screen: Explorer, tree: ToolkitTree) -> None:
    """Show the toolkit at the cursor, or ask for one; then refresh or remove it as the user chooses."""
    if (kept := await _chosen(screen, tree)) is None:
        return
    source, toolkit = kept.source, kept.source.toolkit
    if running := [one.tool.name for one in screen.running_calls.changing if one.tool.toolkit == toolkit]:
        screen.say(f"{running[0]} is still running. Press {key_of(screen.app, 'cancel')} to cancel it.")
        return
    tool = screen.form.tool
    form = tool.name if tool is not None and tool.toolkit == toolkit else ""
    again = "Ask the server again" if source.mcp is not None else "Read the document again"
    question = Question(shortened(visible_line(source.title), 70), _facts_of(kept), {"look": again, "delete": "Remove"})
    way = await screen.app.push_screen_wait(question)
    if way is not None and (done := await _changed(screen, kept, form, way)):
        here = screen.trail.here
        if screen.form.tool is not None and here is not None and here.tool == screen.form.tool.name:
            here.raw = screen.form.raw
        before = set(screen.session.catalog.tools)
        await screen.take_toolkits()
        screen.trail.forget(before - screen.session.catalog.tools.keys())
        if screen.trail.here is not None:
            await screen.arrive()
        else:
            await screen.form.close()
            screen.result.show_nothing()
        screen.app.notify(visible_line(done), title="Toolkits", timeout=12)
        tree.focus()


async def _chosen(screen: Explorer, tree: ToolkitTree) -> Kept | None:
    known = await asyncio.to_thread(all_kept)
    here = next((one for one in known if one.source.toolkit == tree.toolkit), None)
    if here is not None or len(known) == 1:
        return here or known[0]
    if not known:
        screen.say(f"No toolkit was added yet. Press {key_of(screen.app, 'add_toolkit')} to add one.")
        return None
    choices = [Choice(one.source.title, f"{one.source.toolkit} · {one.source.tools:,} tools") for one in known]
    return await screen.app.push_screen_wait(ChooseDialog("Which toolkit?", choices, known, "Show"))


async def _changed(screen: Explorer, kept: Kept, form: str, way: str) -> str:
    """Remove a toolkit, or read it again and keep what was read, if the user agrees; returns what was done, in words."""
    source, app, problem = kept.source, screen.app, "The toolkit cannot be removed"
    try:
        if way == "delete":
            lost = [Content("It goes with its overlay. Its accounts and the history stay.")]
            lost += [Content(f"The open form of {form} goes with it.")] if form else []
            if await app.push_screen_wait(YesNo(f"Remove {source.toolkit}?", lost, "Remove", danger=True)):
                await asyncio.to_thread(remove, kept)
                return f"Removed {source.title}."
        elif way == "look":
            app.notify("Reading …", title="Toolkits", timeout=2)
            problem, headers = "The source cannot be read", None
            if source.mcp is not None and source.mcp.url:  # its server gets those of the account in use
                endpoint = screen.session.connection(source.toolkit).endpoint(source.toolkit)
                headers = await asyncio.to_thread(endpoint.headers)
            renewed = await asyncio.to_thread(look_again, kept, headers)
            if await app.push_screen_wait(YesNo("Keep what was read?", _changes_of(renewed.change, form), "Keep")):
                problem = "The toolkit cannot be kept"
                refreshed = await asyncio.to_thread(keep_prepared, renewed)
                return f"Refreshed {refreshed.source.title}."
    except (DocumentRefused, ConnectionSettingsError) as refusal:
        app.notify(f"{refusal} The toolkit stays as it is.", title="Toolkits", severity="error", timeout=12)
    except OSError as error:
        app.notify(f"{problem}: {error.strerror or error}.", title="Toolkits", severity="error", timeout=12)
    return ""


def _facts_of(kept: Kept) -> list[Content]:
    """A toolkit's source in a few lines."""
    source = kept.source
    lines = [
        Content(visible_line(f"{source.toolkit} · {counted(source.tools, 'tool')} from {source.kind}")),
        Content(shortened(visible_line(f"From {source.source}"), _WIDE)),
        Content.styled(visible_line(f"Read {source.added}"), "$foreground-muted"),
    ]
    if kept.guesses:
        first = "; ".join(one.what for one in kept.guesses[:_MOST_LINES])
        words = f"{counted(len(kept.guesses), 'guess', 'guesses')}: {first}"
        lines.append(Content(shortened(visible_line(words), _WIDE)))
    if source.left_out:
        words = f"{counted(len(source.left_out), 'operation')} left out; the first: {source.left_out[0]}"
        lines.append(Content.styled(shortened(visible_line(words), _WIDE), "$text-warning"))
    return lines


def _changes_of(change: Change, form: str) -> list[Content]:
    groups = (("+ New", change.added, ""), ("× Gone", change.removed, "$text-error"), ("~ Changed", change.changed, ""))
    lines = []
    for word, names, style in groups:
        if names:
            more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
            lines.append(Content.styled(visible_line(f"{word} {len(names)}: {', '.join(names[:_MOST_NAMES])}{more}"), style))
    if not lines:
        lines.append(Content("The same tools." if change.same else "The source is another one; the tools are the same."))
    if form in change.removed:
        lines.append(Content.styled(visible_line(f"{form} is open; its form goes with it."), "$text-warning"))
    elif form in change.changed:
        lines.append(Content(visible_line(f"{form} is open; its form keeps what still fits.")))
    return lines
