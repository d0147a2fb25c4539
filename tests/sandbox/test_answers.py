"""Every operation answers the same from version to version: digests of what a world's objects, lists and searches look like.

`answers.json` has a digest for each operation of the payments service and each path of the others. Who changes an answer on
purpose writes the file anew with ``python -m tests.sandbox.test_answers``, and looks at what else has changed.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from registry.sandbox.faults.specification import STATUSES
from registry.sandbox.payments.operations import LISTS, OBJECTS, SEARCHES
from registry.sandbox.payments.shapes import shapes
from registry.sandbox.requests import CONDITIONS
from registry.sandbox.server import application
from registry.sandbox.world import DAY
from tests.sandbox.direct import Direct
from tests.sandbox.payments_addresses import addresses, filled
from tests.sandbox.written_worlds import NOW, by_id, written
from tests.sandbox.written_worlds import WORLD as USUAL

FILE = Path(__file__).with_name("answers.json")
DIGESTS: dict[str, str] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
NAMED = ("escalation_policies", "incidents", "log_entries", "schedules", "services", "teams", "users")
PARTS = {
    "escalation_policies": "services teams targets escalation_rule_assignment_strategies",
    "incidents": "acknowledgers agents assignees conference_bridge escalation_policies first_trigger_log_entries priorities "
    "services teams users",
    "log_entries": "incidents services channels teams",
    "oncalls": "escalation_policies users schedules",
    "schedules": "schedule_layers overrides_subschedule final_schedule",
    "services": "escalation_policies teams auto_pause_notifications_parameters integrations",
    "users": "contact_methods notification_rules teams subdomains",
}
WINDOWS = ("", "since=2025-09-20T10:00:00Z&until=2025-10-20", "since=2025-10-09", "until=2025-10-09T12:00:00%2B02:00")
FILTERS = {
    "incidents": "date_range=all&sort_by=urgency,created_at:desc statuses[]=resolved&date_range=all urgencies[]=low total=true",
    "log_entries": "is_overview=true&total=1 offset=40&time_zone=Asia/Tokyo",
    "oncalls": "earliest=true schedule_ids[]=null time_zone=Asia/Tokyo",
    "services": "sort_by=name:desc query=CHECK name=batch",
    "users": "query=ferrer offset=15",
}
CRM = ("/settings/v3/users/?limit=40", "/settings/users/v3?limit=100", "/settings/v3/users/roles", "/account-info/v3/details")


def few(found: list[str], most: int) -> list[str]:
    return found[:: max(1, len(found) // most)][:most]


def payments() -> Iterator[tuple[str, str]]:
    rows = written(USUAL)
    for path, operation in OBJECTS.items():
        kind = operation.kinds[0]
        fields, asked = shapes()[kind].fields.items(), CONDITIONS["payments"].get(kind, ())
        expanded = [name for name, field in fields if field.get("expandable") or field["type"] == "list" or name in asked]
        for address in few(list(addresses(path, operation, rows)), 3):
            yield path, f"/payments{address}"
            yield path, f"/payments{address}?{'&'.join(f'expand[]={name}' for name in expanded)}"
    for path, operation in LISTS.items():
        required = [
            f"{name}={rows[one.refers][0].id}" for name, one in operation.parameters.items() if one.refers and one.required
        ]
        owners = few([row.id for row in rows[operation.owner]], 4) if operation.owner else [""]
        if operation.does == "summaries":  # of whole days before today
            window = f"start_time={NOW // DAY * DAY - 9 * DAY}&end_time={NOW // DAY * DAY}"
            customers = {row.body["customer"] for row in rows["_usage"]}
            required = [
                f"customer={id_}&{window}{unit}" for id_ in sorted(customers) for unit in ("", "&value_grouping_window=day")
            ]
            yield from ((path, f"/payments{filled(path, [owner])}?{query}") for owner in owners for query in required)
            continue
        for owner in owners:
            for more in ("", "limit=2") if operation.paged else ("",):
                yield path, f"/payments{filled(path, [owner])}?{'&'.join([*required, *([more] if more else [])])}"
    for path in SEARCHES:
        yield path, f"/payments{path}?query=-metadata['no such key']:'x'&limit=12"


def others(api: Direct) -> Iterator[tuple[str, str]]:
    for name in (*NAMED, "oncalls", "priorities"):
        parts = "&".join(f"include[]={part}" for part in PARTS.get(name, "").split())
        for query in (*WINDOWS, *FILTERS.get(name, "").split()):
            yield f"/{name}", f"/incidents/{name}?{query}"
            yield f"/{name}", f"/incidents/{name}?limit=60&{query}&{parts}"
        for one in few([one["id"] for one in api.get(f"/incidents/{name}")[name]], 5) if name in NAMED else ():
            for query in ("", parts) if name != "schedules" else WINDOWS:
                yield f"/{name}/", f"/incidents/{name}/{one}?{query}"
            below = {"incidents": "alerts notes log_entries", "schedules": "users", "teams": "members"}.get(name, "")
            yield from ((f"/{name}/{what}", f"/incidents/{name}/{one}/{what}") for what in below.split())
    yield "/users/me", "/incidents/users/me"
    yield from ((path.partition("?")[0], f"/crm{path}") for path in CRM)


def by_others() -> Iterator[tuple[str, str, dict[str, str]]]:
    """What other keys, and connected accounts, see."""
    connected = few([row.id for row in written(USUAL)["account"] if not row.body.get("_own")], 3)
    paths = ("account", "balance", "balance_settings", "tax/settings", "quotes", "country_specs", f"accounts/{connected[0]}")
    keys = {f"account {number}": {"Stripe-Account": id_} for number, id_ in enumerate(connected)}
    for who, headers in {"live": {"Authorization": "Bearer sk_live_1"}, **keys}.items():
        for path in paths:
            yield f"{who}: {path.partition('/')[0]}", f"/payments/v1/{path}", headers
    public = {"Authorization": "Bearer pk_test_1"}
    for kind in ("payment_intent", "setup_intent", "source"):
        for row in few([row.id for row in written(USUAL)[kind] if row.body.get("client_secret")], 3):
            secret = by_id(USUAL, kind)[row].body["client_secret"]
            yield f"public: {kind}", f"/payments/v1/{kind}s/{row}?client_secret={secret}", public


def failing() -> Iterator[tuple[str, str]]:
    """What each service says when it is made to fail, and what it says about its limit then."""
    places = {"payments": "v1/quotes", "files": "v1/quotes/none/pdf", "incidents": "users", "crm": "settings/v3/users/"}
    for service, statuses in STATUSES.items():
        for fault in (*map(str, statuses), "429 bare", "html 200", "html 502"):
            app = application(seed=USUAL.seed, now=NOW, faults=[f"{service} {fault}"])
            with Direct(app, "http://sandbox", Authorization="Bearer sk_test_answers") as api:
                response = api.send("GET", f"/{service}/{places[service]}")
            told = {name: value for name, value in response.headers.items() if "limit" in name and "reset" not in name}
            yield f"{service}: {fault}", f"{response.status_code} {sorted(told.items())} {response.text}"


def answers() -> dict[str, str]:
    """The digest of each operation's answers."""
    found: dict[str, Any] = {}
    with Direct(application(seed=USUAL.seed, now=NOW), "http://sandbox", Authorization="Bearer sk_test_answers") as api:
        own: list[tuple[str, str, dict[str, str]]] = [(*one, {}) for one in (*payments(), *others(api))]
        for about, address, headers in (*own, *by_others()):
            response = api.send("GET", address, headers=headers)
            assert response.status_code in (200, 400, 404), address
            said = response.text if response.status_code == 200 else ""  # a refusal has an id of its own
            found.setdefault(about, hashlib.sha256()).update(f"{address} {response.status_code} {said}".encode())
    for about, said in failing():
        found[about] = hashlib.sha256(said.encode())
    return {about: digest.hexdigest()[:16] for about, digest in found.items()}


def test_no_answer_has_changed() -> None:
    found = answers()
    assert (len(OBJECTS), len(LISTS), len(SEARCHES)) == (126, 64, 7)
    assert found.keys() == DIGESTS.keys()
    assert {about for about, digest in found.items() if digest != DIGESTS[about]} == set()


if __name__ == "__main__":
    FILE.write_text(json.dumps(answers(), indent=1) + "\n", "utf-8")
