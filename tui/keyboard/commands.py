"""Every command of the screens, once: its name, its help, its keys, and where it works.

Key bindings, the palette, the key bar, the help screen and `docs/keys.md` are all made from this table. A command's id
never changes, because users set keys by it. No command uses ctrl+h, ctrl+i, ctrl+j or ctrl+m, which terminals cannot
distinguish from other keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Literal

from msgspec import Struct
from textual.binding import Binding, BindingType

from tui.keyboard.key_names import spelled, types

Scope = Literal["everywhere", "tools", "form", "result", "table", "bars", "compare", "lists", "page", "oncall"]

SCOPES: dict[Scope, str] = {
    "everywhere": "Everywhere",
    "tools": "Tools",
    "form": "Form",
    "result": "Result",
    "table": "Table",
    "bars": "Bars",
    "compare": "Comparison",
    "lists": "Navigation",
    "page": "Page of an object",
    "oncall": "On call",
}


class Command(Struct, frozen=True):
    """A command: its stable id, its keys (separated by commas), the action that it runs, and where it works.

    A command without a key is found by its name. `title` is its name in the palette (empty if the palette does not have it),
    `short` in the key bar (empty if it is not shown there).
    """

    id: str
    keys: str
    action: str
    title: str
    short: str
    help: str
    scope: Scope

    @property
    def usual(self) -> tuple[str, ...]:
        """Its keys, as long as the user has not changed them."""
        return tuple(filter(None, self.keys.split(",")))

    @property
    def shown(self) -> str:
        """The first key as people write it; empty without one."""
        return spelled(self.usual[0]) if self.usual else ""


# fmt: off
_TABLE: dict[Scope, tuple[tuple[str, str, str, str, str, str], ...]] = {
    "everywhere": (
        ("run", "f5,ctrl+r", "run", "", "Run", "Send the request shown below the form."),
        ("run_several", "shift+f5,f17", "run_several", "Run on several accounts", "",
         "Read this list from several accounts at once, into one table."),
        ("cancel", "escape", "cancel", "", "Cancel", "Stop the running call; otherwise go back one step."),
        ("find", "ctrl+f", "app.ask", "", "Ask", "Ask in words, or paste an id, a link or an amount."),
        ("palette", "ctrl+p", "app.command_palette", "", "Palette", "Find a command by its name."),
        ("jump", "ctrl+g", "app.jump", "Jump", "Jump", "Show a letter on everything; press it to go there."),
        ("help", "f1,question_mark", "help", "", "Help", "Show what works here, and all keys."),
        ("tools", "f2", "app.pane('tools')", "", "Tools", "Move focus to the tools."),
        ("form", "f3", "app.pane('form')", "", "", "Move focus to the form."),
        ("result", "f4", "app.pane('result')", "", "", "Move focus to the result."),
        ("history", "ctrl+y", "app.history", "History", "", "Find a past call; open, rerun or compare it."),
        ("saved", "ctrl+s", "app.saved", "Saved calls", "Saved", "Save the form; open, record and run saved calls."),
        ("add_toolkit", "alt+t", "add_toolkit", "Add a toolkit", "", "Make a toolkit of an OpenAPI document."),
        ("requests", "f9", "app.requests", "Requests", "", "Show recent requests: timings, retries, rate limits."),
        ("agents", "alt+a", "app.agents", "Agent requests", "", "Allow or refuse changes that agents want to make."),
        ("connections", "f6", "connections", "Accounts", "Accounts", "Choose an account for each toolkit."),
        ("writing", "f12", "writing", "Allow changes", "", "Allow changes to live data for 15 minutes."),
        ("theme", "f7", "app.change_theme", "Theme", "", "Choose a colour theme."),
        ("maximise", "f8", "zoom", "Zoom pane", "", "Switch between this pane alone and all panes."),
        ("back", "alt+left", "travel(-1)", "Back", "", "Go back to the previous tool and result."),
        ("forward", "alt+right", "travel(1)", "Forward", "", "Go forward again, after Back."),
        ("oncall", "f11", "app.oncall", "On call", "On call", "Show open incidents and who is paged next."),
        ("start", "shift+f1,f13", "start", "Home", "", "Show what needs somebody, what to ask, and where to go on."),
        ("show_me", "shift+f2,f14", "app.show_me", "Show me", "", "Watch the explorer being used, on a sandbox of its own."),
        ("quit", "ctrl+q", "app.quit", "Quit", "Quit", "Quit Callboard."),
    ),
    "tools": (
        ("filter", "slash", "screen.find", "", "Filter", "Go to the ask line at the top."),
        ("favourite", "asterisk", "favourite", "Favourite", "Favourite", "Add this tool to favourites, or remove it."),
        ("own_toolkit", "", "screen.own_toolkit", "Refresh or remove a toolkit", "",
         "Show a toolkit that you added, refresh it or remove it."),
        ("open", "enter", "choose", "", "Open", "Open the tool, or unfold the group."),
    ),
    "form": (
        ("empty", "ctrl+n", "give_empty", "", "Empty", "Switch between empty and not set."),
        ("pick", "ctrl+@,ctrl+space", "pick", "", "Pick id", "Pick an id from a list that the service returns."),
        ("raw", "ctrl+t", "screen.raw", "", "JSON", "Switch between form fields and JSON."),
        ("editor", "ctrl+o", "screen.editor", "Edit in $EDITOR", "", "Edit the field or the JSON in $EDITOR."),
        ("reset", "ctrl+l", "reset", "Clear form", "", "Clear all fields."),
    ),
    "result": (
        ("follow", "enter", "screen.follow", "", "Open", "Open the page of this object, or fold and unfold."),
        ("table", "t", "screen.table", "", "Table/JSON", "Switch between table and JSON."),
        ("search", "slash", "screen.find_in_result", "", "Find", "Find text or a regular expression."),
        ("what_else", "w", "screen.what_else", "Related tools", "Related", "Choose a tool that accepts this value."),
        ("run_saved", "", "screen.run_saved", "Run a saved call", "",
         "Run a saved call for this object, or for the marked rows."),
        ("next", "right_square_bracket", "screen.page('next')", "", "Next page", "Fetch the next page."),
        ("previous", "left_square_bracket", "screen.page('previous')", "", "Previous", "Fetch the previous page."),
        ("copy", "y", "copy", "", "Copy", "Copy the value at the cursor; control characters are escaped."),
        ("export", "x", "screen.export", "Export", "Export", "Save the result or its items to a file, or copy them."),
        ("fetch_all", "a", "screen.fetch_all", "Fetch all pages", "All pages", "Fetch all pages, or resume a partial fetch."),
        ("query", "q", "screen.query_result", "Query", "Query",
         "Query the result with JMESPath or SQL; the output updates as you type."),
        ("compare", "c", "screen.compare", "Compare", "Compare", "Compare this result with another, or two marked rows."),
        ("read", "", "read", "View value", "", "Show the full value at the cursor, unescaped."),
        ("return", "backspace", "screen.cancel", "", "", "Go back one step."),
        ("page_size", "z", "screen.page_size", "Page size", "", "Set the number of items per page."),
        ("expand", "e", "screen.expand", "Expand id", "", "Expand this id in place."),
        ("look_again", "R", "screen.look_again", "Look again", "", "Repeat the call and say what has changed."),
        ("next_hit", "n", "screen.hit(1)", "", "", "Go to the next match."),
        ("last_hit", "N", "screen.hit(-1)", "", "", "Go to the previous match."),
        ("only", "", "only_matches", "Matches only", "", "Show only matching lines, or all lines."),
        ("copy_as", "Y", "screen.copy_as", "Copy as…", "", "Copy as path, JSON, row, link, curl, Python or callboard."),
        ("headers", "", "screen.headers", "Response headers", "", "Show the headers of the response."),
        ("show_as", "", "screen.show_as", "Show call as code", "",
         "Show this call as curl, Python or a callboard command."),
        ("pager", "", "screen.pager", "Open in $PAGER", "", "Open the full result in $PAGER."),
        ("link", "", "screen.link", "Open in browser", "", "Open the https link at the cursor in your browser."),
        ("fold_all", "minus", "fold_all", "Fold all", "", "Fold everything below the first level."),
        ("unfold_all", "plus,equals_sign", "unfold_all", "Unfold all", "", "Unfold everything."),
    ),
    "table": (
        ("open_row", "enter", "open", "", "Open", "Open the page of this object, or show the full value."),
        ("mark", "space", "toggle_fold", "", "Mark", "Mark or unmark this row."),
        ("filter_rows", "slash", "filter", "", "Filter", "Filter rows (text, column:text, column>9)."),
        ("sort", "s", "sort", "", "Sort", "Sort by this column: ascending, descending, original order."),
        ("bars", "b", "bars", "", "Bars", "Show the rows as bars: amounts or counts by time, state or name."),
        ("unmark", "", "unmark", "Unmark all", "", "Unmark all rows."),
        ("delete_marked", "D", "screen.delete_marked", "Delete", "Delete",
         "Delete the marked rows, or the one at the cursor; asks first."),
        ("columns", "", "columns", "Columns", "", "Choose the columns and their order."),
        ("hide_column", "", "hide_column", "Hide column", "", "Hide this column. Columns shows it again."),
        ("cell_left", "left,h", "fold", "", "", "Go to the cell on the left."),
        ("cell_right", "right,l", "unfold", "", "", "Go to the cell on the right."),
        ("copy_cell", "y", "copy", "", "", "Copy the cell's value unchanged."),
    ),
    "bars": (
        ("bar_rows", "enter", "choose", "", "Show rows", "Show the rows of this bar in the table."),
        ("bars_next", "right,l", "unfold", "", "Columns", "Draw other columns."),
        ("bars_previous", "left,h", "fold", "", "", "Draw the previous columns."),
        ("bars_close", "b,escape,backspace,t", "close", "", "Table", "Go back to the table."),
    ),
    "compare": (
        ("next_change", "n", "screen.change(1)", "", "Next", "Go to the next difference."),
        ("last_change", "N", "screen.change(-1)", "", "Previous", "Go to the previous difference."),
        ("only_changes", "", "screen.only_changes", "Toggle equal lines", "", "Show or hide equal lines."),
        ("read_both", "enter", "screen.read", "", "View", "Show both values in full, unescaped."),
        ("copy_side", "y", "screen.copy", "", "Copy", "Copy the value on the right, or the only one."),
        ("copy_side_as", "Y", "screen.copy_as", "Copy from a comparison", "", "Copy the path, or the value of either side."),
        ("swap", "", "screen.swap", "Swap sides", "", "Swap the left and right side."),
        ("fold_both", "minus", "fold_all", "Fold all", "", "Fold everything below the first level."),
        ("unfold_both", "plus,equals_sign", "unfold_all", "Unfold all", "", "Unfold everything."),
        ("leave", "escape,backspace", "screen.leave", "", "Back", "Close the comparison."),
    ),
    "lists": (
        ("up", "up,k", "move(-1)", "", "", "Move up one line."),
        ("down", "down,j", "move(1)", "", "", "Move down one line."),
        ("page_up", "pageup,ctrl+u", "move_page(-1)", "", "", "Move up one screen."),
        ("page_down", "pagedown,ctrl+d", "move_page(1)", "", "", "Move down one screen."),
        ("first", "home,g", "move_to_end(-1)", "", "", "Go to the first line."),
        ("last", "end,G", "move_to_end(1)", "", "", "Go to the last line."),
        ("fold", "left,h", "fold", "", "", "Fold; if already folded, go to the parent."),
        ("unfold", "right,l", "unfold", "", "", "Unfold; if already unfolded, go to the first child."),
        ("toggle", "space", "toggle_fold", "", "", "Fold or unfold here."),
    ),
    "page": (
        ("page_open", "enter", "screen.open", "", "Open", "Open the page of this object, or unfold a section."),
        ("page_back", "escape,backspace", "screen.back", "", "Back",
         "Go back one step: to the page before, or to where it was opened."),
        ("page_timeline", "tab", "screen.timeline", "Timeline", "Timeline", "Go to the timeline, or back to the sections."),
        ("page_call", "t", "screen.show_call", "", "JSON",
         "Open the call of this section in the explorer; it may list more."),
        ("page_related", "w", "screen.related", "", "Related", "Choose a tool that accepts this object."),
        ("page_delete", "D", "screen.delete", "Delete", "Delete", "Check whether this object can be deleted, and ask."),
        ("page_look_again", "R", "screen.look_again", "Look again", "Again", "Load again and mark what has changed."),
        ("page_compare", "c", "screen.compare", "Compare", "", "Compare this object with the same one on another account."),
        ("page_copy", "Y", "screen.copy_as", "Copy page as…", "",
         "Copy the page as Markdown, or its call as curl, Python or callboard."),
        ("page_copy_id", "y", "screen.copy_id", "", "Copy", "Copy the id of this object."),
        ("page_section", "n", "next_section(1)", "", "", "Go to the next section."),
        ("page_section_up", "N", "next_section(-1)", "", "", "Go to the previous section."),
        ("page_filter", "slash", "screen.filter", "", "", "Show entries that contain some words."),
        ("page_leave", "", "screen.leave", "Close the page", "", "Go back to where the page was opened."),
    ),
    "oncall": (
        ("board_back", "left_square_bracket", "screen.past_step(-1)", "", "Earlier", "Show the previous refresh."),
        ("board_forward", "right_square_bracket", "screen.past_step(1)", "", "Later", "Show the next refresh."),
        ("board_one", "enter", "screen.open_one", "", "Open", "Open the page of this object, or unfold a group."),
        ("board_mine", "", "screen.mine", "Only mine", "", "Show incidents assigned to you, or everyone's."),
        ("board_groups", "", "screen.groups", "Group", "", "Group by service or similar title, or do not group."),
        ("board_hour", "n", "screen.next_hour", "", "Next hour", "Show who is paged in the next hour if nobody acts."),
        ("board_coverage", "C", "screen.coverage", "Coverage", "Coverage",
         "Show who is on call for the next 14 days, and the gaps."),
        ("board_report", "H", "screen.report", "Handoff report", "Report", "Copy or save a handoff report in Markdown."),
        ("board_alarm", "A", "screen.alarm", "Alarm", "Alarm", "Turn the alarm for new high-urgency incidents on or off."),
        ("board_filter", "slash", "screen.filter", "", "Filter", "Filter incidents by text."),
        ("board_call", "t", "screen.open_call", "", "Call", "Open the call that returned this data."),
        ("board_refresh", "R", "screen.refresh_now", "Refresh", "Refresh", "Refresh everything now."),
        ("board_teams", "", "screen.teams", "Teams", "", "Filter incidents by team."),
        ("board_urgency", "", "screen.urgency", "Urgency", "", "Show high urgency, low urgency, or both."),
        ("board_service", "", "screen.service", "Only this service", "",
         "Show incidents of the service at the cursor, or of all services."),
        ("board_reset", "", "screen.everything", "Clear filters", "", "Clear all filters."),
        ("board_zone", "", "screen.zone", "Time zone", "", "Show times in your profile's time zone, this computer's, or UTC."),
        ("board_copy", "y", "screen.copy_link", "", "Copy link", "Copy the URL of this incident."),
        ("board_open", "", "screen.open_link", "Open in browser", "", "Open this incident in your browser."),
        ("board_account", "", "screen.next_account", "Next account", "", "Show the next account in the panels."),
        ("board_past", "p", "screen.past", "Back in time", "Past", "Show an earlier refresh, or go to a time."),
        ("board_export", "x", "screen.export_recording", "Export", "Export", "Save the recording for a review."),
        ("board_leave", "escape,backspace", "screen.leave", "", "", "Go back; the dashboard keeps refreshing."),
    ),
}
# fmt: on

COMMANDS: tuple[Command, ...] = tuple(Command(*row, scope=scope) for scope, rows in _TABLE.items() for row in rows)

NAMED = tuple(command for command in COMMANDS if command.title)
"""The commands of the palette: what people look for by a name, and no key that they see all the time."""

IN_DIALOGS = ("jump", "help", "palette", "show_me", "quit")
"""The commands that work on every screen."""

BESIDE: dict[Scope, tuple[str, ...]] = {
    "compare": ("help", "quit"),
    "page": (
        *("find", "tools", "form", "result", "palette", "help", "theme", "quit"),
        *("connections", "requests", "agents", "saved", "oncall"),
    ),
    "oncall": ("find", "palette", "help", "theme", "maximise", "quit", "connections", "requests", "agents", "saved"),
}
"""For each scope with a screen of its own, the commands of other scopes that work there too."""

BROWSER_KEYS: Mapping[str, tuple[str, ...]] = {
    "run": ("alt+r",),
    "empty": ("alt+n", "ctrl+n"),
    "raw": ("alt+j", "ctrl+t"),
    "writing": ("alt+w",),
    "oncall": ("alt+o",),
    "back": ("alt+b", "alt+left"),
    "forward": ("alt+f", "alt+right"),
    "quit": ("alt+q", "ctrl+q"),
}
"""Keys in a browser, which uses some default ones itself (tabs, reloading, its history, full screen), by the commands' ids.

