"""The board outside of the terminal: who is let in, and that what is served is well-formed and says no more than is known."""

import asyncio
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from registry.doors.cli_oncall import oncall_application
from registry.oncall.account import Account, AccountView, views_of, worst
from registry.oncall.board import board
from registry.oncall.facts import Facts, Read, Trouble
from registry.oncall.formats import MOST_ROWS, openmetrics, page
from registry.oncall.headline import counts_line
from registry.oncall.words import plain
from tests.oncall import openmetrics_grammar
from tests.oncall.watch import ME, NOW, Service, Watch, incident

TOKEN = "a-token-of-a-test-0123"
HOSTILE = "</title></style><script>alert(1)</script><img src=//evil.example onerror=x>\"'&\x1b]0;x\x07\u202e"


def view(facts: Facts, name: str = "eu", now: float = NOW, interval: float = 15.0) -> AccountView:
    return AccountView(name, "live", board(facts, now), interval)


@pytest.fixture(scope="module")
def night() -> Facts:
    async def read() -> Facts:
        async with Watch() as watch:
            await watch.refreshed()
            return watch.refresher.facts

    return asyncio.run(read())


@pytest.fixture(scope="module")
def storm(night: Facts) -> Facts:
    return replace(night, incidents=tuple(replace(one, id=f"{one.id}-{n}") for one in night.incidents for n in range(12)))


def client(views: Sequence[AccountView], host: str = "127.0.0.1:8310", **options: Any) -> httpx.AsyncClient:
    async def made() -> Sequence[AccountView]:
        return views

    application = oncall_application(made, TOKEN, ["127.0.0.1", "localhost", "::1", "Wall.Example."], 8310)
    return httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url=f"http://{host}", **options)


BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    ("host", "let_in"),
    [
        ("127.0.0.1:8310", True), ("LOCALHOST.:1", True), ("[::1]:8310", True), ("wall.example", True),
        ("127.0.0.1.evil.example", False), ("127.0.0.1:x", False), ("", False), ("[::1]evil", False), ("a@evil.x", False),
    ],
)  # fmt: skip
async def test_only_hosts_that_are_allowed(host: str, let_in: bool, night: Facts) -> None:
    async with client([view(night)]) as one:
        response = await one.get("/metrics", headers={**BEARER, "Host": host})
        assert response.status_code == (200 if let_in else 421)
        assert let_in or "TRIG" not in response.text


@pytest.mark.parametrize("path", ["/", "/metrics", "/board.json", "/nothing"])
async def test_nothing_without_the_token_and_nothing_but_reading(path: str, night: Facts) -> None:
    async with client([view(night)]) as one:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}, {"Cookie": "callboard_oncall_8310=x"}):
            response = await one.get(path, headers=headers)
            assert response.status_code == 401
            assert not re.search("Payments|checkout", response.text)
        for wrong in ("", "é", TOKEN[:-1], TOKEN + "x"):
            assert (await one.get(path, params={"token": wrong})).status_code == 401
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            assert (await one.request(method, path, headers=BEARER)).status_code == 405
        for response in (await one.get(path), await one.get(path, headers=BEARER), await one.post(path)):
            assert response.headers["cache-control"] == "no-store"
            assert response.headers["content-security-policy"].startswith("default-src 'none'; ")
            assert response.headers["x-content-type-options"] == "nosniff"
            assert "access-control-allow-origin" not in response.headers


async def test_a_browser_brings_the_token_once(night: Facts) -> None:
    async with client([view(night)]) as one:
        first = await one.get("/", params={"token": TOKEN})
        assert (first.status_code, first.headers["location"]) == (303, "/")
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert TOKEN not in cookie
        assert (await one.get("/")).status_code == 200  # by the cookie
        assert (await one.head("/")).text == ""


