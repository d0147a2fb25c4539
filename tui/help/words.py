"""What the help says of each part of the screens, by the name of its class."""

from __future__ import annotations

from tui.help.about import About

_EFFECTS = (
    ("+", "changes"),
    ("×", "deletes; asks first"),
    ("†", "deprecated; its form names what to use instead"),
)
_FOLDS = (("▾ ▸", "unfolded, folded"),)
_TYPED = (("Enter", "keep what was found and go there"), ("Esc", "close the line"))
_DECIDE = (("← →", "choose"), ("Enter", "do it"), ("Esc", "leave everything as it is"))
_FRESH = (
    ("live 6s", "read six seconds ago"),
    ("STALE 3m", "three minutes old, and why; what was known stays in sight, dimmed"),
    ("50+", "there are more than were read"),
)

ABOUT = {
    "AskLine": About(
        "The ask line",
        "Takes words (past due, why was the card declined, failed payments yesterday, cust cards), with typing errors too, or "
        "what is pasted: an id, an email, a link, a curl command, an amount, a card's last four digits. Calls that are ready "
        "to run come with their arguments; a tool that deletes is listed only where you type a word such as delete.",
        (
            ("↑ ↓", "choose in the list below, or a question of the start page ({start} brings it back)"),
            ("Enter", "run a call that reads; open the page of an object, or the form of any other tool"),
            ("Tab", "put what was found into the form, to edit it before it runs"),
            ("Esc", "empty the line"),
        ),
        _EFFECTS,
    ),
    "ToolkitTree": About(
        "The tree of tools",
        "Every tool under its toolkit and group. {favourite} puts one on top of all others; {group} groups by what tools do.",
        (),
        (*_EFFECTS, ("Favourites", "your own; below them, what you ran last"), *_FOLDS, ("12", "how many tools are inside")),
    ),
    "Button": About("The run button", "Sends the request that stands above it, as {run} does.", (("Enter", "press it"),)),
    "PageList": About(
        "The page of an object",
        "What needs attention comes first, then what belongs to the object. Each heading has the count and the tool behind it.",
        (("Enter", "open the page of what is here, or unfold a section"), ("{page_timeline}", "the timeline")),
        (
            ("✓", "well"),
            ("!", "needs attention"),
            ("✗", "failed"),
            ("◦", "not yet, or over"),
            ("100+", "there are more than were read"),
        ),
    ),
    "TimelineList": About(
        "The timeline",
        "Everything that has a time, the newest first; what is to come is above the line for now. {page_filter} filters it.",
        (("Enter", "open the page of what happened"),),
    ),
    "CollapsibleTitle": About(
        "A folded part of the form",
        "Paging and expand are seldom needed, so they stand folded.",
        (("Enter", "unfold or fold"),),
    ),
    "JsonView": About(
        "The answer as JSON",
        "",
        (),
        (
            *_FOLDS,
            ("underlined", "an id that leads to its object: {follow} follows"),
            ("‹", "what is behind it was added here: what the time or amount means; it is never copied"),
            ("…", "cut here; {read} reads it whole"),
            ("✗ deleted", "you deleted that object in this session"),
            ("••••", "masked, because it opens doors"),
        ),
    ),
    "TableView": About(
        "The answer as a table",
        "",
        (),
        (
            ("↑ ↓", "the column that gives the order, upwards or downwards"),
            ("‹ ›", "there are more columns on that side"),
            ("•", "the row is marked"),
            ("×", "you deleted that object in this session"),
            ('null, "", []', "null, an empty text, an empty list; a cell without anything: the member is not there"),
            ("data.name", "a column of what lies inside: the member name of the member data"),
            ("(UTC)", "times are in UTC"),
        ),
    ),
    "FilterLine": About(
        "The filter of the rows",
        "Words that any column holds. Several must all fit.",
        _TYPED,
        (
            ("column:text", "only in that column"),
            ("column=text", "exactly that"),
            ("amount>42.50", "greater; < <= >= likewise; amounts in whole units"),
            ("created<2025-08-12", "before that day"),
            ("!", "before what must not be"),
            ('"two words"', "quotes around blanks"),
        ),
    ),
    "FindLine": About(
        "Finding in the answer",
        "A text, or a regular expression, in keys and values. {next_hit} and {last_hit} go on; {only} leaves out the rest.",
        (("^T", "text or regular expression"), ("^O", "in keys, in values, or in both"), *_TYPED),
    ),
    "QueryInput": About(
        "Asking the answer",
        "A JMESPath query. Its answer takes the place of the document while you type; Esc brings the document back.",
        (
            ("Tab", "complete a name"),
            ("↑ ↓", "queries asked before"),
            ("^T", "the path of the row"),
            ("Enter", "keep the answer"),
            ("Esc", "back to the whole"),
        ),
        (("a.b", "the member b of a"), ("a[0] a[]", "an element, every element"), ("[?x=='1']", "elements for which it is so")),
    ),
    "CompareLines": About(
        "The comparison",
        "",
        (),
        (
            ("+ -", "there only on the right; only on the left"),
            ("~", "another value"),
            ("≈", "the same value, written otherwise"),
            ("↕", "the same, in another place of its list"),
            ("… 12 equal …", "so many equal lines are left out; {unfold} shows them"),
            ("3/7", "the third of seven differences"),
        ),
    ),
    "IncidentList": About(
        "Open incidents",
        "",
        (),
        (
            ("NEW ACK BACK", "on the left, what the last refresh brought: new, acknowledged, triggered again"),
            ("DONE GONE", "resolved; no longer in what is shown"),
            ("PAST", "a recorded moment is shown, not the present; {board_leave} leads back"),
            ("◆", "assigned to you"),
            ("TRIG ACK SNZD", "not acknowledged, acknowledged, snoozed"),
            ("L2 L1/2 ?", "the level that was reached; ambiguous; unknown. –: assigned directly"),
            ("!", "neglected: not acknowledged for an hour, or acknowledged more than 8 h ago"),
            ("→ L2", "the level and the person that the clock pages next; again: the policy starts over"),
            ("→ may repeat", "the log does not reach back to how often the policy started over"),
            ("due", "the clock has run out; waiting for the service to confirm"),
            ("?", "on the left: in no list any more, and could not be looked up"),
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
            ("3, 3 in 2 min", "how many pages; the most within five minutes"),
            ("holds 4", "open incidents that are assigned to them now"),
            ("nobody left", "the policy has no level left then"),
            ("not known whom", "the level, its people, or how often the policy started over is unknown"),
        ),
    ),
    "LadderList": About(
        "Who is on call",
        "Every escalation policy with its levels: who is paged first, and who next. It follows the incident at the cursor.",
        (),
        (
            ("▸", "the policy of that incident"),
            ("L1", "the first level"),
            ("NOBODY", "this level pages nobody now"),
            ("one of", "one of them is woken, in turn"),
            ("(03:14)", "the time where that person is"),
            ("always", "on call without a schedule"),
            *_FRESH,
        ),
    ),
    "FeedList": About(
        "The log",
        "What happened to incidents, the newest first.",
        (),
        (
            ("TRIGGER UNACK", "in capitals: somebody may have to act"),
            ("ESCALATE EXHAUST", "went to the next level; no level is left"),
            ("FAILED", "the page did not reach them"),
            ("▁▃█ · ?", "incidents in each of the last 24 hours; none; not known"),
            *_FRESH,
        ),
    ),
    "ServiceList": About(
        "The services",
        "The worst first, with what is open on each. {board_service} shows the incidents of one only.",
        (),
        (("✗ !", "critical, warning"), ("✓", "ok"), ("– ⚒", "disabled, in maintenance"), *_FRESH),
    ),
    "CoverageList": About(
        "The next fortnight",
        "Each level of each policy as a strip of 14 days, and its gaps in words.",
        (),
        (("━", "covered; a letter begins each turn"), ("·", "nobody"), ("?", "not told"), ("! ·", "to mend; advice")),
    ),
    "HistoryDialog": About(
        "The history",
        "Every call that was made, the newest first. Words find tools, ids and arguments; tool:refund, on:sandbox, failed and "
        "since:yesterday narrow it down.",
        (
            ("↓", "into the list; k on its first line goes back to the words"),
            ("Enter", "open it with its answer"),
            ("r", "run it again"),
            ("e", "open its form"),
            ("c", "compare it with now"),
            ("Del", "forget it"),
            ("D", "forget all, when pressed twice"),
        ),
        (("✓ ok", "it worked"), ("✗ failed", "the service said no, or was not reached"), ("◌ cancelled", "you stopped it")),
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
    "ConfirmDelete": About(
        "Asking before a change",
        "What it is about was looked at just now, and whether the service's rule holds. Presses at once do not count.",
        (*_DECIDE, ("↑ ↓", "read on")),
    ),
    "AgentRequestDialog": About(
        "An agent asks",
        "What it wants to change, and what was found. Nothing is sent before somebody allows it; no answer refuses.",
        (("← →", "between the buttons"), ("Enter", "the button with the keyboard"), ("↑ ↓", "read on"), ("Esc", "later")),
        (
            ("its reason", "the agent's words, which nobody checked"),
            ("over", "answered in its client, taken back, or too late"),
        ),
    ),
    "NoteDialog": About("A note to the agent", "It goes along with the refusal.", (("Enter", "refuse"), ("Esc", "back"))),
    "DeleteMany": About(
        "Deleting what is marked", "One after the other; what became of each is told.", (*_DECIDE, ("↑ ↓", "read on"))
    ),
    "AllowWriting": About("Allowing changes", "Live data can be changed for 15 minutes; the top line counts them.", _DECIDE),
    "OpenLink": About(
        "Opening a link", "Only addresses of the connection's own service are opened; the host stands above.", _DECIDE
    ),
    "ExportDialog": About(
        "Saving or copying the answer",
        "What, in which form, and where to. Secrets are masked; files can be read by you alone.",
        (("Tab", "to the next field"), ("← →", "choose"), ("Enter", "save")),
        (
            ("NDJSON", "an item a line"),
            ("CSV", "a row for each item, what begins a formula made harmless"),
            ("Parquet", "columns, with types"),
        ),
    ),
    "ColumnsDialog": About(
        "The columns",
        "Those with a ✓ are shown, in this order. It is remembered for the tool.",
        (("Space", "show or hide"), ("H L", "move it"), ("r", "those that the data suggests"), ("Enter", "take them")),
    ),
    "TeamsDialog": About(
        "Teams",
        "Only incidents of marked teams are shown; without a mark, all.",
        (("Space", "mark"), ("o", "yours"), ("Enter", "show")),
    ),
    "ShowAs": About(
        "The call as text",
        "For somebody else to run. It holds no secret: it names the variable that has it.",
        (("← →", "form"),),
    ),
    "FetchAll": About("Fetching the whole list", "Page after page, up to so many items. Esc stops it later; what came stays."),
    "PageSize": About("The size of a page", "The next call begins at the first item on screen."),
    "WatchDialog": About(
        "Watching a result",
        "The same call again at an interval. {version_before} and {version_behind} step through what came; {watch} stops. "
        "It rings once each time the condition begins to hold.",
    ),
    "ConditionRow": About(
        "The conditions of a query",
        "Each in words. What OR joins stays text.",
        (("←  →", "another"), ("Enter", "edit it in the line"), ("Delete", "take it away")),
    ),
    "CopyDialog": About("Copying", "What is copied is the whole value; what stands beside each line is its beginning."),
    "ChooseDialog": About("Choosing", "Where there are many, typing narrows them down."),
    "CompareWith": About("Comparing", "The older answer stands on the left. Asking again sends one more call."),
    "PickDialog": About(
        "Choosing an id",
        "What the service lists, page after page. Typing narrows down what came; the last rows ask for more.",
        (("Enter", "take it"), ("Esc", "stop, or close")),
    ),
    "PresetsDialog": About(
        "Saved arguments",
        "What the form holds, under a name, for this tool. Secrets are never kept.",
        (
            ("↓", "into the list"),
            ("Enter", "load the set: what it does not name becomes not set"),
            ("r", "rename it"),
            ("e", "write it to a file"),
            ("i", "take one from a file"),
            ("c", "copy it as a command"),
            ("Del", "delete it; y after it means it"),
        ),
    ),
    "RawArguments": About(
        "The arguments as JSON",
        "Each member is a parameter; what is absent is not set. The fields follow as you type; {raw} goes back to them.",
        (("{editor}", "open it in $EDITOR"),),
        (("••••", "a secret has a value, which is not written here"),),
    ),
    "RequestsDialog": About(
        "The requests",
        "What was sent, the newest first, with every attempt. Words narrow it down.",
        (
            ("↓", "into the list"),
            ("Enter", "details"),
            ("y", "copy this one"),
            ("Y", "copy all that are listed"),
            ("/", "find"),
        ),
        (
            ("connect wait body", "until there was a connection; until the answer began; until it had come"),
            ("✓ ✗ ◌", "answered, failed or lost, under way"),
        ),
    ),
    "RequestDetails": About("One request", "Headers both ways, secrets masked, and every attempt.", (("y", "copy it"),)),
    "Reader": About("One value, whole", "Line breaks are real here; what a terminal would obey stands as its escape."),
    "ReportDialog": About(
        "The handoff report",
        "Markdown of what has changed since your shift began, and of what is open now.",
        (("y", "copy it"), ("x", "save it"), ("n", "add a note")),
    ),
    "IncidentHistoryScreen": About(
        "One incident",
        "Earlier incidents like it, with who resolved them and how fast, and its timeline from the log. Like it: of the same "
        "service, with the same title but for numbers and brackets.",
        (("+", "look further back: 7, 30, 90, 175 days"),),
        (("+5m", "so long after the incident began"), ("!", "pages may be missing: the log that was read begins later")),
    ),
    "PagesScreen": About(
        "Pages per person and night",
        "How often each person was notified in the last 7 days. Push and phone for one incident are two pages.",
        (),
        (("night", "from 22 to 7 where the person is"), ("hour", "the most pages within one hour of a night")),
    ),
    "TextScreen": About("A text", "Lines that scroll."),
    "MomentDialog": About(
        "Back to a time",
        "The last refresh that is not later than the time is shown.",
        (("⏎", "go there"),),
        (("03:14", "the last time that it was so late, in the zone that is shown"), ("-20m", "before the newest refresh")),
    ),
    "PastBar": About(
        "The past",
        "A recorded refresh in place of the present; its clocks stand still. The present still rings.",
        (
            ("{board_back} {board_forward}", "one refresh back or on"),
            ("{board_play}", "play on, a refresh each second; again, or a step, pauses"),
            ("{board_past}", "go to a time"),
        ),
        (("PAST", "what stands behind it was so then, and may be otherwise now"),),
    ),
    "AccountsBar": About(
        "Several accounts",
        "The worst first. Each is read by itself and fails alone. {board_account} shows the next one in the panels.",
        (),
        (("WORST", "the account with the worst verdict"), ("›", "the account in the panels")),
    ),
}
