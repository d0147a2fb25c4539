"""``callboard sandbox --ports``: each service at the root of a port of its own, and lines that set its official clients up."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

ROOT = Path(__file__).parent.parent.parent
COMMAND = [sys.executable, "-m", "tui", "sandbox"]


@pytest.fixture(scope="module")
def told() -> Iterator[Any]:
    """What a sandbox with ports, in the rough world, says of itself."""
    command = [*COMMAND, "--port", "0", "--ports", "--json", "--world", "rough"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


def run(told: Any, service: str) -> dict[str, Any]:
    """What the printed lines for a service's Python client leave behind."""
    names: dict[str, Any] = {}
    exec(told["clients"][service]["set_up"]["python"], names)
    return names


def test_the_official_payments_client(told: Any) -> None:
    left = run(told, "payments")
    client = left["client"]
    found = {one.id: one.name or "" for one in client.v1.customers.list({"limit": 30}).auto_paging_iter()}
    assert len(found) > 60
    assert left["customers"].data[0].id == next(iter(found))
    assert any("[/x]" in name for name in found.values())
    assert len({one.id for one in client.v1.charges.list({"limit": 100}).auto_paging_iter()}) > 100
    events = client.v1.events.list({"limit": 100})
    assert client.v1.events.retrieve(events.data[-1].id).type == events.data[-1].type
    quote = client.v1.quotes.list({"limit": 1, "status": "open"}).data[0]
    assert client.v1.quotes.pdf(quote.id).io.read().startswith(b"%PDF-1.")


def test_the_official_incidents_client(told: Any) -> None:
    left = run(told, "incidents")
    client, incident = left["client"], left["incidents"][0]
    assert incident["self"] == f"{told['clients']['incidents']['api']}/incidents/{incident['id']}"
    assert client.rget(incident["self"]) == client.rget(f"/incidents/{incident['id']}")
    assert [one["name"] for one in client.list_all("priorities")] == ["P1", "P2", "P3", "P4", "P5"]
    grouped = max(left["incidents"], key=lambda one: one["alert_counts"]["all"])
    alerts = client.list_all(f"/incidents/{grouped['id']}/alerts")
    assert len(alerts) == grouped["alert_counts"]["all"] > 5
    assert client.rget(alerts[0]["self"]) == alerts[0]
    log = client.list_all(f"/incidents/{grouped['id']}/log_entries")
    assert {one["incident"]["id"] for one in log} == {grouped["id"]}
    noted = [one for one in left["incidents"] if client.rget(f"/incidents/{one['id']}/notes")]
    assert noted
    schedule = client.list_all("schedules")[0]
    people = client.rget(f"/schedules/{schedule['id']}/users")
    assert {one["id"] for one in people} <= {one["id"] for one in schedule["users"]}
    assert people
    client.close()


def test_the_official_crm_client(told: Any) -> None:
    left = run(told, "crm")
    page = left["users"]
    more = left["client"].settings.users.users_api.get_page(after=page.paging.next.after)
    assert len({one.id for one in (*page.results, *more.results)}) == 148
    assert page.paging.next.link.startswith(told["clients"]["crm"]["api"] + "/settings/")


def test_one_state_behind_all_ports(told: Any) -> None:
    client = run(told, "payments")["client"]
    gone = client.v1.customers.delete("cus_4R5QLgZDZXPlou")
    assert gone.deleted
    headers = {"Authorization": "Bearer sk_test_1"}
    joint = httpx2.get(told["environment"]["PAYMENTS_BASE_URL"] + "/v1/customers/cus_4R5QLgZDZXPlou", headers=headers)
    assert joint.json()["deleted"] is True
    # A port of a service leads to nothing else, and only by its own name.
    own = told["clients"]["payments"]["api"]
    assert httpx2.get(own + "/sandbox/clock").status_code == 404
    assert httpx2.get(own + "/v1/customers", headers=headers | {"Host": told["url"].removeprefix("http://")}).status_code == 421


def test_the_lines_for_node_name_the_same_ports(told: Any) -> None:
    for client in told["clients"].values():
        assert client["api"].rpartition(":")[2] in client["set_up"]["node"]
        assert "import " in client["set_up"]["node"]
