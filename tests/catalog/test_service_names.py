"""The check that no product code names a service: it finds names, and nothing else. `make check` runs it over the product."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.catalog.folders import BUILT_IN
from tests.tools.service_fields import Fields
from tests.tools.service_names import Names

ROOT = Path(__file__).parent.parent.parent
NAMES = Names(BUILT_IN)
FIELDS = Fields(BUILT_IN)


@pytest.mark.parametrize(
    "code",
    [
        'endpoint("PaymentsApi")',
        'if tool.toolkit == "Incidents": pass',
        'found["payments"]',
        'connections(os.environ)["crm"]',
        'session.connections.get("incidents")',
        '"crm" in found',
        'if name == "payments": pass',
        'os.environ["CRM_ACCESS_TOKEN"]',
        "# set INCIDENTS_BASE_URL",
        '"https://api.stripe.com"',
        'headers.get("x-hubspot-correlation-id")',
        'accept = "application/vnd.pagerduty+json"',
        'users = "CRM_USERS_PATH"',
    ],
)
def test_names_are_found(code: str) -> None:
    assert len(list(NAMES.in_file(code))) >= 1


@pytest.mark.parametrize(
    "code",
    [
        'losses.get("payments")',
        'facts.panel("incidents")',
        '"the incidents of the last hour"',
        'title = "Incidents"',
        'yield Heading("Incidents")',
        'found["sandbox"]',
        "PAYMENTS = 3",
        'headers.get("request-id")',
    ],
)
def test_other_words_are_left_alone(code: str) -> None:
    assert list(NAMES.in_file(code)) == []


@pytest.mark.parametrize(
    ("code", "field"),
    [
        ('FACTS = ("name", "times_redeemed")', "times_redeemed"),
        ('"percent_off" in members', "percent_off"),
        ('values.get("superAdmin")', "superAdmin"),
        ('about = ("bank_name",)', "bank_name"),
        ('moments = {"frozen_time": 1}', "frozen_time"),
        ('whom = "customer_name"', "customer_name"),
        ('column = ("user", "billing_details")', "billing_details"),
        ('states = ["escalation_level"]', "escalation_level"),
        (r're.compile(r"(?:created|invoice_settings)")', "invoice_settings"),
        ('HELP = "paste an id, such as cus_4R5QLgZDZXPlou"', "cus_4R5QLgZDZXPlou"),
        ('also = f"a request id (req_…): {words}"', "req_…"),
    ],
)
def test_fields_and_ids_of_one_service_are_found(code: str, field: str) -> None:
    assert [name for _, name in FIELDS.in_file(code)] == [field]


@pytest.mark.parametrize(
    "code",
    [
        '"""An example: times_redeemed of cus_4R5QLgZDZXPlou."""',
        'names = ("name", "display_name", "firstName", "email", "customer")',
        "times_redeemed = 3",
        'key = "in_order"',
        'place = "in_folder_of_files"',
        '"src_path", "ch_"',
    ],
)
def test_what_many_services_have_is_no_field_of_one(code: str) -> None:
    assert list(FIELDS.in_file(code)) == []
