"""The base URL of a service of the sandbox, as the caller reached it, for the addresses in its responses.

On the joint port a service is below a path of its own. A port that belongs to one service alone leads to that path without
saying so; then the addresses leave it out, as outside.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.types import Scope

_BELOW = "callboard.below"


def placed(scope: Scope, below: str) -> Scope:
    """A request at the root of a port, as one to the path for which that port stands."""
    raw = scope.get("raw_path")
    moved = {**scope, "path": below + scope["path"], _BELOW: below}
    return moved if raw is None else {**moved, "raw_path": below.encode() + raw}


def address(request: Request) -> str:
    """The base URL by which the service was reached, without a slash at its end."""
    below = request.scope.get("root_path", "").removeprefix(request.scope.get(_BELOW, ""))
    return f"{request.url.scheme}://{request.url.netloc}{below}"
