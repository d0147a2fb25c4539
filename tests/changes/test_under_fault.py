"""Every change under every fault: at most one request, and the reported outcome is true."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.changes.test_carrying_out import service
from tests.changes.world import TOOLS, look, place
from tests.random_bodies import controls_in
from tests.test_every_tool import examples

FAULTS = (
    *("drop before", "drop after", "drop after 100 bytes", "cut", "cut after 1 bytes", "html", "html 200", "bomb 2MB"),
    *("401", "409", "429", "429 bare", "500", "503", "large 1MB", "latency 5ms-9ms", "trickle 1ms"),
    *("encoding", "encoding utf-32 500", "nan", "nan 409", "surrogate", "surrogate 500", "escapes", "escapes utf-16 402"),
    *("echo-credential", "echo-credential utf-16 401", "forge", "forge 402", "forge 409"),
)
COUPON = TOOLS["DeletePaymentsCoupon"]


async def _one_request_and_a_true_account(tool: Any, fault: str) -> None:
    async with place(faults=[f"{service(tool)} DELETE {fault}"]) as one:
        outcome = await one.carry_out(tool, examples(tool))
        assert one.wire.changes == ["DELETE"], (fault, one.wire.changes)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=one.wire), base_url="http://sandbox") as control:
            assert (await control.delete("/sandbox/faults")).is_success
        seen = await look(one.reads(tool), tool, examples(tool))
        assert outcome.became in (("done", "unknown") if seen.gone else ("refused", "not done", "unknown")), (
            fault,
            outcome.words,
        )
        assert not controls_in(outcome.words)
        assert outcome.words.startswith("callboard:") is False
        assert json.dumps(outcome.words).isascii() or "\n" not in outcome.words


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_deletion(fault: str) -> None:
    await _one_request_and_a_true_account(COUPON, fault)


@pytest.mark.parametrize("fault", ["large 1MB", "bomb 2MB", "drop after"])
async def test_a_deletion_that_takes_several_requests(fault: str) -> None:
    await _one_request_and_a_true_account(TOOLS["DeleteWalletPayDomain"], fault)
