"""Line mode: every line is printed once and stays; questions name field, kind and error; changes need a clear yes."""

import asyncio
import json
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from msgspec.structs import replace as with_fields
from starlette.types import ASGIApp, Receive, Scope, Send

from registry.accounts.connection import Mode
from registry.doors.line_mode.asking import field_lines, item_lines
from registry.doors.line_mode.session import AT_ONCE, LineSession
from registry.sandbox.server import application
from registry.saved.store import read_file, usual_store
from tests.changes.world import CATALOG, Counting
from tests.doors.test_cli_saved import COUPON
from tests.hostile import forbidden_in_output
from tests.opened import opened
from tui.state.settings import wants_lines

ADA = "cus_4R5QLgZDZXPlou"


class Talk:
    """A conversation: what is typed, and everything that is printed."""

    def __init__(self, mode: Mode, app: ASGIApp | None = None) -> None:
        self.typed: list[str] = []
        self.said: list[str] = []
        self.commands: list[Sequence[str]] = []
        self.wire = Counting(app or application(limits=False))
        self.engine = opened(sandbox=lambda: self.wire)
        plain = self.engine.connections["sandbox"]
        endpoints = {name: replace(one, mode=mode) for name, one in plain.endpoints.items()}
        self.engine._found = ({"sandbox": with_fields(plain, endpoints=endpoints)}, "")

    def ask(self, prompt: str, hidden: bool) -> str:
        if not self.typed:
            raise EOFError
        self.said.append(prompt + self.typed[0])
        return self.typed.pop(0)

    def command(self, words: Sequence[str]) -> int:
        self.commands.append(words)
        return 0


@contextmanager
def talking(mode: Mode = "sandbox", app: ASGIApp | None = None) -> Iterator[tuple[Talk, LineSession]]:
    talk = Talk(mode, app)
    with asyncio.Runner() as runner:
        yield talk, LineSession(talk.engine, runner, talk.ask, talk.said.append, talk.command)
        runner.run(talk.engine.aclose())


def after(talk: Talk, session: LineSession, *lines: str) -> str:
    """What is printed after some lines were typed."""
    talk.said.clear()
    talk.typed = list(lines)
    assert session.run() == 0
    text = "\n".join(talk.said)
    assert not forbidden_in_output(text.encode())
    assert not set("│─┌┐└┘╭╮╰╯▌⠋⠙") & set(text), "no boxes and no spinners"
    return text


def test_find_choose_read_and_go_on() -> None:
    with talking() as (talk, session):
        text = after(talk, session, "past due", "1")
        assert "1. Subscriptions that are past due. SearchPaymentsSubscriptions" in text
        asked = '\nsearch_query_string: status:"past_due"\nexpand_fields: data.customer\nRunning.\n'
        assert f"{asked}1 past due subscription.\n1. status past_due, customer Padaria Aurora Ltda" in text
        text = after(talk, session, "1", *[""] * 6, "again")
        assert "\nstatus: past_due\n" in text
        assert "Not set: application" in text
        assert text.count("\nid: sub_") == 2, "again begins at the beginning"
        text = after(talk, session, "page")
        assert "Loading.\n" in text
        assert "Padaria Aurora Ltda" in text
        assert "Press Enter to go on." in text
        text = after(talk, session, "json", "99", "next")
        assert '"object": "subscription"' in text
        assert "Error: no item 99. Type 1 to" in text
        assert "There is no next page." in text

        text = after(talk, session, "open PaymentsSearchCharges", "created>0", "result_limit", "3", "", "next", "previous")
        assert text.count("More items follow: type next.") == 2
        assert text.endswith("There is no previous page."), "a search goes forward only"
        assert "\n3. " in text
        assert "amount" in text

        text = after(talk, session, "history --most 1", "help", "no such thing at all")
        assert talk.commands == [["history", "--most", "1"]]
        assert "find something: past due, failed payments yesterday, accounts@ada-romero.example." in text
        assert "Type a number to choose from the last list." in text


def test_a_field_says_what_it_is_and_what_is_wrong() -> None:
    with talking() as (talk, session):
        text = after(
            talk, session, "open GetCustomerCards", "", ADA, "card_retrieval_limit", "999", "2", "fields", "nonsense", "cancel"
        )
        assert (
            "customer_id, id of customer, required, not set: \nError: customer_id is required. Type a value, or cancel." in text
        )
        assert "card_retrieval_limit, integer, optional" in text
        assert "Error: card_retrieval_limit must be a whole number from 1 to 100; got 999." in text
        assert "Error: nonsense is not a parameter of GetCustomerCards" in text
        assert text.endswith("Cancelled.")
        assert talk.wire.seen == []


