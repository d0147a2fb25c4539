"""A watch: what is a new version, when it asks again, when it rings, and what it never shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from registry.calling.result import Failure, Result
from registry.doors.cli import main
from registry.doors.cli_watch import follow
from registry.results.jmespath_query.query_error import QueryError
from registry.results.watching.watch import MOST_KEPT, Watch

BUSY = Failure("service", "Too many requests", "Wait.", "Wait 90 s and run it again.", retry_after=90.0)


class Scripted:
    """Answers with these one after the other, and takes note of how long it was waited."""

    def __init__(self, *answers: Any, every: float = 15.0, condition: str = "") -> None:
        self._answers: Iterator[Any] = iter(answers)
        self.waited: list[float] = []
        self.watch = Watch(self._call, lambda: 1_000.0, self._sleep, every=every, condition=condition)

    async def _call(self) -> Result:
        answer = next(self._answers)
        if isinstance(answer, Failure):
            return Result("Tool", "sandbox", 429, failure=answer)
        return Result("Tool", "sandbox", 200, body=json.dumps(answer).encode())

    async def _sleep(self, seconds: float) -> None:
        self.waited.append(seconds)


async def test_only_what_differs_is_a_version_with_its_paths() -> None:
    one = Scripted(
        {"data": [{"id": "a", "status": "open"}]},
        {"data": [{"status": "open", "id": "a"}]},
        {"data": [{"id": "a", "status": "paid"}], "n": 1},
    )
    first, same, third = [await one.watch.next() for _ in range(3)]
    assert first is not None
    assert (first.number, first.changes) == (1, ())
    assert same is None, "the order of members is no difference"
    assert third is not None
    assert third.number == 2
    assert {(each.path, each.kind, each.before, each.after) for each in third.changes} == {
        ("data[0].status", "changed", '"open"', '"paid"'),
        ("n", "added", "", "1"),
    }
    assert [each.number for each in one.watch.versions] == [1, 2]
    assert one.waited == [15.0, 15.0]


async def test_it_waits_as_long_as_the_service_asks_and_tells_a_failure_once() -> None:
    one = Scripted({"a": 1}, BUSY, BUSY, {"a": 1}, {"a": 2}, every=0.1)
    made = [await one.watch.next() for _ in range(5)]
    assert one.waited == [2.0, 90.0, 90.0, 2.0], "never more often than the bound"
    assert [each.failure is not None if each else None for each in made] == [False, True, None, False, False]
    assert made[4] is not None
    assert made[4].changes[0].before == "1", "compared with the last result"


async def test_it_rings_when_the_condition_begins_to_hold() -> None:
    one = Scripted({"n": 0}, {"n": 3}, {"n": 4}, {"n": 0}, {"n": 5}, condition="n > `2`")
    assert [each.rings for _ in range(5) if (each := await one.watch.next())] == [False, True, False, False, True]


async def test_a_condition_that_is_none_is_refused_and_one_that_does_not_fit_is_told() -> None:
    with pytest.raises(QueryError):
        Scripted(condition="n >")
    one = Scripted({"n": {"a": 1}}, condition="length(missing)")
    first = await one.watch.next()
    assert first is not None
    assert "invalid condition" in first.notice


async def test_versions_are_bounded_and_secrets_are_masked() -> None:
    one = Scripted(*({"n": n, "client_secret": f"pi_secret_Marked{n}"} for n in range(MOST_KEPT + 5)))
    for _ in range(MOST_KEPT + 5):
        await one.watch.next()
    assert len(one.watch.versions) == MOST_KEPT
    assert b"Marked" not in b"".join(each.body for each in one.watch.versions)
    assert all("Marked" not in change.after for each in one.watch.versions for change in each.changes)


async def test_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    one = Scripted({"a": 1}, {"a": 2, "b": "\x1b[31m"}, BUSY, condition="a == `2`")
    assert await follow(one.watch, rounds=3, as_json=False, bell=True) == 1
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert "version 1: first result" in lines[0]
    assert "version 2: 2 changes  RINGS: the condition is true" in lines[1]
    assert "  ~ a  1 → 2" in lines
    assert "FAILED  Too many requests" in lines[-1]
    assert "\x1b" not in out
    assert err.startswith("\acallboard: Too many requests\n"), "the bell, and at the end why the last call failed"


async def test_a_service_that_is_not_reached_ends_it_with_the_code_of_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    down = Failure("connection", "Not reached", "Nobody listens at 127.0.0.1.", "Check the address.")
    one = Scripted({"a": 1}, down)
    assert await follow(one.watch, rounds=2, as_json=True, bell=False) == 3
    out, err = capsys.readouterr()
    assert json.loads(out.splitlines()[1])["failure"]["title"] == "Not reached"
    assert "Check the address." in err


def test_the_command_on_the_sandbox(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "Whoami", "--rounds", "1", "--json"]) == 0
    version = json.loads(capsys.readouterr().out)
    assert (version["version"], version["changes"], version["result"]["user"]["email"][-8:]) == (1, [], ".example")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["DeletePaymentsCoupon", "--coupon-id", "X"], "only read-only tools can be watched"),
        (["Whoami", "--ring", "a >"], "--ring: "),
        (["GetIncident"], "--incident-id is required"),
    ],
)
def test_what_cannot_be_watched(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = main(["watch", *words, "--rounds", "1"])
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert said in capsys.readouterr().err
