"""Places that random keys hardly reach: the keys that open each place, and some keys to press there."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.monkey.steps import Action, keys, text
from tui.keyboard.commands import COMMANDS, Scope

STARTS = (
    "explore --world rough",
    "explore --world rough",
    "explore",
    "explore --world rough --fault payments latency 50ms-900ms --fault incidents 500 x20",
    "explore --fault payments escapes --fault crm surrogate --fault incidents nan",
    "explore --fault encoding utf-16be",
    "explore --scenario storm --fault echo-credential",
    "explore --scenario quiet --fault cut x40 --fault payments GET latency 200ms",
    "oncall --world rough --scenario storm",
    "oncall --scenario busy-night --fault incidents latency 100ms-2s",
    "oncall --fault incidents 503 x30",
    "page cus_SxAKdn2A4YV4At --world rough",
    "demo customer --speed 10",
    "demo --speed 4",
)
"""The arguments with which the program is started. All words after ``--fault`` belong to the fault."""

_QUESTIONS = (
    "who is on call",
    "open incidents",
    "past due",
    "refund",
    "cus_4R5QLgZDZXPlou",
    "cus_SxAKdn2A4YV4At",
    "accounts@ada-romero.example",
    "$120.00",
    "4444",
    "req_1",
    "https://dashboard.example/customers/cus_1",
    "curl -X DELETE https://api.example/v1/customers/cus_1 -u sk_test_1:",
    "zzzz nothing like it",
    "customers named \u202eada [bold",
    "list",
)
_QUERIES = (
    "data",
    "data[*].id",
    "[0]",
    "data[?amount > `5`]",
    "data[?",
    "keys(@)",
    "length(data)",
    "incidents[].[id, title]",
    "x.",
    "@",
)
_QUERY = "created>0"
LISTS = (
    "SearchPaymentsCustomers",
    "ListIncidents",
    "SearchPaymentsInvoices",
    "ListUsers",
    "PaymentsSearchCharges",
    "ListOncalls",
)
DELETIONS = ("DeletePaymentsCustomer", "DeleteInvoiceDraft", "RemoveCrmUser", "DeletePaymentsCoupon")
_MOVES = ("up", "down", "down", "pageup", "pagedown", "home", "end", "left", "right", "tab", "space", "enter", "backspace")


def _of(scope: Scope) -> tuple[str, ...]:
    rows = [command.keys.split(",") for command in COMMANDS if command.scope == scope]
    return tuple(key for row in rows for key in row if key not in ("escape", "ctrl+@"))


_RESULT, _TABLE, _PAGE, _BOARD, _COMPARE = (_of(scope) for scope in ("result", "table", "page", "oncall", "compare"))


def _home() -> Iterator[Action]:
    yield from keys("escape", "escape", "escape")


def _some(dice: random.Random, of: tuple[str, ...], most: int = 14) -> Iterator[Action]:
    for _ in range(dice.randint(2, most)):
        yield from keys(dice.choice((*of, *_MOVES) if dice.random() < 0.7 else _MOVES))


def _list(dice: random.Random) -> Iterator[Action]:
    yield from _home()
    yield from keys("ctrl+f")
    tool = dice.choice(LISTS)
    yield from text(tool)
    yield from keys("enter")
    yield from text(_QUERY if "Search" in tool else "")
    yield from keys("f5", "f4")


def _ask(dice: random.Random) -> Iterator[Action]:
    yield from _home()
    yield from keys("ctrl+f")
    asked = dice.choice(_QUESTIONS)
    yield from text(asked) if dice.random() < 0.7 else iter((Action("paste", asked),))
    yield from _some(dice, ("down", "down", "up", "tab", "ctrl+w", "alt+down"), 6)
    yield from keys(dice.choice(("enter", "enter", "f5", "escape", "tab")))


def _start_page(dice: random.Random) -> Iterator[Action]:
    yield from _home()
    yield from keys("f13", *(["down"] * dice.randint(0, 5)), dice.choice(("enter", "escape", "tab")))


def _page(dice: random.Random) -> Iterator[Action]:
    if dice.random() < 0.5:
        yield from _list(dice)
        yield from keys("down", "down", "enter")
    else:
        yield from _home()
        yield from keys("ctrl+f")
        yield from text(dice.choice(_QUESTIONS[4:7]))
        yield from keys("enter")
    yield from _some(dice, _PAGE)
    if dice.random() < 0.3:
        yield from keys("/")
        yield from text(dice.choice(("inv", "\u202e", "paid failed", "")))
        yield from keys("enter")
        yield from _some(dice, _PAGE, 5)


def _board(dice: random.Random) -> Iterator[Action]:
    yield from _home()
    yield from keys("f11")
    yield from _some(dice, _BOARD, 20)
    if dice.random() < 0.4:
        yield from keys("p")
        if dice.random() < 0.5:
            yield from text(dice.choice(("03:00", "-5m", "now", "x")))
            yield from keys("enter")
        yield from _some(
            dice, ("left_square_bracket", "right_square_bracket", "left_curly_bracket", "right_curly_bracket", "p")
        )
    if dice.random() < 0.3:
        yield from keys("/")
        yield from text(dice.choice(("db", "P1", "title:x", "\\[", "")))
        yield from keys("enter")
        yield from _some(dice, _BOARD, 6)


def _query(dice: random.Random) -> Iterator[Action]:
    if dice.random() < 0.4:
        yield from _list(dice)
    yield from keys("f4", "q")
    yield from text(dice.choice(_QUERIES))
    yield from _some(dice, ("tab", "down", "up", "ctrl+w", "backspace"), 5)
    yield from keys(dice.choice(("enter", "escape", "f5")))
    yield from _some(dice, (*_RESULT, "t"), 6)


def _look_again(dice: random.Random) -> Iterator[Action]:
    yield from _list(dice)
    yield from keys("R")
    yield from _some(dice, (*_RESULT, "R", "t", "f5"), 12)


def _requests(dice: random.Random) -> Iterator[Action]:
    yield from keys("f9")
    yield from _some(dice, ("enter", "f9", "y", "/", "end", "r"), 8)


def _history(dice: random.Random) -> Iterator[Action]:
    yield from keys("ctrl+y")
    yield from text(dice.choice(("", "list", "tool:List", "status:200", "\u200b")))
    yield from _some(dice, ("down", "enter", "tab", "ctrl+d", "c", "space"), 8)


def _compare(dice: random.Random) -> Iterator[Action]:
    yield from _list(dice)
    yield from keys("z")
    yield from text(str(dice.randint(1, 4)))
    yield from keys("enter", "f4", "c", dice.choice(("enter", "down")), "enter")
    yield from _some(dice, _COMPARE)


def _table(dice: random.Random) -> Iterator[Action]:
    """The same tables with fewer rows or columns, with none, and other tables."""
    yield from _list(dice)
    yield from keys("t", *(["end"] if dice.random() < 0.6 else []))
    for _ in range(dice.randint(1, 4)):
        yield from _some(dice, _TABLE, 6)
        yield from keys("z")
        yield from text(str(dice.choice((1, 2, 3, 50))))
        yield from keys("enter")
        yield from keys(dice.choice(("n", "right_square_bracket", "left_square_bracket", "f5", "D", "C", "/")))


def _deletion(dice: random.Random) -> Iterator[Action]:
    """Opens the confirmation of a deletion and types random text into it."""
    yield from _home()
    yield from keys("ctrl+f")
    yield from text(dice.choice(DELETIONS))
    yield from keys("enter")
    yield from text(dice.choice(_QUESTIONS[4:6]))
    yield from keys("f5")
    yield from _some(dice, ("tab", "enter", "y", "escape", "right"), 6)


def _palette(dice: random.Random) -> Iterator[Action]:
    yield from keys("ctrl+p")
    yield from text(dice.choice(COMMANDS).title if dice.random() < 0.7 else dice.choice(_QUESTIONS))
    yield from keys(dice.choice(("enter", "enter", "down", "escape")))


def _walk(dice: random.Random) -> Iterator[Action]:
    """Starts a walk and leaves it at any time."""
    if dice.random() < 0.6:
        yield from _home()
    yield from keys("shift+f2", *(["down"] * dice.randint(0, 6)), dice.choice(("enter", "enter", "enter", "escape")))
    yield from _some(dice, ("enter", "enter", "space", "space", "right", "t", "f5", "f1", "ctrl+p"), 10)
    yield from keys(*(["escape"] * dice.randint(0, 3)))
    if dice.random() < 0.7:
        yield from keys("ctrl+q", "ctrl+q")


def _saved(dice: random.Random) -> Iterator[Action]:
    if dice.random() < 0.4:
        yield from _list(dice)
    else:
        yield from _home()
    yield from keys("ctrl+s", *(["down"] * dice.randint(0, 2)))
    match dice.choice(("run", "run", "record", "edit", "file", "delete")):
        case "run":
            yield from keys("enter")
            yield from text(dice.choice(("", "", "x", "\u202e[b]")))
            yield from keys(dice.choice(("enter", "f5")), *(["enter"] if dice.random() < 0.5 else []))
            yield from _some(dice, ("f5", "c", "y", "enter", "down", "n"), 8)
        case "record":
            yield from keys("n")
            yield from text(dice.choice(("one", "two", "", "x" * 70, "a\u200bb")))
            yield from keys("down")
            yield from _some(dice, ("space", "space", "down", "enter"), 6)
            yield from keys("enter", "enter")
            yield from _some(dice, ("ctrl+s", "ctrl+d", "tab", "down", "enter"), 6)
        case "edit":
            yield from keys("e")
            yield from _some(dice, ("ctrl+s", "ctrl+d", "tab", "down", "x", "{", "left_curly_bracket", "backspace"), 10)
        case "file":
            yield from keys(dice.choice("xi"))
            yield from text(dice.choice(("", "/dev/null", "nowhere/at all.json", "\u202e.json", ".", "~")))
            yield from keys("enter")
        case "delete":
            yield from keys("delete", dice.choice("yyn"))
    yield from _some(dice, ("escape", "enter", "tab"), 4)


def _accounts(dice: random.Random) -> Iterator[Action]:
    yield from keys("f6", *(["down"] * dice.randint(0, 6)), dice.choice("aaeetsr"))
    if dice.random() < 0.7:
        yield from text(dice.choice(("Fern three", "Night", "sandbox", "", "\u202ex", "[b]n", "n" * 200)))
        yield from _some(dice, ("tab", "tab", "tab", "tab", "left", "right", "space", "x", "ctrl+k"), 24)
        yield from text(dice.choice(("", "sk_live_1", "http://127.0.0.1:9", "https://u:p@[::1", "a\tb")))
        yield from keys("enter")
    yield from _some(dice, ("y", "a", "e", "t", "s", "r", "enter", "escape", "tab"), 8)
    yield from keys("escape", "escape")


def _agents(dice: random.Random) -> Iterator[Action]:
    """An agent requests changes, waiting a short or a long time, and the monkey looks at them."""
    for _ in range(dice.randint(1, 3)):
        yield Action("agent", dice.choice(("0.2", "3", "240")))
    yield from keys("alt+a", *(["enter"] if dice.random() < 0.5 else []))
    yield from _some(dice, ("tab", "enter", "right", "left", "escape", "alt+a", "y"), 8)
    if dice.random() < 0.4:
        yield from text(dice.choice(("PARTNER15", "no", "")))
        yield from keys("tab", "tab", "enter")


def _openapi_tool(dice: random.Random) -> Iterator[Action]:
    """Tools from a document whose service refuses every connection."""
    yield from _home()
    yield from keys("ctrl+f")
    yield from text(dice.choice(("issue tracker", "ListIssues", "list issues", "delete an issue", "get issue")))
    yield from keys("enter")
    yield from _some(dice, ("tab", "1", "enter", "f5", "ctrl+t", "ctrl+space", "ctrl+s"), 8)


VISITS = (
    _ask,
    _ask,
    _start_page,
    _page,
    _page,
    _board,
    _board,
    _query,
    _look_again,
    _requests,
    _history,
    _compare,
    _table,
    _deletion,
    _palette,
    _walk,
    _walk,
    _saved,
    _saved,
    _accounts,
    _accounts,
    _agents,
    _openapi_tool,
)
