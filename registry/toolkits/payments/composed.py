"""The payments tools that need several requests.

People name a domain for wallet payments by its name, but the service reads and deletes it by its id: so a name is first looked
up in the list of domains. A name that is not listed, or cannot be looked up, is sent unchanged, and the service responds to it.
"""

import re

from registry.calling.arguments import Arguments
from registry.calling.failures import CallFailed
from registry.calling.request import PlannedRequest, plan
from registry.calling.sending import Composed, Sender, json_object
from registry.catalog.model import Tool

_NAME = re.compile(r"[^\s/@:]+\.[^\s/@:]+")
_DOMAINS = "/v1/apple_pay/domains"


async def wallet_domain(arguments: Arguments, sender: Sender) -> Composed:
    """A domain for wallet payments, read or deleted by its name or its id."""
    name, request, notes = _name(sender.tool, arguments), plan(sender.tool, arguments), list[str]()
    if name is not None:
        try:
            listed = (await json_object(sender, _list(name))).get("data")
        except CallFailed as failed:
            if failed.response is None:
                raise
            listed = None
            notes.append(f"Could not look up the id of {name}: {failed.failure.cause}")
        found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        ids = [one["id"] for one in found if one.get("domain_name") == name and isinstance(one.get("id"), str)]
        if ids:
            subject = sender.tool.with_role("id")
            assert subject is not None  # there is a name
            request = plan(sender.tool, Arguments({**arguments.values, subject.name: ids[0]}))
            notes.append(f"The list of domains calls {name} {ids[0]}.")
    return await json_object(sender, request), notes


def opening(tool: Tool, arguments: Arguments) -> PlannedRequest:
    """The first request of a read; for a deletion the request that deletes, because the user agrees to that one."""
    name = _name(tool, arguments)
    return plan(tool, arguments) if name is None or tool.effect != "read" else _list(name)


def _name(tool: Tool, arguments: Arguments) -> str | None:
    """The domain name that was given; None for an id."""
    subject = tool.with_role("id")
    given = str(arguments.values.get(subject.name, "")).strip().lower() if subject else ""
    return given if _NAME.fullmatch(given) else None


def _list(name: str) -> PlannedRequest:
    return PlannedRequest("GET", _DOMAINS, (("domain_name", name), ("limit", "1")))
