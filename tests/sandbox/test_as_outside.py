"""What clients notice besides the objects: credentials that fail, versions, headers, dates, operations that are missing."""

from email.utils import parsedate_to_datetime

import httpx
import pytest

from registry.sandbox.checked_ports import CheckedPorts
from registry.sandbox.payments.service import SHAPES
from registry.sandbox.server import application

NOW, PORT = 1_780_000_000, 4321
PLACES = {
    "payments": "/payments/v1/quotes?limit=1",
    "incidents": "/incidents/teams?limit=1",
    "crm": "/crm/settings/v3/users/?limit=1",
}


@pytest.fixture(scope="module")
def door() -> CheckedPorts:
    return CheckedPorts(application(now=NOW), {PORT: ""})


async def ask(door: CheckedPorts, place: str, token: str = "sk_test_1", method: str = "GET", **headers: str) -> httpx.Response:
    base = f"http://127.0.0.1:{PORT}"
    async with httpx.AsyncClient(transport=httpx.ASGITransport(door), base_url=base) as client:
        return await client.request(method, place, headers={"Authorization": f"Bearer {token}", **headers})


async def test_one_version_is_spoken_and_others_are_noted(door: CheckedPorts) -> None:
    own = await ask(door, PLACES["payments"])
    assert (own.headers["stripe-version"], "sandbox-note" in own.headers) == (SHAPES, False)
    other = await ask(door, PLACES["payments"], **{"Stripe-Version": "2020-08-27"})
    assert (other.status_code, other.headers["stripe-version"]) == (200, SHAPES)
    assert SHAPES in other.headers["sandbox-note"]


async def test_the_date_moves_with_the_clock() -> None:
    door = CheckedPorts(application(now=NOW), {PORT: ""})
    for moved in (0, 86_400):
        for place in (*PLACES.values(), "/sandbox/clock", "/nothing"):
            dates = (await ask(door, place)).headers.get_list("date")
            assert [parsedate_to_datetime(one).timestamp() for one in dates] == [NOW + moved], place
        async with httpx.AsyncClient(transport=httpx.ASGITransport(door), base_url=f"http://127.0.0.1:{PORT}") as client:
            await client.post("/sandbox/clock", json={"advance": 86_400})
