"""The engine: everything that a call needs, assembled in one place. The Python API of Callboard; see ``docs/python.md``.

::

    async with open_engine() as engine:
        result = await engine.run("SearchPaymentsCustomers", {"search_query_string": "created>0"})
"""

from __future__ import annotations

from registry.accounts.connection import Connection
from registry.accounts.memory import Ending, Known
from registry.accounts.policy import Consent, Decision, NotAllowed, Policy
from registry.accounts.problems import ConnectionSettingsError
from registry.calling.arguments import ArgumentError, Arguments, FieldError
from registry.calling.request import Preview
from registry.calling.result import Failure, Result, ResultPage
from registry.calling.sending import Observer, Progress
from registry.calling.several_accounts import SeveralAccounts, SeveralRefused
from registry.calling.tracing import Trace
from registry.catalog.model import Parameter, Tool
from registry.changes.check_result import CheckResult
from registry.changes.deletion import Deleted, Outcome
from registry.changes.reads import Reads
from registry.engine.engine import Engine, UnknownTool, open_engine
from registry.engine.parts import Sandbox, Settings
from registry.engine.presenter import Elicitation, Presenter, Question
from registry.journal.agent_requests import AgentAnswer, AgentRequest, RequestedChange
from registry.journal.audit import Audit, Change
from registry.journal.history import History
from registry.mcp_client.values import Answered
from registry.results.list_fetch import ListFetch
from registry.results.spool import Spool

__all__ = (
    "AgentAnswer", "AgentRequest", "Answered", "ArgumentError", "Arguments", "Audit", "Change", "CheckResult", "Connection",
    "ConnectionSettingsError", "Consent", "Decision", "Deleted", "Elicitation", "Ending", "Engine", "Failure",
    "FieldError", "History", "Known", "ListFetch", "NotAllowed", "Observer", "Outcome", "Parameter",
    "Policy", "Presenter", "Preview", "Progress", "Question", "Reads", "RequestedChange", "Result", "ResultPage", "Sandbox",
    "Settings", "SeveralAccounts", "SeveralRefused", "Spool", "Tool", "Trace", "UnknownTool",
    "open_engine",
)  # fmt: skip
