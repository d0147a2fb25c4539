"""A playbook as fields, and back."""

from __future__ import annotations

from registry.playbooks.checking import problems_of
from registry.playbooks.editing import edited, fields_of, without_step
from registry.playbooks.playbook import Input, Playbook, Step
from tests.changes.world import CATALOG

ADA = "cus_4R5QLgZDZXPlou"
TWO = Playbook(
    "Two",
    (
        Step("customer", "RetrieveCustomerDetails", {"customer_id": ADA}),
        Step("invoices", "SearchPaymentsInvoices", {"search_query_string": 'customer:"{@customer.id}"', "result_limit": 3}),
    ),
    (),
    {"first": "{@invoices.data[0].id}"},
)


def test_fields_that_nobody_touched_change_nothing() -> None:
    fields = {field.place: field.text for field in fields_of(TWO)}
    assert fields["steps.invoices.result_limit"] == "3"
    assert edited(TWO, fields, CATALOG) == TWO


def test_a_constant_becomes_an_input_and_a_new_argument_and_output_are_added() -> None:
    changed = edited(
        TWO,
        {
            "name": " Renamed ",
            "steps.customer.customer_id": "{client}",
            "steps.invoices.result_limit": "",
            "steps.invoices.+": 'expand: ["data.customer"]',
            "outputs.+": "who: {@customer.name}",
            "outputs.first": "",
        },
        CATALOG,
    )
    assert changed.name == "Renamed"
    assert changed.inputs == (Input("client", object_type="customer"),)
    assert "result_limit" not in changed.steps[1].arguments
    assert changed.outputs == {"who": "{@customer.name}"}
    assert "{client}" in {field.text for field in fields_of(changed)}
    again = edited(changed, {"inputs.client": ADA}, CATALOG)
    assert again.inputs[0].default == ADA
    constant = edited(again, {"steps.customer.customer_id": ADA}, CATALOG)
    assert constant.inputs == (), "an input that nothing uses is gone"


def test_a_step_without_which_others_cannot_be_is_told() -> None:
    alone = without_step(TWO, "customer", CATALOG)
    assert [step.id for step in alone.steps] == ["invoices"]
    (problem,) = problems_of(alone, CATALOG)
    assert "refers to {@customer.id}, but the step “customer” does not exist" in problem.message
