"""The check that no product code names a service: it finds names, and nothing else. `make check` runs it over the product."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.catalog.folders import BUILT_IN
from tests.tools.service_names import Names

ROOT = Path(__file__).parent.parent.parent
NAMES = Names(BUILT_IN)


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
