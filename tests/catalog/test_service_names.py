"""The check that no product code names a service: it finds names, and nothing else. `make check` runs it over the product."""

from __future__ import annotations

from registry.catalog.folders import BUILT_IN
from tests.tools.service_fields import Fields
from tests.tools.service_names import Names

NAMES = Names(BUILT_IN)
FIELDS = Fields(BUILT_IN)


NAMED = [
    'endpoint("PaymentsApi")',
    'found["payments"]',
    'connections(os.environ)["crm"]',
    '"crm" in found',
    'os.environ["CRM_ACCESS_TOKEN"]',
    "# set INCIDENTS_BASE_URL",
    '"https://api.stripe.com"',
    'headers.get("x-hubspot-correlation-id")',
    'users = "CRM_USERS_PATH"',
]
ENGLISH = [
    'losses.get("payments")',
    '"the incidents of the last hour"',
    'title = "Incidents"',
    'found["sandbox"]',
    "PAYMENTS = 3",
    'headers.get("request-id")',
]
OF_ONE_SERVICE = {
    'FACTS = ("name", "times_redeemed")': "times_redeemed",
    'values.get("superAdmin")': "superAdmin",
    'moments = {"frozen_time": 1}': "frozen_time",
    'column = ("user", "billing_details")': "billing_details",
    r're.compile(r"(?:created|invoice_settings)")': "invoice_settings",
    'HELP = "paste an id, such as cus_4R5QLgZDZXPlou"': "cus_4R5QLgZDZXPlou",
    'also = f"a request id (req_…): {words}"': "req_…",
}
OF_MANY = [
    '"""An example: times_redeemed of cus_4R5QLgZDZXPlou."""',
    'names = ("name", "display_name", "firstName", "email", "customer")',
    "times_redeemed = 3",
    'place = "in_folder_of_files"',
    '"src_path", "ch_"',
]


def test_names_are_found_and_other_words_are_left_alone() -> None:
    assert [code for code in NAMED if not list(NAMES.in_file(code))] == []
    assert [code for code in ENGLISH if list(NAMES.in_file(code))] == []


def test_fields_and_ids_of_one_service_are_found_and_those_of_many_are_not() -> None:
    assert {code: [name for _, name in FIELDS.in_file(code)] for code in OF_ONE_SERVICE} == {
        code: [field] for code, field in OF_ONE_SERVICE.items()
    }
    assert [code for code in OF_MANY if list(FIELDS.in_file(code))] == []
