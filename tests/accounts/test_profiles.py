"""Connections from the environment."""

from __future__ import annotations

import pytest

from registry.accounts.connection import connections
from registry.accounts.problems import ConnectionSettingsError


def test_without_credentials_there_is_the_sandbox() -> None:
    found = connections({})
    assert list(found) == ["sandbox"]
    assert {endpoint.mode for endpoint in found["sandbox"].endpoints.values()} == {"sandbox"}
    assert len(found["sandbox"].endpoints) == 3


def test_one_for_each_credential() -> None:
    environment = {"PAYMENTS_API_KEY": "sk_test_1", "INCIDENTS_API_TOKEN": "t", "CRM_ACCESS_TOKEN": "c"}
    found = connections(environment)
    assert list(found) == ["sandbox", "payments", "incidents", "crm"]
    assert found["incidents"].endpoint("Incidents").headers()["Authorization"] == "Token token=t"
    assert found["crm"].endpoint("CrmUsersApi").headers()["Authorization"] == "Bearer c"
    oauth = connections({"INCIDENTS_ACCESS_TOKEN": "o"})
    assert oauth["incidents"].endpoint("Incidents").headers()["Authorization"] == "Bearer o"


def test_addresses() -> None:
    environment = {"PAYMENTS_API_KEY": "sk_test_1", "PAYMENTS_BASE_URL": "http://127.0.0.1:8210/payments/"}
    assert connections(environment)["payments"].endpoint("PaymentsApi").base_url == "http://127.0.0.1:8210/payments"


@pytest.mark.parametrize(
    "address",
    ["http://api.example", "ftp://api.example", "api.example", "https://a:b@api.example", "https://x/?a=b", "https://"],
)
def test_addresses_that_are_refused(address: str) -> None:
    with pytest.raises(ConnectionSettingsError, match="PAYMENTS_BASE_URL"):
        connections({"PAYMENTS_API_KEY": "sk_test_1", "PAYMENTS_BASE_URL": address})


@pytest.mark.parametrize("key", ["sk_test\n1", "sk test", "sk_é"])
def test_keys_that_are_no_keys(key: str) -> None:
    with pytest.raises(ConnectionSettingsError, match="PAYMENTS_API_KEY"):
        connections({"PAYMENTS_API_KEY": key})


@pytest.mark.parametrize("path", ["settings/users", "/settings/../x", "/a b", "/a?b"])
def test_user_paths_that_are_refused(path: str) -> None:
    with pytest.raises(ConnectionSettingsError, match="CRM_USERS_PATH"):
        connections({"CRM_ACCESS_TOKEN": "t", "CRM_USERS_PATH": path})
