"""The form: fields that fit, errors while typing, the request below, drafts."""

from collections.abc import Iterable

import pytest
from textual.widgets import Button, Collapsible, Input, Static

from registry.catalog.model import Tool
from tests.sampled import further
from tests.tui.app import Desk, desk, noted
from tui.explorer.fields.field import Field
from tui.explorer.fields.make import ChoiceField
from tui.explorer.fields.text import TextField
from tui.widgets.texts import Options


def field(one: Desk, name: str) -> Field:
    return next(field for field in one.screen.form.query(Field) if field.parameter.name == name)


def raw(field: Field) -> object:
    """What is typed into a field, or None; read anew each time, which a type checker does not expect of an attribute."""
    return field.raw


def error(one: Desk, name: str) -> str:
    return noted(field(one, name), "error")


def request(one: Desk) -> str:
    return str(one.screen.form.query_one("#request").render())


def state(one: Desk) -> str:
    return str(one.screen.form.query_one("#state", Static).render())


def with_each_kind_of_parameter(tools: Iterable[Tool]) -> list[Tool]:
    """The first tools that have between them each kind of parameter."""
    chosen, seen = list[Tool](), set[object]()
    for tool in tools:
        kinds = {(one.type, bool(one.enum), one.role, one.place, one.required) for one in tool.parameters}
        if not kinds <= seen:
            chosen.append(tool)
            seen |= kinds
    return chosen


@pytest.mark.parametrize("every", [False, *further(True)])
async def test_every_tool_has_a_form(every: bool) -> None:
    async with desk() as one:
        tools = [*one.app.session.catalog.tools.values()]
        sample = with_each_kind_of_parameter(tools)
        assert len(sample) > 10
        for tool in tools if every else sample:
            await one.screen.form.open(tool)
            fields = list(one.screen.form.query(Field))
            names = [one_field.parameter.name for one_field in fields]
            assert names == sorted((parameter.name for parameter in tool.parameters), key=names.index)
            for one_field in fields:
                parameter = one_field.parameter
                expected = ChoiceField if parameter.type == "boolean" or parameter.enum else TextField
                assert isinstance(one_field, expected)
            secrets = [one_field for one_field in fields if one_field.parameter.role == "secret"]
            assert all(one_field.query_one(Input).password for one_field in secrets)


async def test_the_fields_of_a_form_and_its_request() -> None:
    async with desk() as one:
        await one.open("GetCustomerCards")
        assert request(one) == "GET http://sandbox.callboard\n/payments/v1/customers/{customer}/cards?limit=10"
        assert state(one) == "required: customer_id"
        assert error(one, "customer_id") == ""
        await one.press("f5")
        assert error(one, "customer_id") == "✗ is required"
        assert one.screen.result.result is None
        await one.type("cus_1")
        assert request(one).endswith("/customers/cus_1/cards?limit=10")
        assert state(one) == "ready"

        await one.open("GetBillingMeterEventSummaries")
        names = [one_field.parameter.name for one_field in one.screen.form.query(Field)]
        assert names[:4] == ["customer_id", "meter_id", "start_time_timestamp", "stop_aggregating_until"]
        assert names[4] == "granularity_for_event_summaries"
        paging = one.screen.form.query_one(Collapsible)
        assert paging.collapsed
        assert {one_field.parameter.name for one_field in paging.query(Field)} == set(names[5:])
        assert one.app.focused is field(one, "customer_id").query_one(Input)

        await one.open("ListIncidents")
        field(one, "limit").focus_editor()
        await one.type("99")
        assert error(one, "limit") == "✗ must be a whole number from 1 to 50; got 99"
        assert field(one, "limit").has_class("-wrong")
        assert state(one) == "1 invalid"
        await one.press("backspace")
        assert error(one, "limit") == ""
        assert state(one) == "ready"

        await one.open("ListIncidents")
        teams = field(one, "team_ids")
        teams.focus_editor()
        await one.type("A, B")
        assert teams.raw == ["A", "B"]
        assert "team_ids%5B%5D=A&team_ids%5B%5D=B" in request(one)
        await one.open("ListSchedules")
        zone = field(one, "time_zone").query_one(Input)
        zone.focus()
        await one.type("europe/berl")
        await one.until(lambda: zone._suggestion, "the completion")
        await one.press("right")
        assert "time_zone=Europe/Berlin" in request(one)

        await one.open("ListLogEntries")
        choice = field(one, "is_overview")
        assert isinstance(choice, ChoiceField)
        choice.focus_editor()
        assert raw(choice) is None
        assert "is_overview=true" in request(one)
        await one.press("right")
        assert raw(choice) == "true"
        await one.press("n")
        assert raw(choice) == "false"
        assert "is_overview=false" in request(one)
        await one.press("delete")
        assert raw(choice) is None
        # An answer's arguments are typed, and fill the form as what was typed does.
        one.screen.form.fill({"is_overview": True})
        assert choice.raw == "true"
        one.screen.form.fill({})
        assert "not set: yes" in str(choice.query_one(Options).render())

        await one.open("RetrieveCustomerDetails")
        place = field(one, "customer_id")
        place.focus_editor()
        await one.type("mtr_MZmU15CXrf6qnYBFqiMhwNi1")
        assert "looks like the id of another type (billing meter); expected: customer" in noted(place, "reading")
        assert place.has_class("-advised")
        assert not place.has_class("-wrong")
        assert "/v1/customers/mtr_" in request(one)
        place.raw = "cus_4R5QLgZDZXPlou"
        await one.pilot.pause()
        assert not place.has_class("-advised")

        await one.open("DeletePaymentsCustomer")
        facts = str(one.screen.form.query_one(".facts", Static).render())
        assert "× deletes" in facts
        assert "Cannot be undone." in facts
        assert one.screen.form.query_one("#run", Button).has_class("-danger")

        await one.open("RetrievePaymentIntentDetails")
        await one.type("pi_1")
        field(one, "payment_intent_client_secret").focus_editor()
        await one.type("MARKED")
        assert "client_secret=••••••••" in request(one)
        assert "MARKED" not in one.app.export_screenshot()


async def test_drafts_stay_with_their_tool_and_coming_back_is_coming_back_to_the_field() -> None:
    async with desk() as one:
        await one.open("GetCustomerCards")
        await one.type("cus_1")
        field(one, "card_retrieval_limit").raw = "25"
        await one.pilot.pause()
        await one.open("GetIncident")
        await one.type("Q1")
        await one.open("GetCustomerCards")
        assert field(one, "customer_id").raw == "cus_1"
        assert field(one, "card_retrieval_limit").raw == "25"
        assert one.screen.form.query_one(Collapsible).title == "Paging and expand · card_retrieval_limit 25"
        assert request(one).endswith("/customers/cus_1/cards?limit=25")
        await one.press("ctrl+l")
        assert one.screen.form.raw == {}
        await one.open("GetIncident")
        assert field(one, "incident_id").raw == "Q1"

        await one.open("GetCustomerCards")
        await one.type("cus_1")
        await one.press("f2", "f3")
        await one.type("2")
        assert one.screen.form.raw == {"customer_id": "cus_12"}
        # Another tool has nothing to come back to.
        await one.open("ListTeams")
        await one.open("GetCustomerCards")
        # Nor does a filled form have anything that is missing: it starts at its first required field, whose text is selected.
        await one.type("cus_3")
        assert one.screen.form.raw == {"customer_id": "cus_3"}
