"""Every command of the screens, once: its name, its help, its keys, and where it works.

Key bindings, the palette, the key bar, the help screen and `docs/keys.md` are all made from this table. A command's id
stays the same, so that keys can be changed by it. None uses ctrl+h, ctrl+i, ctrl+j or ctrl+m, which terminals cannot tell from
other keys.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType

Scope = Literal["everywhere", "tools", "form", "result", "table", "compare", "lists", "page", "oncall"]

SCOPES: dict[Scope, str] = {
    "everywhere": "Everywhere",
    "tools": "Tools",
    "form": "Form",
    "result": "Result",
    "table": "Table",
    "compare": "Comparison",
    "lists": "Moving in lists",
    "page": "Page of an object",
    "oncall": "On call",
}


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that a user can do.

    Attributes:
        id: stable name.
        keys: key names, separated by commas.
        shown: how the first of the keys is written for people.
        action: the action that it runs.
        title: what the palette and the help screen call it.
        short: what the key bar calls it; empty when it is not shown there.
        help: what it does, in a sentence.
        scope: where it works.
    """

    id: str
    keys: str
    shown: str
    action: str
    title: str
    short: str
    help: str
    scope: Scope


# fmt: off
_TABLE: dict[Scope, tuple[tuple[str, str, str, str, str, str, str], ...]] = {
    "everywhere": (
        ("run", "f5,ctrl+r", "F5", "run", "Run the tool", "Run", "Send the request shown below the form."),
        ("cancel", "escape", "Esc", "cancel", "Cancel", "Cancel", "Stop the call that is under way; otherwise step back."),
        ("find", "ctrl+f", "^F", "app.ask", "Ask", "Ask", "Type words, an id, a link or an amount into the line on top."),
        ("palette", "ctrl+p", "^P", "app.command_palette", "Command palette", "Palette", "Find any tool or command."),
        ("jump", "ctrl+g", "^G", "app.jump", "Jump", "Jump", "A letter at everything on screen; typing it goes there."),
        ("help", "f1", "F1", "help", "Help", "Help", "What works here, and every key."),
        ("tools", "f2", "F2", "pane('tools')", "Go to the tools", "Tools", "Show the tools and go there."),
        ("form", "f3", "F3", "pane('form')", "Go to the form", "", "Show the form and go there."),
        ("result", "f4", "F4", "pane('result')", "Go to the result", "", "Show the result and go there."),
        ("history", "ctrl+y", "^Y", "app.history", "History", "", "Find a call that was made; open, repeat or compare it."),
        ("requests", "f9", "F9", "app.requests", "Requests", "", "The last requests: times, attempts, limits."),
        ("agents", "alt+a", "Alt+A", "app.agents", "What agents ask", "", "Allow or refuse changes that agents want to make."),
        ("connections", "f6", "F6", "connections", "Connections", "Accounts", "Choose where each toolkit's calls go."),
        ("writing", "f12", "F12", "writing", "Allow changes", "", "Allow changes to live data for 15 minutes."),
        ("theme", "f7", "F7", "app.change_theme", "Theme", "", "Choose another theme."),
        ("maximise", "f8", "F8", "zoom", "Maximise the pane", "", "Give the whole screen to this pane, or back."),
        ("hold", "f10", "F10", "hold", "Hold the widths", "", "Hold the widths of the panes, or let them follow the focus."),
        ("back", "alt+left", "Alt+←", "travel(-1)", "Back", "", "To the tool and the answer before this one."),
        ("forward", "alt+right", "Alt+→", "travel(1)", "Forward", "", "To where you came back from."),
        ("narrower", "shift+f9,f21", "Shift+F9", "resize(-1)", "Narrower pane", "", "Give this pane less of the width."),
        ("wider", "shift+f10,f22", "Shift+F10", "resize(1)", "Wider pane", "", "Give this pane more of the width."),
        ("oncall", "f11", "F11", "app.oncall", "On call", "On call", "The dashboard: open incidents, and whom they page next."),
        ("start", "shift+f1,f13", "Shift+F1", "start", "Start page", "", "Questions to begin with, and what can be pasted."),
        ("quit", "ctrl+q", "^Q", "app.quit", "Quit", "Quit", "Leave Callboard."),
    ),
    "tools": (
        ("filter", "slash", "/", "screen.find", "Filter", "Filter", "Type into the ask line on top."),
        ("favourite", "asterisk", "*", "favourite", "Favourite", "Favourite", "Put the tool on top of all others, or back."),
        ("group", "b", "b", "group", "Group otherwise", "", "Group tools by what they do, or by what they are about."),
        ("open", "enter", "Enter", "choose", "Open", "Open", "Open the tool's form; on a group, unfold it."),
    ),
    "form": (
        ("empty", "ctrl+n", "^N", "give_empty", "Give an empty value", "Empty", "Tell “empty” from “not set”."),
        ("pick", "ctrl+@,ctrl+space", "^Space", "pick", "Find an id", "Find id", "Choose the id from the service's own list."),
        ("arguments", "ctrl+s", "^S", "screen.fill('arguments')", "Saved arguments", "Saved", "Save the form, or load it."),
        ("raw", "ctrl+t", "^T", "screen.fill('raw')", "Form or JSON", "JSON", "All arguments as JSON, or in fields again."),
        ("editor", "ctrl+o", "^O", "screen.fill('editor')", "Open in the editor", "", "Edit the field or the JSON in $EDITOR."),
        ("reset", "ctrl+l", "^L", "reset", "Reset the form", "", "Put every field back to not set."),
    ),
    "result": (
        ("follow", "enter", "Enter", "screen.go_on('follow')", "Open", "Open", "Open this id, or fold and unfold."),
        ("table", "t", "t", "screen.table", "Table or JSON", "Table/JSON", "Show a list as a table, or as JSON again."),
        ("search", "slash", "/", "screen.find_in_answer", "Find in the answer", "Search", "Find text or a regular expression."),
        ("what_else", "w", "w", "screen.go_on('what else')", "Related tools", "Related", "Tools that accept this value."),
        ("page_of", "P", "P", "screen.go_on('page')", "Page of the object", "Page", "Everything known of what is here."),
        ("next", "right_square_bracket", "]", "screen.page('next')", "Next page", "Next page", "The next page of this list."),
        ("previous", "left_square_bracket", "[", "screen.page('previous')", "Previous page", "Previous", "The page before."),
        ("copy", "y", "y", "copy", "Copy the value", "Copy", "Copy the value at the cursor, control characters as escapes."),
        ("export", "x", "x", "screen.out('export')", "Save or copy all", "Save", "Save or copy the answer, or its items."),
        ("fetch_all", "a", "a", "screen.fetch_all", "Fetch all", "All", "Fetch every page, or go on with a fetch."),
        ("query", "q", "q", "ask", "Query", "Query", "Ask the answer by JMESPath and see what comes of it as you type."),
        ("compare", "c", "c", "screen.compare", "Compare", "Compare", "Compare the answer, or an item of it, with another."),
        ("read", "v", "v", "read", "Read the value", "Read", "Show the value at the cursor whole and unescaped."),
        ("return", "backspace", "Backspace", "screen.travel(-1)", "Go back", "", "Back to the previous result, as Alt+←."),
        ("page_size", "z", "z", "screen.page_size", "Page size", "", "Change how many items a page has, where you are."),
        ("expand", "e", "e", "screen.go_on('expand')", "Expand", "", "Ask again with a whole object in its id’s place."),
        ("watch", "R", "R", "screen.watch", "Watch", "", "Ask again at an interval and tell what changes, or stop."),
        ("version_before", "less_than_sign", "<", "screen.version(-1)", "Version before", "", "Of what is watched."),
        ("version_behind", "greater_than_sign", ">", "screen.version(1)", "Version behind", "", "Of what is watched."),
        ("next_hit", "n", "n", "screen.hit(1)", "Next match", "", "To the next match of the search."),
        ("last_hit", "N", "N", "screen.hit(-1)", "Previous match", "", "To the previous match of the search."),
        ("only", "ampersand", "&", "only_matches", "Only what was found", "", "Show only lines that were found, or all again."),
        ("copy_as", "Y", "Y", "copy_as", "Copy as", "", "Copy the key, the path, a query, JSON or a row of CSV."),
        ("headers", "I", "I", "screen.out('headers')", "Response headers", "", "Show the headers of the response."),
        ("show_as", "S", "S", "screen.out('show_as')", "Show the call as", "", "Show the call as curl, Python or a command."),
        ("pager", "vertical_line", "|", "screen.out('pager')", "Open in the pager", "", "Read the whole answer in $PAGER."),
        ("link", "O", "O", "screen.out('link')", "Open the link", "", "Open the https address at the cursor in the browser."),
        ("fold_all", "minus", "-", "fold_all", "Fold all", "", "Fold everything below the first level."),
        ("unfold_all", "plus,equals_sign", "+", "unfold_all", "Unfold all", "", "Unfold everything."),
        ("siblings", "asterisk", "*", "fold_siblings", "Fold alike", "", "Fold this branch and all beside it, or unfold them."),
        ("depth_1", "1", "1", "fold_to(1)", "Fold to depth 1", "", "Fold what lies one level deep or deeper."),
        ("depth_2", "2", "2", "fold_to(2)", "Fold to depth 2", "", "Fold what lies two levels deep or deeper."),
        ("depth_3", "3", "3", "fold_to(3)", "Fold to depth 3", "", "Fold what lies three levels deep or deeper."),
        ("next_beside", "J", "J", "move_sibling(1)", "Next beside", "", "To the next member or element of the same branch."),
        ("last_beside", "K", "K", "move_sibling(-1)", "Previous beside", "", "To the one before it in the same branch."),
        ("wrap", "W", "W", "wrap", "Wrap", "", "Show long values over several lines, or cut them again."),
        ("mode", "m", "m", "toggle_mode", "Line mode", "", "Stand on every line, or on members and elements only."),
    ),
    "table": (
        ("open_row", "enter", "Enter", "open", "Open the cell", "Open", "Follow the id in the cell, or read the cell whole."),
        ("mark", "space", "Space", "toggle_fold", "Mark the row", "Mark", "Mark the row, or take the mark away."),
        ("filter_rows", "slash", "/", "filter", "Filter rows", "Filter", "Only rows with a text, column:text, column>9."),
        ("sort", "s", "s", "sort", "Sort", "Sort", "In the order of this column: up, down, as the rows came."),
        ("unmark", "u", "u", "unmark", "Take marks away", "", "Take the marks of all rows away."),
        ("delete_marked", "D", "D", "screen.delete_marked", "Delete the marked rows", "", "Delete what the marked rows show."),
        ("columns", "C", "C", "columns", "Columns", "", "Choose the columns and their order."),
        ("hide_column", "minus", "-", "hide_column", "Hide the column", "", "Leave this column out; C brings it back."),
        ("column_left", "H", "H", "move_column(-1)", "Column to the left", "", "Move this column to the left."),
        ("column_right", "L", "L", "move_column(1)", "Column to the right", "", "Move this column to the right."),
        ("cell_left", "left,h", "←", "fold", "Cell to the left", "", "To the column before this one."),
        ("cell_right", "right,l", "→", "unfold", "Cell to the right", "", "To the column behind this one."),
        ("read_cell", "v", "v", "read", "Read the cell", "", "Show the cell's value whole and unescaped."),
        ("copy_cell", "y", "y", "copy", "Copy the cell", "", "Copy the cell's value as it came."),
        ("copy_row", "Y", "Y", "copy_row", "Copy the row", "", "Copy the row as a line of CSV, without formulas."),
    ),
    "compare": (
        ("next_change", "n", "n", "screen.change(1)", "Next difference", "Next", "To the next difference."),
        ("last_change", "p", "p", "screen.change(-1)", "Previous difference", "Previous", "To the difference before it."),
        ("only_changes", "o", "o", "screen.only_changes", "Only what differs", "All", "Show what differs, or everything."),
        ("read_both", "v,enter", "v", "screen.read", "Read both values", "Read", "Show both values whole and unescaped."),
        ("copy_side", "y", "y", "screen.copy", "Copy a side", "Copy", "Copy the path, or the value on the left or right."),
        ("swap", "s", "s", "screen.swap", "Swap sides", "Swap", "Put what is on the left on the right."),
        ("fold_both", "minus", "-", "fold_all", "Fold all", "", "Fold everything below the first level."),
        ("unfold_both", "plus,equals_sign", "+", "unfold_all", "Unfold all", "", "Unfold everything."),
        ("leave", "escape", "Esc", "screen.leave", "Back", "Back", "Leave the comparison."),
    ),
    "lists": (
        ("up", "up,k", "↑", "move(-1)", "Up", "", "One line up."),
        ("down", "down,j", "↓", "move(1)", "Down", "", "One line down."),
        ("page_up", "pageup,ctrl+u", "PgUp", "move_page(-1)", "Page up", "", "A screenful up."),
        ("page_down", "pagedown,ctrl+d", "PgDn", "move_page(1)", "Page down", "", "A screenful down."),
        ("first", "home,g", "Home", "move_to_end(-1)", "First line", "", "To the first line."),
        ("last", "end,G", "End", "move_to_end(1)", "Last line", "", "To the last line."),
        ("fold", "left,h", "←", "fold", "Fold", "", "Fold here; when folded, go to what holds it."),
        ("unfold", "right,l", "→", "unfold", "Unfold", "", "Unfold here; when unfolded, go inside."),
        ("toggle", "space", "Space", "toggle_fold", "Fold or unfold", "", "Fold or unfold here."),
    ),
    "page": (
        ("page_open", "enter", "Enter", "screen.open", "Open", "Open", "Open the page of what is here, or unfold a section."),
        ("page_back", "backspace", "Backspace", "screen.back", "Back", "Back", "Back to the page before, its cursor kept."),
        ("page_call", "t", "t", "screen.show_call", "JSON and call", "JSON", "Open the call of this section in the explorer."),
        ("page_timeline", "T", "T", "screen.timeline", "Timeline", "Timeline", "Go to the timeline, or back to the sections."),
        ("page_watch", "R", "R", "screen.watch", "Watch", "Watch", "Read it again at an interval, mark what differs; or stop."),
        ("page_related", "w", "w", "screen.related", "Related tools", "Related", "Choose a tool that accepts this object."),
        ("page_copy", "y", "y", "screen.copy_markdown", "Copy as Markdown", "Copy", "Copy the page as Markdown for a ticket."),
        ("page_copy_id", "Y", "Y", "screen.copy_id", "Copy the id", "", "Copy the id of what is here."),
        ("page_section", "n", "n", "next_section(1)", "Next section", "", "Go to the next section."),
        ("page_section_up", "p", "p", "next_section(-1)", "Previous section", "", "Go to the previous section."),
        ("page_filter", "slash", "/", "screen.filter", "Filter the timeline", "", "Show entries with some words."),
        ("page_reload", "r", "r", "screen.reload", "Reload", "", "Read everything again."),
        ("page_version_before", "less_than_sign", "<", "screen.version(-1)", "Version before", "", "Of a watched page."),
        ("page_version_behind", "greater_than_sign", ">", "screen.version(1)", "Version behind", "", "Of a watched page."),
        ("page_leave", "escape", "Esc", "screen.leave", "Close the page", "", "Back to where the page was opened."),
    ),
    "oncall": (
        ("board_back", "left_square_bracket", "[", "screen.past_step(-1)", "Earlier", "Earlier", "Back by one refresh."),
        ("board_forward", "right_square_bracket", "]", "screen.past_step(1)", "Later", "Later", "On by one refresh."),
        ("board_play", "greater_than_sign", ">", "screen.past_play", "Play", "Play", "Play, one refresh a second; pause."),
        ("board_one", "enter", "Enter", "screen.open_one", "Open", "Open", "The page of what is here; unfold a group."),
        ("board_mine", "m", "m", "screen.mine", "Only mine", "Mine", "Show what is assigned to you, or everybody's."),
        ("board_groups", "b", "b", "screen.groups", "Group", "Groups", "Group by service, by alike titles, by policy, or not."),
        ("board_hour", "n", "n", "screen.next_hour", "Next hour", "Next hour", "Who is paged in the next hour if nobody acts."),
        ("board_coverage", "c", "c", "screen.coverage", "Coverage", "Coverage", "Who covers the next 14 days, gaps in words."),
        ("board_report", "w", "w", "screen.report", "Handoff report", "Report", "The report in Markdown, to copy or save."),
        ("board_alarm", "A", "A", "screen.alarm", "Alarm", "Alarm", "Ring for what is new and urgent, or be silent."),
        ("board_filter", "slash", "/", "screen.filter", "Filter", "Filter", "Show incidents that hold some words."),
        ("board_call", "i", "i", "screen.open_call", "Show call", "Call", "Open the list call that it came with."),
        ("board_refresh", "r", "r", "screen.refresh_now", "Refresh", "Refresh", "Read everything again at once."),
        ("board_sort", "s", "s", "screen.sort", "Sort", "Sort", "Put the rows in order, the worst first."),
        ("board_teams", "t", "t", "screen.teams", "Teams", "Teams", "Choose the teams whose incidents are shown."),
        ("board_urgency", "u", "u", "screen.urgency", "Urgency", "", "Show high urgency, low urgency, or both."),
        ("board_service", "f", "f", "screen.service", "Only this service", "", "Show the service at the cursor, or all."),
        ("board_reset", "asterisk", "*", "screen.everything", "Everything", "", "Take every filter away."),
        ("board_history", "e", "e", "screen.incident_history", "Timeline", "", "What happened to it; earlier ones like it."),
        ("board_pages", "P", "P", "screen.pages", "Pages by person", "", "Who was paged how often, and at night."),
        ("board_zone", "z", "z", "screen.zone", "Time zone", "", "Show times in your profile's zone, this machine's, or UTC."),
        ("board_copy", "y", "y", "screen.copy_link", "Copy the link", "Link", "Copy the address of the incident's page."),
        ("board_open", "O", "O", "screen.open_link", "Open the link", "", "Open the incident's page in the browser."),
        ("board_account", "a", "a", "screen.next_account", "Next account", "", "Show the next account in the panels."),
        ("board_past", "p", "p", "screen.past", "Back in time", "Past", "Show an earlier refresh; there, go to a time."),
        ("board_far_back", "left_curly_bracket", "{", "screen.past_far(-1)", "10 min back", "", "Back by ten minutes."),
        ("board_far_forward", "right_curly_bracket", "}", "screen.past_far(1)", "10 min on", "", "On by ten minutes."),
        ("board_export", "X", "X", "screen.export_recording", "Export", "Export", "Save the recording for a review."),
        ("board_leave", "escape", "Esc", "screen.leave", "To the explorer", "", "Back; the watch goes on behind the explorer."),
    ),
}
# fmt: on

