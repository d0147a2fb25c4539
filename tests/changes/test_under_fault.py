"""Every change under every fault: at most one request, and the reported outcome is true."""

import httpx
import pytest

from tests.changes.test_carrying_out import service
from tests.changes.world import TOOLS, look, place
from tests.random_bodies import controls_in
from tests.test_every_tool import examples

FAULTS = (
    *("drop before", "drop after", "drop after 100 bytes", "cut after 1 bytes", "html 200", "bomb 2MB", "401", "409", "429"),
    *("500", "large 1MB", "latency 5ms-9ms", "encoding", "nan", "surrogate 500", "escapes", "echo-credential", "forge 402"),
)


@pytest.mark.parametrize(
    ("name", "fault"),
    [("DeletePaymentsCoupon", one) for one in FAULTS]
    + [("DeleteWalletPayDomain", one) for one in ("large 1MB", "bomb 2MB", "drop after")],  # takes several requests
)
async def test_one_request_and_a_true_account(name: str, fault: str) -> None:
    tool = TOOLS[name]
    async with place(faults=[f"{service(tool)} DELETE {fault}"]) as one:
        outcome = await one.carry_out(tool, examples(tool))
        assert one.wire.changes == ["DELETE"], (fault, one.wire.changes)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=one.wire), base_url="http://sandbox") as control:
            assert (await control.delete("/sandbox/faults")).is_success
        seen = await look(one.reads(tool), tool, examples(tool))
        assert outcome.became in (("done", "unknown") if seen.gone else ("refused", "not done", "unknown")), outcome.words
        assert not controls_in(outcome.words)
