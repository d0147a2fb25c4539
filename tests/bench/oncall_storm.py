"""An incident service with hundreds or thousands of open incidents, to measure the screen in a storm."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.oncall.watch import ME, incident, oncall, policy

POLICIES = 60


def service(count: int) -> Starlette:
    """The service with `count` open incidents, under the sandbox's path for it."""
    times = [datetime.fromtimestamp(time.time() - ago, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for ago in range(0, 5 * count, 5)]
    policies = [policy(5, 5, 5) | {"id": f"E{number}", "name": f"Policy {number}"} for number in range(POLICIES)]
    refs = [{"id": one["id"], "type": "escalation_policy_reference", "summary": one["name"]} for one in policies]
    duties = [oncall(n % 3 + 1, f"U{n}") | {"escalation_policy": refs[n // 3]} for n in range(3 * POLICIES)]
    soon = {"pending_actions": [{"type": "escalate", "at": f"{datetime.now(UTC) + timedelta(minutes=10):%Y-%m-%dT%H:%M:%SZ}"}]}
    open_ = [
        incident(f"I{n:03}", created_at=at, last_status_change_at=at) | {"escalation_policy": refs[n % POLICIES]} | soon
        for n, at in enumerate(times)
    ]
    listed = {"incidents": open_, "escalation_policies": policies, "oncalls": duties}

    def answer(request: Request) -> JSONResponse:
        name, asked = request.path_params["name"], request.query_params
        if name == "users/me":
            return JSONResponse({"user": ME})
        found: list[dict[str, Any]] = listed.get(name, [])
        since, until = asked.get("since", ""), asked.get("until", "~")
        if name == "incidents":
            found = [one for one in found if asked["statuses[]"] == one["status"] and since <= one["created_at"] <= until]
        elif since:
            found = []
        limit, offset = int(asked["limit"]), int(asked.get("offset", "0"))
        page = found[offset : offset + limit]
        return JSONResponse({name: page, "limit": limit, "offset": offset, "more": offset + len(page) < len(found)})

    return Starlette(routes=[Route("/incidents/{name:path}", answer)])
