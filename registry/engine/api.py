"""All names of the Python API; see ``docs/python.md``."""

from registry.accounts.connection import Connection, ConnectionSettingsError
from registry.accounts.memory import Known
from registry.accounts.policy import Consent, Decision, NotAllowed, Policy
from registry.accounts.renewed import Ending
from registry.calling.arguments import ArgumentError, Arguments, FieldError
from registry.calling.request import Preview
from registry.calling.result import Failure, Result, ResultPage
from registry.calling.sending import Answered, Observer, Progress
from registry.calling.several_accounts import SeveralAccounts
from registry.calling.tracing import Trace
from registry.catalog.loader import UnknownTool
from registry.catalog.model import Parameter, Tool
from registry.changes.check_result import CheckResult
from registry.changes.deletion import Deleted, Outcome
from registry.changes.reads import Reads
from registry.engine.changing import Question
from registry.engine.elicitation import Elicitation
from registry.engine.engine import Engine, open_engine
from registry.engine.presenter import Presenter
from registry.engine.reading import ReadingEngine, Sandbox, Settings
from registry.journal.agent_requests import AgentAnswer, AgentRequest, RequestedChange
from registry.journal.audit import Audit, Change
from registry.journal.history import History
from registry.results.list_fetch import ListFetch
from registry.results.spool import Spool

__all__ = (
    "AgentAnswer", "AgentRequest", "Answered", "ArgumentError", "Arguments", "Audit", "Change", "CheckResult", "Connection",
    "ConnectionSettingsError", "Consent", "Decision", "Deleted", "Elicitation", "Ending", "Engine", "Failure",
    "FieldError", "History", "Known", "ListFetch", "NotAllowed", "Observer", "Outcome", "Parameter",
    "Policy", "Presenter", "Preview", "Progress", "Question", "ReadingEngine", "Reads", "RequestedChange", "Result",
    "ResultPage", "Sandbox", "Settings", "SeveralAccounts", "Spool", "Tool", "Trace", "UnknownTool",
    "open_engine",
)  # fmt: skip
