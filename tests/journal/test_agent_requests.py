"""Changes that agents want, where processes meet over them: the first answer counts, once, and nothing outlives its process."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from registry.journal.agent_requests import AgentAnswer, AgentRequests, RequestedChange
from registry.journal.store import JournalError
from tests.terminal import ROOT

CHANGE = RequestedChange(
    at=0.0,
    client="support-desk 1",
    tool="DeletePaymentsCoupon",
    effect="delete",
    summary="Delete a coupon",
    subject="PARTNER15",
    account="Sandbox",
    mode="sandbox",
    reason="The\x1b[31m partner left.",
    names=("PARTNER15",),
    final=True,
    sure=True,
    found=(("fact", "name", "Partner\u202e discount"),),
    method="DELETE",
    url="http://sandbox/v1/coupons/PARTNER15",
    body="one\ntwo\x07",
)
YES, NO = AgentAnswer(allowed=True), AgentAnswer(allowed=False)


class Both:
    """A door and an explorer on one home, with a clock of their own."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "callboard" / "agents.db"
        self.now = 1_000.0
        self.door, self.explorer = (AgentRequests(self.file, lambda: self.now) for _ in range(2))

    def ask(self, call: str = "a call", digest: str = "its findings") -> int:
        number = self.door.post(CHANGE, call, digest, 300.0, lambda text: text.replace(b"sk_live_1", b"***"))
        assert number is not None
        return number


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    one = Both(tmp_path)
    yield one
    one.door.close()
    one.explorer.close()


def test_what_is_over_takes_no_answer(both: Both) -> None:
    late = both.ask()
    both.now += 301
    assert both.explorer.waiting() == []
    assert not both.explorer.answer(late, YES)
    answered = both.ask()
    assert both.explorer.answer(answered, YES)
    both.now += 301
    assert not both.door.peek(answered), "an answer lasts no longer than its question"
    assert both.door.end(answered) is None
    gone = both.ask()
    both.door.close()
    assert both.explorer.waiting() == [], "nobody waits for it any more"
    assert not both.explorer.answer(gone, YES)


def test_the_same_question_is_put_down_once_and_other_findings_replace_it(both: Both) -> None:
    first = both.ask()
    assert both.ask() == first
    assert both.explorer.answer(first, YES)
    other = both.ask(digest="other findings")
    assert other != first
    assert [one.id for one in both.explorer.waiting()] == [other]
    assert both.door.end(first) is None, "agreed to what is no more"
    numbers = [both.ask(call=str(place)) for place in range(19)]
    assert len({*numbers, other}) == 20
    assert both.door.post(CHANGE, "one more", "", 300.0, bytes) is None, "more than anybody reads"


def test_credentials_are_hidden_and_a_file_that_cannot_be_read_is_told(both: Both) -> None:
    both.door.post(replace(CHANGE, reason="with sk_live_1"), "", "", 300.0, lambda text: text.replace(b"sk_live_1", b"***"))
    assert both.explorer.waiting()[0].change.reason == "with ***"
    assert b"sk_live_1" not in both.file.read_bytes()
    both.file.write_bytes(b"no database at all" * 100)
    with pytest.raises(JournalError, match=r"agents\.db"):
        both.explorer.waiting()


def test_a_door_that_was_killed_waits_for_nothing(both: Both) -> None:
    program = (
        "import sys, os, signal; from pathlib import Path; from tests.journal.test_agent_requests import *\n"
        "one = AgentRequests(Path(sys.argv[1])); one.attend()\n"
        "print(one.post(CHANGE, '', '', 300.0, bytes), flush=True); sys.stdin.read(1); os.kill(os.getpid(), signal.SIGKILL)"
    )
    command = [sys.executable, "-c", program, str(both.file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=ROOT, text=True) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        number = int(other.stdout.readline())
        assert both.door.attended()
        assert [one.id for one in both.explorer.waiting()] == [number]
        other.stdin.write("x")
        other.stdin.flush()
        other.wait(timeout=30)
    assert not both.door.attended()
    assert both.explorer.waiting() == []
    assert not both.explorer.answer(number, YES)
    assert both.ask() == number + 1


def test_a_question_is_shown_and_answered_once(both: Both) -> None:
    assert both.explorer.waiting() == []
    assert not both.file.exists(), "who only looks makes no file"
    number = both.ask()
    (request,) = both.explorer.waiting()
    assert (request.id, request.until) == (number, 1_300.0)
    assert request.change == replace(
        CHANGE,
        reason="The\\u001b[31m partner left.",
        found=(("fact", "name", "Partner\\u202e discount"),),
        body="one\ntwo\\u0007",
    )
    assert not both.door.peek(number)
    assert both.explorer.answer(number, AgentAnswer(allowed=True, typed="PARTNER15"))
    assert not both.explorer.answer(number, NO), "one answer"
    assert both.explorer.waiting() == []
    assert both.door.peek(number)
    assert both.door.end(number) == AgentAnswer(allowed=True, typed="PARTNER15")
    assert both.door.end(number) is None, "it counts once"
    assert not both.explorer.answer(number, YES), "it is over"