def test_a_change_is_read_out_and_asked_for() -> None:
    with talking() as (talk, session):
        text = after(talk, session, "open DeletePaymentsCoupon", "PARTNER15", "")
        assert "Checking.\nDelete a coupon PARTNER15, sandbox.\nname: Partner discount" in text
        assert "Warning: Cannot be undone." in text
        assert "Nothing was sent." in text
        assert talk.wire.changes == []
        assert "Nothing was sent." in after(talk, session, "open DeletePaymentsCoupon", "PARTNER15", "y")
        after(talk, session, "open DeletePaymentsCoupon", "PARTNER15", "yes")
        assert talk.wire.changes == ["DELETE"]
        text = after(talk, session, "open DeletePaymentsCoupon", "PARTNER15", "yes")
        assert "Not possible: Not found: already deleted" in text
        assert talk.wire.changes == ["DELETE"]

        usual_store(CATALOG).save(read_file(json.dumps(COUPON).encode(), CATALOG))
        text = after(talk, session, "run Delete a coupon", "FRIENDS10", "yes", "run nothing", "account nowhere", "account")
        assert "coupon, string, required, not set: FRIENDS10" in text
        assert "done.\ncoupon: done.\ngone: done.\nname: " in text
        assert "Error: No saved call “nothing”" in text
        assert "Error: unknown account nowhere. Accounts: sandbox." in text
        assert talk.wire.changes == ["DELETE", "DELETE"]


def test_live_data_changes_only_after_it_was_allowed_and_the_id_was_typed() -> None:
    with talking(mode="live") as (talk, session):
        text = after(talk, session, "open DeletePaymentsCoupon", "PARTNER15", "no")
        assert "Type sandbox to allow changes for 15 minutes, or press Enter to cancel: no\nNothing was sent." in text
        text = after(talk, session, "open DeletePaymentsCoupon", "PARTNER15", "sandbox", "yes")
        assert "Type PARTNER15 to confirm" in text
        assert talk.wire.changes == []
        after(talk, session, "open DeletePaymentsCoupon", "PARTNER15", "PARTNER15")
        assert talk.wire.changes == ["DELETE"]


def test_ctrl_c_settles_a_change_and_drops_a_read_and_the_conversation_goes_on() -> None:
    service, blocked = application(limits=False), {"DELETE"}

    async def interrupted(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in blocked:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.Event().wait()
        await service(scope, receive, send)

    with talking(app=interrupted) as (talk, session):
        text = after(talk, session, "open DeletePaymentsCoupon", "PARTNER15", "yes", "open GetCouponDetails", "PARTNER15", "")
        assert "Error: Stopped." in text
        assert "\nname: Partner discount\n" in text.split("Error: Stopped.")[1], "it is still there"
        blocked.add("GET")
        assert after(talk, session, "open GetCouponDetails", "PARTNER15", "").endswith("Running.\nStopped.")
        blocked.clear()
        assert "Coupon PARTNER15 is deleted." in after(talk, session, "open DeletePaymentsCoupon", "PARTNER15", "yes")


def test_results_from_outside_are_read_out_safely() -> None:
    hostile = {"id": "a\u001b[31mb", "n": None, "deep": {"x": [{"y": "1\n2"}]}, "secret": {"client_secret": "pi_1_secret_2"}}
    lines = field_lines(json.dumps(hostile).encode(), 0.0)
    assert not forbidden_in_output("".join(lines).encode())
    assert "Not set: n" in lines
    assert any(line.startswith("deep.x 1.y: ") for line in lines)
    assert not any("pi_1_secret_2" in line for line in lines)
    assert all("\u001b" not in line for line in item_lines([json.dumps(hostile).encode()]))
    assert AT_ONCE <= 24, "what is printed at once fits a screen"


def test_who_gets_line_mode(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    here = {"CALLBOARD_CONFIG": str(file)}
    assert not wants_lines(here)
    for text, wanted in [
        ("[look]\nscreen_reader = true\n", True),
        ("screen_reader = true\n", False),
        ("screen_reader = [[[", False),
    ]:
        file.write_text(text)
        assert wants_lines(here) is wanted, text
    file.write_bytes(b"screen_reader\xff")
    assert not wants_lines(here)
    assert wants_lines({**here, "CALLBOARD_SCREEN_READER": "1"})
    assert wants_lines({**here, "TERM": "dumb"})
