"""Places that random keys hardly reach, as lines of words: the keys that open each place, and some keys to press there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Literal, NamedTuple

from tui.keyboard.commands import COMMANDS

Kind = Literal["key", "text", "paste", "click", "drag", "wheel", "resize", "agent"]


class Action(NamedTuple):
    """One action. `words` are a key, a text, or numbers separated by spaces; for an agent, the seconds that it waits."""

    kind: Kind
    words: str

    def __str__(self) -> str:
        return f"{self.kind} {self.words!r}"


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

LISTS = (
    "SearchPaymentsCustomers",
    "ListIncidents",
    "SearchPaymentsInvoices",
    "ListUsers",
    "PaymentsSearchCharges",
    "ListOncalls",
)
DELETIONS = ("DeletePaymentsCustomer", "DeleteInvoiceDraft", "RemoveCrmUser", "DeletePaymentsCoupon")
_IDS = ("cus_4R5QLgZDZXPlou", "cus_SxAKdn2A4YV4At", "accounts@ada-romero.example")
_QUESTIONS = (
    *("who is on call", "open incidents", "past due", "refund", *_IDS, "$120.00", "4444", "req_1", "list"),
    "https://dashboard.example/customers/cus_1",
    "curl -X DELETE https://api.example/v1/customers/cus_1 -u sk_test_1:",
    *("zzzz nothing like it", "customers named \u202eada [bold"),
)
TEXTS = {
    "questions": _QUESTIONS,
    "ids": _IDS,
    "lists": LISTS,
    "deletions": DELETIONS,
    "query": ("created>0",),
    "queries": (
        *("data", "data[*].id", "[0]", "data[?amount > `5`]", "data[?", "keys(@)", "length(data)", "x.", "@"),
        "incidents[].[id, title]",
    ),
    "sizes": ("1", "2", "3", "50"),
    "times": ("03:00", "-5m", "now", "x"),
    "filters": ("inv", "\u202e", "paid failed", "db", "P1", "title:x", "\\["),
    "history": ("list", "tool:List", "status:200", "\u200b"),
    "commands": tuple(command.title for command in COMMANDS),
    "names": ("one", "two", "x" * 70, "a\u200bb", "Fern three", "sandbox", "\u202ex", "[b]n", "n" * 200),
    "secrets": ("sk_live_1", "http://127.0.0.1:9", "https://u:p@[::1", "a\tb", "PARTNER15", "no"),
    "issues": ("issue tracker", "ListIssues", "list issues", "delete an issue", "get issue"),
}
_MOVES = ("up", "down", "down", "pageup", "pagedown", "home", "end", "left", "right", "tab", "space", "enter", "backspace")
_SCOPES = {
    scope: tuple(
        key for one in COMMANDS if one.scope == scope for key in one.keys.split(",") if key not in ("escape", "ctrl+@")
    )
    for scope in ("result", "table", "page", "oncall", "compare")
}

_LIST = "escape escape escape ctrl+f text:lists enter text:query? f5 f4"
_ASK = "escape escape escape ctrl+f"

# A key; text:TEXTS or paste:TEXTS; any:KEYS, one of them; some:KEYS, a few of them or of a scope, and moves; agent:SECONDS.
# A question mark behind a word: perhaps; a star and a number: up to so many times.
VISITS = (
    *[f"{_ASK} text:questions some:down,down,up,tab,ctrl+w,alt+down any:enter,enter,f5,escape,tab"] * 2,
    f"{_ASK} paste:questions any:enter,enter,f5,escape,tab",
    "escape escape escape f13 down*5 any:enter,escape,tab",
    f"{_LIST} down down enter some:page /? text:filters? enter some:page",
    f"{_ASK} text:ids enter some:page some:page",
    "escape escape escape f11 some:oncall some:oncall p? text:times? enter some:[,],{,},p",
    "escape escape escape f11 some:oncall / text:filters enter some:oncall",
    f"{_LIST} f4 q text:queries some:tab,down,up,ctrl+w,backspace any:enter,escape,f5 some:result,t",
    f"{_LIST} R some:result,R,t,f5",
    "f9 some:enter,f9,y,/,end,r",
    "ctrl+y text:history? some:down,enter,tab,c,space,r,e,delete,D",
    f"{_LIST} z text:sizes enter f4 c any:enter,down enter some:compare",
    *[f"{_LIST} t end? some:table z text:sizes enter any:n,],[,f5,D,C,/ some:table"] * 2,
    f"{_ASK} text:deletions enter text:ids f5 some:tab,enter,y,escape,right",
    "ctrl+p text:commands any:enter,enter,down,escape",
    *["escape* shift+f2 down*6 any:enter,enter,escape some:enter,space,right,t,f5,f1,ctrl+p escape*3 ctrl+q? ctrl+q?"] * 2,
    f"{_LIST} ctrl+s down*2 enter text:names? any:enter,f5 some:f5,c,y,enter,down,n escape enter",
    "escape escape escape ctrl+s n text:names? down some:space,space,down,enter enter enter",
    "escape escape escape ctrl+s text:names enter some:e,down,delete,y,n,ctrl+o,c",
    *["f6 down*6 any:a,a,e,e,t,s,r text:names? some:tab,left,right,space text:secrets? enter some:y,a,e,t,s,r escape escape"]
    * 2,
    "agent:0.2 agent:3? agent:240? alt+a enter? some:tab,enter,right,left,escape,alt+a,y text:secrets? tab tab enter",
    f"{_ASK} text:issues enter some:tab,1,enter,f5,ctrl+t,ctrl+space,ctrl+s",
)


def visit(dice: random.Random) -> Iterator[Action]:
    """The actions of one visit."""
    for part in dice.choice(VISITS).split(" "):
        word, perhaps, _ = part.partition("?") if len(part) > 1 else (part, "", "")
        word, star, most = word.partition("*")
        times = dice.randint(0, int(most or 1)) if star else int(not perhaps or dice.random() < 0.5)
        for _ in range(times):
            yield from _actions(word, dice)


def _actions(word: str, dice: random.Random) -> Iterator[Action]:
    kind, _, names = word.partition(":")
    match kind:
        case "text" | "paste":
            yield Action(kind, dice.choice(TEXTS[names]))
        case "agent":
            yield Action("agent", names)
        case "any":
            yield Action("key", dice.choice(names.split(",")))
        case "some":
            known = tuple(key for name in names.split(",") for key in _SCOPES.get(name, (name,)))
            for _ in range(dice.randint(2, 14)):
                yield Action("key", dice.choice((*known, *_MOVES) if dice.random() < 0.7 else _MOVES))
        case _:
            yield Action("key", word)