The first key of each works in every browser. The others work if the browser passes them on, as in a window without tabs.
Ctrl+W, which deletes a word, has an alternative in every text input anyway: Alt+Backspace.
"""

KEPT = ("f5", "f11", "f12", "ctrl+r")
"""The keys that the page leaves to the browser: reloading, full screen, its tools for developers."""

_ABOUT_JSON = {"search", "next_hit", "last_hit"}
_KEYS_OF_TABLES = {key for command in COMMANDS if command.scope == "table" for key in command.usual}


def on_tables(command: Command) -> bool:
    """Whether a command on results works on a table too, and does not use a key of the table."""
    on_any = command.scope == "result" and command.action.startswith("screen.") and command.id not in _ABOUT_JSON
    return on_any and _KEYS_OF_TABLES.isdisjoint(command.usual)


def works_in(command: Command, here: Scope) -> bool:
    """Whether a command works in a scope: in a table, commands whose keys the table itself uses do not."""
    if here != "table" or command.scope not in ("result", "lists"):
        return True
    return on_tables(command) if command.scope == "result" else _KEYS_OF_TABLES.isdisjoint(command.usual)


def bindings(*scopes: Scope, also: Collection[str] = ()) -> list[BindingType]:
    """The key bindings of the commands in these scopes, and of others by their ids."""
    return [
        Binding(
            key,
            command.action,
            command.short,
            show=bool(command.short) and place == 0,
            key_display=command.shown,
            # Commands that work everywhere must work in a text input too, which handles all other keys; but letters and
            # signs are text there, and Escape belongs to each dialog.
            priority=command.scope == "everywhere" and key != "escape" and not types(key),
            id=command.id if place == 0 else f"{command.id}.{place + 1}",
            tooltip=command.help,
        )
        for command in COMMANDS
        if command.scope in scopes or command.id in also
        # A command without a key needs a binding too, by whose id users give it one.
        for place, key in enumerate(command.usual or (f"{command.id}_has_no_key",))
    ]


def clashes(changed: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str, str]]:
    """Commands whose new key another command in the same place has: the ids of both, and the key.

    Args:
        changed: the new keys, by the commands' ids.
    """
    commands = {command.id: command for command in COMMANDS}
    of = {scope: {command.id for command in COMMANDS if command.scope == scope} for scope in SCOPES}
    everywhere, lists = of["everywhere"], of["lists"]
    places = [  # for each place of the focus, the commands that work together
        of["tools"] | lists | everywhere,
        of["form"] | everywhere,
        of["result"] | lists | everywhere,
        of["bars"] | lists | everywhere,
        of["table"] | lists | everywhere | {command.id for command in COMMANDS if on_tables(command)},
        *(of[scope] | lists | set(beside) | set(IN_DIALOGS) for scope, beside in BESIDE.items()),
    ]
    for id_, keys in reversed(list(changed.items())):
        for other, command in commands.items():
            # Two commands with the same action, such as a table's arrows and those of every list, do not clash.
            if other == id_ or command.action == commands[id_].action or not any({id_, other} <= place for place in places):
                continue
            taken = changed.get(other) or command.usual
            yield from ((id_, other, key) for key in keys if key in taken)
