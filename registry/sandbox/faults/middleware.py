"""Faults in front of a service. A request without a matching fault passes unchanged, and nothing is loaded for it."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from registry.sandbox.error_responses import ErrorResponses
from registry.sandbox.faults.active import Faults
from registry.sandbox.faults.effects import Treated
from registry.sandbox.limits import Limited


class Faulty:
    """A service that can be made to fail.

    Args:
        service: its name.
        app: the service.
        limited: what counts its requests.
        faults: the faults in force.
        error_responses: gives how the service refuses; asked when a fault needs it.
    """

    def __init__(
        self, service: str, app: ASGIApp, limited: Limited, faults: Faults, error_responses: Callable[[], ErrorResponses]
    ) -> None:
        self._service = service
        self._app = app
        self._limited = limited
        self._faults = faults
        self._error_responses = error_responses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        treatment = self._faults.treatment(self._service, scope["method"], path)
        if treatment is None:
            await self._limited.answer(self._app, scope, receive, send)
            return

        treated = Treated(self._service, self._app, self._limited, self._error_responses())
        await treated.answer(treatment, path, scope, receive, send)
