"""The help texts of the widgets, by class name."""

from __future__ import annotations

from tui.help.about import About

_EFFECTS = (
    ("+", "changes"),
    ("×", "deletes; asks first"),
    ("†", "deprecated; its form names what to use instead"),
)
_FOLDS = (("▾ ▸", "unfolded, folded"),)
_TYPED = (("Enter", "apply and go there"), ("Esc", "close the line"))
_DECIDE = (("← →", "choose"), ("Enter", "press the highlighted button"), ("Esc", "cancel"))
_FRESH = (
    ("live 6s", "updated 6 seconds ago"),
    ("STALE 3m", "last updated 3 minutes ago, and why; old data stays visible, dimmed"),
    ("50+", "more exist than were loaded"),
)

ABOUT = {
    "AskLine": About(
        "The ask line",
        "Type words (past due, why was the card declined, failed payments yesterday, cust cards; typos are fine), or paste "
        "an id, an email, a link, a curl command, an amount, the last four digits of a card or the path of an OpenAPI "
        "document, or name a command (theme, history). Calls that are ready to run come with their arguments; a tool that "
        "deletes is listed only where you type a word such as delete.",
        (
            ("↑ ↓", "choose in the list below, or on the start page ({start} shows it)"),
            ("Enter", "run a read-only call; open the page of an object; open the form of any other tool"),
            ("Tab", "fill the form with it, to edit it before it runs"),
            ("Esc", "clear the line"),
        ),
        _EFFECTS,
    ),
    "ToolkitTree": About(
        "Tool tree",
        "All tools, by toolkit and group. {favourite} adds or removes a favourite.",
        (),
        (*_EFFECTS, ("Favourites", "your favourites; recent tools are below them"), *_FOLDS, ("12", "number of tools inside")),
    ),
    "Button": About("The run button", "Sends the request shown above. Same as {run}.", (("Enter", "press the button"),)),
    "PageList": About(
        "The page of an object",
        "What needs attention, then related objects. Each heading has the count and the tool it came from. Times are in this "
        "computer's time zone, named at the top.",
        (("Enter", "open the page of this object, or unfold a section"), ("{page_timeline}", "the timeline")),
        (
            ("›", "the cursor"),
            ("✓", "all is well"),
            ("!", "needs attention"),
            ("✗", "failed"),
            ("◦", "pending, or finished"),
            ("100+", "more exist than were loaded"),
        ),
    ),
    "TimelineList": About(
        "The timeline",
        "Everything with a time, newest first; future entries are above the line for now. {page_filter} filters it.",
        (("Enter", "open the page of this entry"),),
    ),
    "CollapsibleTitle": About(
        "Folded section",
        "Paging and expand are rarely needed, so they start folded.",
        (("Enter", "unfold or fold"),),
    ),
    "JsonView": About(
        "Result as JSON",
        "",
        (),
        (
            *_FOLDS,
            ("underlined", "an id; {follow} opens its page"),
            ("‹", "added by Callboard: the time or amount in plain form; never copied"),
            ("…", "cut off; {read} shows the full value"),
            ("✗ deleted", "you deleted that object in this session"),
            ("••••", "redacted secret"),
        ),
    ),
    "TableView": About(
        "Result as a table",
        "",
        (),
        (
            ("↑ ↓", "sorted by this column, ascending or descending"),
            ("‹ ›", "more columns on that side"),
            ("•", "the row is marked"),
            ("×", "you deleted that object in this session"),
            ('null, "", []', "null, empty string, empty list; an empty cell means the property is missing"),
            ("data.name", "a nested property: name inside data"),
            ("!", "needs attention; the line below the table says why"),
            ("UTC", "exact times, below the table, are in UTC"),
        ),
    ),
    "FilterLine": About(
        "Row filter",
        "Shows rows that contain these words in any column. All words must match.",
        _TYPED,
        (
            ("column:text", "only in that column"),
            ("column=text", "exactly that"),
            ("amount>42.50", "greater than; also < <= >=. Amounts in full units: 42.50, not 4250"),
            ("created<2025-08-12", "before that day"),
            ("!", "not: put it before a condition to exclude those rows"),
            ('"two words"', "quote text that contains spaces"),
        ),
    ),
    "FindLine": About(
        "Find in result",
        "Finds text or a regular expression in keys and values. {next_hit} and {last_hit} go to the next and previous "
        "match; {only} hides other lines.",
        (("^T", "text or regular expression"), ("^O", "in keys, in values, or in both"), *_TYPED),
    ),
    "QueryLine": About(
        "Query the result",
        "JMESPath, or SQL on the table items. The output replaces the result as you type; Esc shows the result again.",
        (
            ("Tab", "complete a name"),
            ("↑ ↓", "earlier queries"),
            ("^T", "insert the path of the current row"),
            ("Enter", "keep the output"),
            ("Esc", "back to the full result"),
        ),
        (("a.b", "property b of a"), ("a[0] a[]", "one item, every item"), ("[?x=='1']", "items that match")),
    ),
    "CompareLines": About(
        "The comparison",
        "",
        (),
        (
            ("+ -", "added on the right; missing on the right"),
            ("~", "value changed"),
            ("≈", "same value, written differently"),
            ("↕", "moved within its list"),
            ("… 12 equal …", "12 equal lines are hidden; {unfold} shows them"),
            ("3/7", "difference 3 of 7"),
        ),
    ),
    "IncidentList": About(
        "Open incidents",
        "",
        (),
        (
            ("NEW ACK BACK", "changed by the last refresh: new, acknowledged, triggered again"),
            ("DONE GONE", "resolved; no longer matches the filters"),
            ("PAST", "a recorded time, not live; {board_leave} goes back"),
            ("◆", "assigned to you"),
            ("TRIG ACK SNZD", "not acknowledged, acknowledged, snoozed"),
            ("L2 L1/2 ?", "escalation level; ambiguous; unknown. –: assigned directly"),
            ("!", "neglected: not acknowledged for an hour, or acknowledged more than 8 h ago"),
            ("→ L2", "level and person paged next; again: the policy starts over"),
            ("→ may repeat", "may start over, or reach nobody: the log does not go back far enough to say"),
            ("due", "time is up; waiting for the service to confirm"),
            ("?", "on the left: no longer in any list, and could not be checked"),
            ("STORM", "more than 40 open, or more than 10 new within 10 minutes; shown in groups"),
            *_FRESH,
        ),
    ),
    "HourList": About(
        "The next hour",
        "Who is paged in the next 60 minutes if nobody acts. Enter opens the page of the first incident.",
        (),
        (
            ("▪ ■", "one page; more than one in this place"),
            ("3, 3 in 2 min", "number of pages; the most within five minutes"),
            ("holds 4", "open incidents assigned to them now"),
            ("nobody left", "the policy has no level left by then"),
            ("unknown who", "the level, its people, or how often the policy started over is unknown"),
        ),
    ),
    "PolicyList": About(
        "Who is on call",
        "Escalation policies and their levels, in paging order. Follows the incident at the cursor.",
        (),
        (
            ("▸", "the policy of that incident"),
            ("L1", "the first level"),
            ("NOBODY", "nobody is on call at this level now"),
            ("one of", "round robin: one of them is paged, in turn"),
            ("(03:14)", "that person's local time"),
            ("always", "on call without a schedule"),
            *_FRESH,
        ),
    ),
    "FeedList": About(
        "The log",
        "Incident log entries, newest first.",
        (),
        (
            ("TRIGGER UNACK", "capitals: may need action"),
            ("ESCALATE EXHAUST", "escalated to the next level; no level left"),
            ("FAILED", "the page was not delivered"),
            ("▁▃█ · ?", "incidents per hour, last 24 hours; none; unknown"),
            *_FRESH,
        ),
    ),
    "ServiceList": About(
        "The services",
        "Most severe first, with open incidents. {board_service} shows incidents of one service only.",
        (),
        (("✗ !", "critical, warning"), ("✓", "ok"), ("– ⚒", "disabled, in maintenance"), *_FRESH),
    ),
    "CoverageList": About(
        "Coverage of the next 14 days",
        "A 14-day bar for each level of each policy, with its gaps listed below.",
        (),
        (
            ("━", "covered; a name or letter starts each shift"),
            ("·", "nobody on call"),
            ("?", "unknown"),
            ("! ·", "problem; warning"),
        ),
    ),
    "HistoryDialog": About(
        "The history",
        "All past calls, newest first. Search by tool, id or argument; filter with tool:refund, on:sandbox, failed or "
        "since:yesterday.",
        (
            ("↓", "go to the list; k on its first row goes back to the search"),
            ("Enter", "open with its result"),
            ("r", "run it again"),
            ("e", "open its form"),
            ("c", "compare with a new run"),
            ("Del", "delete from history"),
            ("D", "delete all history (press twice)"),
        ),
        (
            ("✓ ok", "it worked"),
            ("✗ failed", "the service returned an error or could not be reached"),
            ("◌ cancelled", "you stopped it"),
        ),
    ),
    "ConnectionDialog": About(
        "Accounts",
        "Where calls go: the sandbox, or an account of your own, one for each toolkit. A choice counts at once, for this run; "
        "the default of an account counts at every start. Secrets are in the system keyring, an environment variable, a "
        "command's output or a file, and are never shown.",
        (
            ("Enter", "use it"),
            ("a", "add an account"),
            ("t", "test it: whose credential it is, and which permissions are missing"),
            ("e", "edit it"),
            ("s", "sign in again, with a browser"),
            ("r", "remove it; y confirms"),
            ("Esc", "close"),
        ),
        (
            ("LIVE", "changes there are real; they are refused until {writing} allows them"),
            ("(•)", "in use"),
            ("!", "its last test failed; the line below says why"),
            ("∅", "in the tree: the account in use lacks the permission"),
        ),
    ),
    "AccountForm": About(
        "Adding an account",
        "Every field at once. The store is tried before the secret is kept, and the account is tested at the end. Without a "
        "system keyring, choose a variable, a command, or a file.",
        (("Tab", "next field"), ("← →", "choose"), ("Enter", "save and test"), ("Esc", "cancel")),
    ),
    "AddToolkit": About(
        "Adding a toolkit",
        "The document is read and nothing is added yet: what it would make is shown first. Guesses are what the document does "
        "not say; `callboard toolkit show` lists all of them. Other documents are read only where you choose so.",
        (("Enter", "read the document; then add the toolkit"), ("Tab", "next field"), ("← →", "choose"), ("Esc", "cancel")),
    ),
    "OwnToolkit": About(
        "A toolkit of your own",
        "Reading it again changes nothing yet: the tools that would be new, gone or changed are shown first. An open form "
        "keeps the values that still fit; others are named. Guesses are kept with `callboard toolkit check NAME --keep all`.",
        (("r", "read its source again"), ("Enter", "keep what was read"), ("d", "remove it; y confirms"), ("Esc", "close")),
    ),
    "ConfirmDelete": About(
        "Confirm a change",
        "The object and the service's rules were checked just now. Keys pressed right after opening are ignored.",
        (*_DECIDE, ("↑ ↓", "read on")),
    ),
    "AgentRequestDialog": About(
        "An agent asks",
        "What it wants to change, and what was found. Nothing is sent before somebody allows it; no answer refuses.",
        (("← →", "between the buttons"), ("Enter", "the button with the keyboard"), ("↑ ↓", "read on"), ("Esc", "later")),
        (
            ("its reason", "the agent's words, which nobody checked"),
            ("over", "answered in its client, withdrawn or expired"),
        ),
    ),
    "ElicitationDialog": About(
        "A server asks",
        "An MCP server asks this during a call. The question and its fields are the server's words, which nobody checked. Only "
        "what you send reaches it.",
        (("Tab", "next field"), ("^S", "send"), ("Esc", "close without an answer")),
    ),
    "NoteDialog": About("A note to the agent", "It goes along with the refusal.", (("Enter", "refuse"), ("Esc", "back"))),
    "DeleteMany": About(
        "Delete marked rows", "Deletes one object after another and shows each outcome.", (*_DECIDE, ("↑ ↓", "read on"))
    ),
    "AllowWriting": About("Allowing changes", "Live data can be changed for 15 minutes; the top line counts down.", _DECIDE),
    "OpenLink": About(
        "Opening a link", "Only links to this account's own service can be opened. Check the host above.", _DECIDE
    ),
    "ExportDialog": About(
        "Export",
        "Choose what to export, the format and the target. Secrets are redacted; only you can read the file.",
        (("Tab", "to the next field"), ("← →", "choose"), ("Enter", "save")),
        (
            ("NDJSON", "one item per line"),
            ("CSV", "one row per item, exact values; formulas become plain text"),
            ("Parquet", "typed columns"),
        ),
    ),
    "ColumnsDialog": About(
        "The columns",
        "Columns with ✓ are shown, in this order. Saved for this tool.",
        (("Space", "show or hide"), ("H L", "move the column"), ("r", "reset to the suggested columns"), ("Enter", "apply")),
    ),
    "TeamsDialog": About(
        "Teams",
        "Shows incidents of the marked teams; with none marked, of all teams.",
        (("Space", "mark"), ("o", "yours"), ("Enter", "show")),
    ),
    "SeveralAccountsDialog": About(
        "Several accounts",
        "Runs the list on each marked account and shows one table with an account column. Open, Page and Related use the "
        "account of the row, which is in use from then on. An account that fails is named above the table.",
        (("Space", "mark"), ("a", "all, or none"), ("Enter", "run")),
    ),
    "ShowAs": About(
        "Call as code",
        "For someone else to run. It contains no secrets, only the names of the variables that hold them.",
        (("← →", "form"),),
    ),
    "FetchAll": About("Fetch all pages", "Fetches page by page, up to the limit you set. Esc stops it; fetched items stay."),
    "SavedName": About("The name", "Saved calls are listed and run by their names."),
    "PageSize": About("Page size", "The page still starts at the first item on screen."),
    "ConditionRow": About(
        "The conditions of a query",
        "Each condition in words. A query with OR stays text.",
        (("←  →", "another"), ("Enter", "edit it as text"), ("Delete", "remove it")),
    ),
    "CopyDialog": About("Copying", "Copies the full value; the list shows only its beginning."),
    "ChooseDialog": About("Choosing", "Type to filter a long list."),
    "CompareWith": About("Comparing", "The older result is on the left. Run again now sends a new request."),
    "PickDialog": About(
        "Choosing an id",
        "Ids from the service. Type to filter; the last rows fetch more.",
        (("Enter", "use this id"), ("Esc", "stop, or close")),
    ),
    "SavedCallsDialog": About(
        "Saved calls",
        "One call, or a chain of calls whose values flow from one to the next. Secrets and responses are never saved.",
        (
            ("Enter", "fill the form with it; run a chain after asking for its inputs"),
            ("n", "record calls of the history as one"),
            ("e", "edit its file in your editor"),
            ("c", "copy the command that runs it"),
            ("x", "write it to a file"),
            ("i", "import from a file"),
            ("Del", "delete; press y to confirm"),
        ),
    ),
    "RecordDialog": About(
        "Recording calls",
        "The marked calls become steps, oldest first. Ids that came out of an earlier response become references, other ids "
        "inputs.",
        (("Enter", "record the marked calls; their name is asked for next"), ("Space", "mark or unmark a call")),
    ),
    "SavedRunDialog": About(
        "Running a saved call",
        "A row for each run. A step that fails ends its row; no change is made twice. Changes are asked for and checked.",
        (
            ("F5", "run it"),
            ("Enter", "show the outcome of each step"),
            ("c", "continue rows that are not done, where they ended"),
            ("y", "copy the results as CSV"),
            ("Esc", "stop; a change under way is checked first. Then close"),
        ),
        (("✓", "done"), ("✗", "failed or refused"), ("?", "unknown whether a change was made"), ("◦", "stopped")),
    ),
    "ConfirmRun": About(
        "Before a run that changes data",
        "What changes, and for which rows. Each change is checked again right before it is made.",
        _DECIDE,
    ),
    "RawArguments": About(
        "The arguments as JSON",
        "Each property is a parameter; a missing property is not set. The fields update as you type; {raw} goes back to them.",
        (("{editor}", "open it in $EDITOR"),),
        (("••••", "a secret is set; its value is redacted"),),
    ),
    "RequestsDialog": About(
        "The requests",
        "Requests sent, newest first, with all attempts. Type to filter.",
        (
            ("↓", "go to the list"),
            ("Enter", "details"),
            ("y", "copy this request"),
            ("Y", "copy all listed requests"),
            ("/", "find"),
        ),
        (
            ("connect wait body", "time to connect; time to first byte; time to receive the body"),
            ("✓ ✗ ◌", "succeeded; failed or lost; in progress"),
        ),
    ),
    "RequestDetails": About(
        "One request", "Request and response headers, with secrets redacted, and all attempts.", (("y", "copy it"),)
    ),
    "Reader": About("Full value", "Line breaks are shown as line breaks, control characters as escapes."),
    "ReportDialog": About(
        "The handoff report",
        "Markdown: what changed since your shift began, and what is open now.",
        (("y", "copy it"), ("x", "save it"), ("n", "add a note")),
    ),
    "MomentDialog": About(
        "Back to a time",
        "Shows the last refresh at or before this time.",
        (("⏎", "go there"),),
        (("03:14", "the most recent such time, in the time zone shown"), ("-20m", "before the newest refresh")),
    ),
    "PastBar": About(
        "The past",
        "A recorded refresh; its clocks do not run. Alarms of live incidents still ring.",
        (
            ("{board_back} {board_forward}", "previous or next refresh"),
            ("{board_past}", "go to a time"),
        ),
        (("PAST", "as recorded then; may be different now"),),
    ),
    "AccountsBar": About(
        "Several accounts",
        "Most severe first. Each account is loaded separately. {board_account} shows the next one in the panels.",
        (),
        (("WORST", "the account with the worst verdict"), ("›", "the account in the panels")),
    ),
}