class Outline(HTMLParser):
    """What a browser would load, run or follow."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words += data


def outline(text: str) -> Outline:
    found = Outline()
    found.feed(text)
    return found


async def test_the_page_says_what_the_board_says_and_loads_nothing(night: Facts) -> None:
    shown = view(night)
    async with client([shown]) as one:
        response = await one.get("/", headers=BEARER)
    found = outline(response.text)
    assert plain(shown.verdict) in found.words
    assert plain(counts_line(shown.board)) in found.words
    assert "03:14:00 CET" in found.words
    assert ("http-equiv", "refresh") in found.attributes
    assert not {"script", "img", "link", "iframe", "object", "form", "base"} & set(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("src", "style")]
    links = [value for name, value in found.attributes if name == "href"]
    assert len(links) == len(shown.board.rows)
    assert all(link.startswith("https://fernway.incidents.example/incidents/") for link in links)
    style = re.search("<style>(.*?)</style>", response.text, re.DOTALL)
    assert style
    assert b64encode(sha256(style[1].encode()).digest()).decode() in response.headers["content-security-policy"]


async def test_hostile_text_is_only_words() -> None:
    hostile = incident("A", title=HOSTILE, html_url="https://evil.example/incidents/A", urgency=HOSTILE, status="triggered")
    hostile["service"]["summary"] = hostile["assignments"][0]["assignee"]["summary"] = HOSTILE
    hostile["priority"] = {"id": "P", "summary": HOSTILE}
    async with Watch(network=Service(me={**ME, "name": HOSTILE}, incidents=[hostile])) as watch:
        await watch.refreshed()
        shown = view(watch.refresher.facts, name=HOSTILE)
    found = outline(page([shown, shown]))
    assert not {"script", "img"} & set(found.tags)
    assert not [value for name, value in found.attributes if name in ("href", "src", "onerror")]
    assert "<script>alert(1)</script>" in found.words
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", page([shown]))
    assert openmetrics_grammar.parsed(openmetrics([shown]))


def test_the_numbers_are_the_boards(night: Facts, storm: Facts) -> None:
    one, two = view(night), view(storm, 'us\\"\n')
    found = openmetrics_grammar.parsed(openmetrics([one, two]))

    def sample(name: str, account: str, **labels: str) -> float | None:
        return found.get((f"callboard_oncall_{name}", tuple(sorted({"account": account, **labels}.items()))))

    for shown, name in ((one, "eu"), (two, 'us\\\\\\"\\\\n')):
        verdict = shown.board.verdict
        by = {
            (s, u): sample("incidents", name, status=s, urgency=u) or 0
            for s in ("triggered", "acknowledged")
            for u in ("high", "low")
        }
        assert by["triggered", "high"] + by["triggered", "low"] == verdict.triggered
        assert by["triggered", "high"] == verdict.high
        assert by["acknowledged", "high"] + by["acknowledged", "low"] == verdict.acknowledged
        mine = [sample("incidents_mine", name, status=status) or 0 for status in ("triggered", "acknowledged")]
        assert mine == [verdict.mine_triggered, verdict.mine - verdict.mine_triggered]
        assert sample("exit_code", name) == shown.code == 10
        soonest = shown.board.soonest
        assert soonest is not None
        assert sample("next_escalation_seconds", name) == pytest.approx((soonest.next.at or 0) - NOW)
        assert sample("services", name, state="critical") == verdict.states["critical"]


def test_what_is_not_known_has_no_number() -> None:
    failed = Facts(reads={"triggered": Read(trouble=Trouble("500: the service failed", NOW))})
    for facts in (Facts(), failed):
        shown = view(facts)
        found = openmetrics_grammar.parsed(openmetrics([shown]))
        names = {name for name, _ in found}
        assert not {name for name in names if "incidents" in name or "services" in name or "escalation" in name}
        assert not {name for name in names if "levels" in name or "age" in name}
        assert found["callboard_oncall_exit_code", (("account", "eu"),)] == 1
        assert found["callboard_oncall_known", (("account", "eu"), ("part", "incidents"))] == 0
        words = outline(page([shown])).words
        assert "clear" not in words.casefold()
        assert "No open incidents." not in words


def test_the_worst_of_all_decides(night: Facts) -> None:
    well = tuple(replace(one, state="active", last=None) for one in night.services)
    calm = view(replace(night, incidents=(), events=(), services=well), "calm")
    unknown = view(Facts(reads={"triggered": Read(trouble=Trouble("500: the service failed", NOW))}), "unknown")
    away = view(Facts(reads={"triggered": Read(trouble=Trouble("network: refused", NOW, unreached=True))}), "away")
    burning = view(night, "burning")
    assert [one.code for one in (calm, unknown, away, burning)] == [0, 1, 3, 10]
    assert worst([calm, burning, away, unknown]) is burning
    assert worst([calm, away, unknown]) is away
    assert worst([calm, unknown]) is unknown
    words = outline(page([calm, away, unknown])).words
    assert words.index(plain(away.verdict)) < words.index(plain(calm.verdict))
    assert "The worst of 3 accounts: away" in words


def test_a_page_of_a_storm_is_bounded_and_says_so(storm: Facts) -> None:
    text = page([view(storm)])
    assert text.count('class="state') == MOST_ROWS
    assert f"{len(view(storm).board.rows) - MOST_ROWS} more are not shown here" in text
    assert len(text) < 200_000


async def test_accounts_fail_alone() -> None:
    """One answers, one is refused, one breaks in a way that nobody foresaw: each says so, and the others go on."""
    told: list[str] = []
    async with Watch() as well, Watch(network=Service(anything=500, me=500)) as failing:
        call = well.refresher._asking._call
        good = Account("good", "sandbox", call, 15.0, machine=well.clock.now)
        bad = Account("bad", "live", failing.refresher._asking._call, 15.0, machine=failing.clock.now)
        broken = Account("broken", "live", call, 15.0, machine=well.clock.now)

        async def unforeseen() -> None:
            raise KeyError("nobody foresaw this")

        broken.refresher.refresh = unforeseen  # type: ignore[method-assign]

        async def no_wait(_: float) -> None:
            return None

        await asyncio.gather(*(one.keep(None, told.append, no_wait, rounds=2) for one in (good, bad, broken)))
        views = await views_of([good, bad, broken])
    assert [one.code for one in views] == [10, 1, 1]
    assert worst(views).name == "good"
    assert len(told) == 1
    assert "KeyError" in told[0]
    async with client(views) as one:
        values = (await one.get("/board.json", headers=BEARER)).json()
    assert (values["exit_code"], values["worst"]) == (10, "good")
    assert set(values["accounts"]) == {"good", "bad", "broken"}
    assert values["accounts"]["bad"]["board"]["known"] is False
