"""Scenes of a day at the desk: an address that is pasted, a call of before, an id and arguments that are known already."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tests.tui.app import Desk
from tests.tui.test_history import look_back, rows
from tests.tui.test_jumping import jump
from tests.tui.test_out import closed
from tests.tui.test_pick import pick
from tests.tui.test_presets import arguments, as_json, type_into
from tui.explorer.fields.offers import Offers
from tui.explorer.toolkit_tree import ToolkitTree

_CUSTOMER, _ADDRESS = "cus_4R5QLgZDZXPlou", "accounts@ada-romero.example"


async def _calls(one: Desk) -> None:
    """Some calls, one of them in vain."""
    for name, values in (
        ("ListUsers", {}),
        ("RetrieveCustomerDetails", {"customer_id": _CUSTOMER}),
        ("RetrieveInvoiceById", {"invoice_id": "in_1NothingHasThisId"}),
        ("SearchPaymentsCustomers", {"search_query_string": f'email:"{_ADDRESS}"'}),
        ("GetCustomerCards", {"customer_id": _CUSTOMER}),
    ):
        await one.open(name)
        one.screen.form.fill(values)
        await one.run()
    assert one.app.session.history is not None
    one.app.session.history.flush()


async def pasted(one: Desk) -> None:
    """An address, and what can be done with it."""
    await one.type(_ADDRESS)
    await one.until(lambda: one.screen.query_one(ToolkitTree).found)


async def history(one: Desk) -> None:
    """The calls of before."""
    await _calls(one)
    dialog = await look_back(one)
    await one.until(lambda: len(rows(dialog)) == 5)
    await one.press("down")


async def completed(one: Desk) -> None:
    """Customers that were seen, below the line of a customer's id."""
    await one.open("SearchPaymentsCustomers")
    await one.type("created>0")
    await one.run()
    assert one.app.session.history is not None
    one.app.session.history.flush()
    await one.open("GetCustomerPaymentMethods")
    await one.press("f3")
    await one.until(lambda: any(offers.values for offers in one.screen.query(Offers)))
    await one.press("down", "down")


async def picked(one: Desk) -> None:
    """The service's own list."""
    await one.open("GetCustomerPaymentMethods")
    await pick(one)


async def saved(one: Desk) -> None:
    """Arguments under names."""
    await one.open("ListIncidents")
    for name, values in (
        ("open and mine", {"status": "triggered", "since": "-24h"}),
        ("last week, high", {"urgency": "high", "since": "monday 0:00", "until": "now"}),
    ):
        one.screen.form.fill(values)
        await arguments(one)
        await type_into(one, name)
        await closed(one)
    await arguments(one)
    await one.press("down")


async def raw(one: Desk) -> None:
    """The form as JSON, with a mistake in it."""
    await one.open("ListIncidents")
    await as_json(one, '{\n  "status": ["triggered"],\n  "urgencies": "high",\n  "limit": 25\n}\n')
    await one.pilot.pause(0.3)


async def jumping(one: Desk) -> None:
    """A letter at everything."""
    await one.open("ListIncidents")
    await jump(one)


async def own_keys(one: Desk) -> None:
    """The desk of somebody who runs by ^E."""
    await one.open("Whoami")


DESK_SCENES: dict[str, Callable[[Desk], Awaitable[None]]] = {
    "email": pasted,
    "history": history,
    "complete": completed,
    "pick": picked,
    "arguments": saved,
    "raw-json": raw,
    "jump": jumping,
    "own-keys": own_keys,
}
