"""The engine: everything that a call needs, assembled in one place. The Python API of Callboard; see ``docs/python.md``.

::

    async with open_engine() as engine:
        result = await engine.run("SearchPaymentsCustomers", {"search_query_string": "created>0"})

What a program does not need at its start is imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from registry.connections.consent import Consent, Decision, NotAllowed
from registry.engine.engine import Engine, UnknownTool, open_engine
from registry.engine.presenter import Presenter, Question, Unattended, Waiting
from registry.engine.settings import Settings
from registry.mcp_client.values import Answered

if TYPE_CHECKING:
    from registry.calling.arguments import ArgumentError
    from registry.calling.result import Failure, Result
    from registry.connections.policy import Policy
    from registry.connections.profiles import Connection, ConnectionSettingsError
    from registry.engine.elicitation import Elicitation
    from registry.engine.settings import Sandbox
    from registry.journal.agent_requests import AgentAnswer, AgentRequest, WantedChange
    from registry.journal.audit import Audit, Change
    from registry.journal.history import History

__all__ = (
    "AgentAnswer",
    "AgentRequest",
    "Answered",
    "ArgumentError",
    "Audit",
    "Change",
    "Connection",
    "ConnectionSettingsError",
    "Consent",
    "Decision",
    "Elicitation",
    "Engine",
    "Failure",
    "History",
    "NotAllowed",
    "Policy",
    "Presenter",
    "Question",
    "Result",
    "Sandbox",
    "Settings",
    "Unattended",
    "UnknownTool",
    "Waiting",
    "WantedChange",
    "open_engine",
)

_LATER = {
    "AgentAnswer": "registry.journal.agent_requests",
    "AgentRequest": "registry.journal.agent_requests",
    "ArgumentError": "registry.calling.arguments",
    "Connection": "registry.connections.profiles",
    "ConnectionSettingsError": "registry.connections.profiles",
    "Elicitation": "registry.engine.elicitation",
    "Failure": "registry.calling.result",
    "Result": "registry.calling.result",
    "WantedChange": "registry.journal.agent_requests",
}
"""Names that are imported on first use. The others in `__all__` are only for annotations."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
