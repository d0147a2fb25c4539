"""The base URL of a service of the sandbox, as the caller reached it, for the addresses in its responses.

On the joint port each service has its own path. A port of a single service maps to that path; then the addresses omit the path,
as the real service does.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.types import Scope

_BELOW = "callboard.below"


def placed(scope: Scope, below: str) -> Scope:
    """A request to a service's own port, changed to a request to that service's path."""
    raw = scope.get("raw_path")
    moved = {**scope, "path": below + scope["path"], _BELOW: below}
    return moved if raw is None else {**moved, "raw_path": below.encode() + raw}


def address(request: Request) -> str:
    """The base URL by which the service was reached, without a slash at its end."""
    below = request.scope.get("root_path", "").removeprefix(request.scope.get(_BELOW, ""))
    return f"{request.url.scheme}://{request.url.netloc}{below}"
