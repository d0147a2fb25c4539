"""The board as one HTML page, for a wall display or a phone: read-only, and without external resources.

The page reloads itself without a script. Everything from outside is escaped, links lead only to the account's own host, and the
style sheet is in the page, allowed by its hash in `POLICY`. Tones are CSS classes; without colours the words say the same.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape

from registry.oncall import words
from registry.oncall.account import AccountView, worst
from registry.oncall.board import IncidentRow
from registry.oncall.clocks import age, clock, second
from registry.oncall.facts import PANELS, own_link
from registry.oncall.headline import counts_line
from registry.oncall.words import Line, Piece
from registry.text.safe_text import shortened, visible_line

RELOAD_EVERY = 15  # seconds after which the page reloads
MOST_ROWS = 100
_LONGEST_TITLE = 160

_STYLE = """
:root{color-scheme:dark light;
--bg:#0f1318;--text:#e4e2dc;--muted:#9aa3af;--good:#84d3a0;--warn:#f2c063;--bad:#ff8b8b;--line:#2d3643}
@media(prefers-color-scheme:light){:root{
--bg:#fbfaf6;--text:#20242a;--muted:#565c66;--good:#17582f;--warn:#744500;--bad:#a11620;--line:#cfc9bb}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--bg);color:var(--text);font:clamp(16px,1.4vw,24px)/1.4 system-ui,sans-serif}
h1{font-size:clamp(1.4rem,4vw,4rem);line-height:1.15;margin:0 0 .5rem;overflow-wrap:anywhere}
h2{font-size:1.2em;margin:1.5rem 0 .25rem}h3{font-size:1em;margin:1rem 0 0}
p{margin:.25rem 0}ul{margin:.25rem 0;padding:0;list-style:none}
li{padding:.35rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
a{color:inherit}.strong,.mine{font-weight:700}.quiet{color:var(--muted)}.good{color:var(--good)}
.warn{color:var(--warn)}.bad{color:var(--bad);font-weight:700}.mine{color:var(--warn)}
.state{display:inline-block;min-width:3.2em;font-weight:700}
"""

# The content security policy of the page: its own style sheet and nothing else.
POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
)


def page(views: Sequence[AccountView]) -> str:
    """The page of at least one account, all at the same moment."""
    first = worst(views)
    now, zone = first.board.now, first.zone
    several = len(views) > 1
    title = f"{first.label}: {first.title}" if several else first.title
    moment = f"{second(now, zone)} {clock(now, zone).partition(' ')[2]}"
    lines = [f"<li><b>{escape(view.label)}</b> {_line(view.verdict)} {_line(view.trust)}</li>" for view in views]
    worst_of = [f"<p>The worst of {len(views)} accounts: <b>{escape(first.label)}</b></p><ul>", *lines, "</ul>"]
    body = [
        f"<h1>{_line(first.verdict)}</h1><p>{_line(counts_line(first.board))}<br>{_line(first.trust)}</p>",
        *(worst_of if several else ()),
        f'<p class="quiet">As of <b>{escape(moment)}</b>. This page loads itself again every {RELOAD_EVERY} s; '
        "if this time does not change, it is not live. Read-only: acknowledge in the service.</p>",
        *(part for view in views for part in _account(view, several=several)),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="refresh" content="{RELOAD_EVERY}"><meta name="referrer" content="no-referrer">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


def _account(view: AccountView, *, several: bool) -> list[str]:
    board, now, zone = view.board, view.board.now, view.zone
    ends = escape(view.ends)
    skewed = f"{escape(view.clock_words)} (clock skew); times follow the service's clock" if view.clock_words else ""
    more = len(board.rows) - MOST_ROWS
    parts = [f"<h2>{escape(view.label)} <span class=quiet>{escape(view.mode)}</span></h2>"] if several else []
    parts += [
        f"<p>{_line(words.my_duty(board.mine, board.facts, now, zone))}</p>",
        *(f"<p class=warn>{text}</p>" for text in (ends, skewed) if text),
        "<h2>Incidents</h2><ul>",
        *(_row(row, view) for row in board.rows[:MOST_ROWS]),
        f"<li class=warn>{more} more are not shown here</li>" if more > 0 else "",
    ]
    if not board.rows:
        parts.append(f"<li>{_line([words.nothing(board, 'incidents', board.verdict.outside, 'open incidents')])}</li>")
    parts.append("</ul><h2>On call</h2>")
    for on_call in board.policies:
        levels = (f"<li>{_line(words.level_line(one, now, zone, board.me, board.zones))}</li>" for one in on_call.levels)
        parts += [f"<h3>{_line(words.policy_title(on_call))}</h3><ul>", *levels, "</ul>"]
    if board.facts.panel("services").at is not None:
        parts.append(f"<h2>Services</h2><p>{_line(words.service_states(board.verdict.states))}</p>")
    ages = {name: _line(words.freshness(board.facts.panel(name), now, view.interval)) for name in PANELS}
    return [*parts, "<h2>Data freshness</h2><ul>", *(f"<li>{escape(name)}: {old}</li>" for name, old in ages.items()), "</ul>"]


def _row(row: IncidentRow, view: AccountView) -> str:
    one, now, board = row.incident, view.board.now, view.board
    facts = [*(shortened(visible_line(text), 20) for text in (one.urgency, one.priority)), row.level, age(now - one.created)]
    who = shortened(words.holders(one, board.me), 120)
    title = escape(shortened(visible_line(f"{one.service.name}: {one.title}"), _LONGEST_TITLE))
    link = own_link(one.url, board.facts)
    named = f'<a href="{escape(link)}" rel="noreferrer noopener">{title}</a>' if link else title
    tone = {"TRIG": "bad" if one.high else "warn", "ACK": "warn"}.get(words.state(row), "quiet")
    mine = ' <span class="mine">YOURS</span>' if row.mine else ""
    neglected = ' <span class="warn">neglected</span>' if row.neglected else ""
    return (
        f'<li><span class="state {tone}">{escape(words.state(row))}</span> {escape(" ".join(fact for fact in facts if fact))} '
        f'<b>{named}</b>{mine}{neglected}<br><span class="quiet">assigned to {escape(who)};</span> '
        f"{_line([words.following(row, now, view.zone, board.me)])}</li>"
    )


def _line(line: Line | Iterable[Piece]) -> str:
    return "".join(f'<span class="{piece.tone}">{escape(piece.words)}</span>' for piece in line)