COMMANDS: tuple[Command, ...] = tuple(Command(*row, scope=scope) for scope, rows in _TABLE.items() for row in rows)

IN_DIALOGS = ("jump", "help", "palette", "quit")
"""What works on every screen."""

BESIDE: dict[Scope, tuple[str, ...]] = {
    "compare": ("help", "quit"),
    "page": ("find", "palette", "help", "theme", "quit", "connections", "requests", "agents", "oncall"),
    "oncall": ("find", "palette", "help", "theme", "maximise", "quit", "connections", "requests", "agents"),
}
"""What works on a screen of its own beside the commands of its scope."""

_ABOUT_JSON = {"search", "next_hit", "last_hit"}
_KEYS_OF_TABLES = {key for command in COMMANDS if command.scope == "table" for key in command.keys.split(",")}


def on_tables(command: Command) -> bool:
    """Whether a command on results works on a table too, and leaves the table its own keys."""
    on_any = command.scope == "result" and command.action.startswith("screen.") and command.id not in _ABOUT_JSON
    return on_any and _KEYS_OF_TABLES.isdisjoint(command.keys.split(","))


def bindings(*scopes: Scope, also: Collection[str] = ()) -> list[BindingType]:
    """The key bindings of the commands that work in these places, and of some others by their ids."""
    return [
        Binding(
            key,
            command.action,
            command.short or command.title,
            show=bool(command.short) and place == 0,
            key_display=command.shown,
            # What works everywhere works in a line of text too, which takes every other key; but letters are text there, and
            # Escape is each dialog's own.
            priority=command.scope == "everywhere" and key != "escape" and len(key) > 1,
            id=command.id if place == 0 else f"{command.id}.{place + 1}",
            tooltip=command.help,
        )
        for command in COMMANDS
        if command.scope in scopes or command.id in also
        for place, key in enumerate(command.keys.split(","))
    ]
