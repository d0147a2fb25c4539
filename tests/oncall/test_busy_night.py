"""The busy night on a clock that the test moves: every statement of verdict, clocks and levels, to the second."""

from zoneinfo import ZoneInfo

from registry.oncall.board import Board
from registry.oncall.clocks import DUE
from registry.oncall.duties import OnCallPolicy
from registry.oncall.words import called, following, level_line, next_clock, next_words, plain, state
from tests.oncall.watch import NOW, Watch, titled

BERLIN = ZoneInfo("Europe/Berlin")


def names(row_or_people: object) -> list[str]:
    return [ref.name for ref in row_or_people]  # type: ignore[attr-defined]


def on_call(made: Board, name: str) -> OnCallPolicy:
    (found,) = [one for one in made.policies if one.policy.name == name]
    return found


async def test_the_escalation_that_is_nearest() -> None:
    """48 seconds to go, "due, checking" at zero, and the next level only once the service says so."""
    async with Watch() as watch:
        row = titled(await watch.refreshed(), "5xx rate")
        me = watch.board().mine.me
        assert me is not None

        def said() -> str:
            return following(row, watch.clock.now(), BERLIN, me.id).words

        assert (row.levels, row.mine, state(row)) == ((1,), True, "TRIG")
        assert said() == "→ L2 Dana Wu in 0:48"
        assert (next_clock(row, NOW), next_words(row, me.id)) == ("0:48", "→ L2 Dana Wu")
        told = plain(called(row, BERLIN, me.id))
        assert told == "notified (CET): you push 03:09, phone 03:11; not acknowledged yet"
        watch.clock.advance(47)
        assert said() == "→ L2 Dana Wu in 0:01"
        watch.clock.advance(1)
        assert said() == f"→ L2 Dana Wu {DUE}"
        assert titled(watch.board(), "5xx rate").levels == (1,)
        row = titled(await watch.after(48), "5xx rate")
        assert (row.levels, row.mine) == ((2,), False)
        assert said() == "→ L3 Dana Wu in 10m00s"
        assert "none yours" in watch.verdict()


async def test_each_kind_of_open_incident() -> None:
    async with Watch() as watch:
        made = await watch.refreshed()

        def told(words: str) -> tuple[str, str, bool, str]:
            row = titled(made, words)
            levels = "/".join(map(str, row.levels))
            return state(row), levels, row.neglected, following(row, NOW, BERLIN, "").words

        assert told("p99 latency") == ("TRIG", "2", False, "→ L3 Dana Wu in 2m00s")
        assert told("Replica lag") == ("ACK", "1", False, "ack times out in 8m00s")
        assert told("502s from upstream") == ("TRIG", "2", False, "→ L3 Noor Haddad in 8m00s")
        assert told("TLS handshake") == ("TRIG", "3", True, "nobody left to page")
        assert told("Stock feed silent") == ("TRIG", "2", True, "nobody left to page")
        assert told("Disk 80 %") == ("TRIG", "", True, "assigned directly: does not escalate")
        assert told("Nightly settlement") == ("TRIG", "2", False, "→ nobody left in 23m00s")
        assert told("Index is 6 h") == ("SNZD", "1", False, "snoozed until 06:34 CET (3h20m)")
        assert told("Checkout button") == ("ACK", "2", True, "no ack timeout")
        assert told("Category images") == ("TRIG", "2", False, "high urgency from 09:00 CET (in 5h46m)")
        bounced = "→ L2 one of Amara Okafor, Ivo Petrov, Lucía Ferrer in 3m00s"
        assert told("Bounce rate") == ("TRIG", "1", False, bounced)
        assert [row.neglected for row in made.rows].count(True) == 5
        assert (made.verdict.snoozed, made.verdict.mine) == (2, 1)


async def test_the_ladder() -> None:
    async with Watch() as watch:
        made = await watch.refreshed()
        assert [one.policy.name for one in made.policies] == [
            "Data", "Help desk", "Major incident bridge", "Month end", "Payments", "Platform", "Web",
        ]  # fmt: skip
        web = on_call(made, "Web")
        assert web.uncovered == (1, 3)
        assert [plain(level_line(one, NOW, BERLIN, "")) for one in web.levels] == [
            "L1 NOBODY until 09:00 CET",
            "L2 Freya Lind, Tomáš Novák always",
            "L3 NOBODY",
        ]
        assert plain(level_line(on_call(made, "Month end").levels[0], NOW, BERLIN, "")) == "L1 Oskar Berg no end time"
        payments = [
            plain(level_line(one, NOW, BERLIN, made.mine.me.id if made.mine.me else ""))
            for one in on_call(made, "Payments").levels
        ]
        assert payments == [
            "L1 you until 09:00 CET (5h46m), then Mei Tan",
            "L2 Dana Wu until 03:26 CET (12m), then Mei Tan",
            "L3 Dana Wu always",
            "L4 Zoé Martin always",
        ]
