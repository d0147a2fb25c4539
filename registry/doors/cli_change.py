"""Changes on the command line: the check is printed, and the outcome, however the command ends.

A signal or the deadline during the request cancels it, and a read finds out the outcome; a second signal ends
that too, and the audit log keeps the change as unsettled.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from registry.accounts.connection import Connection
from registry.accounts.policy import Consent, Decision
from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.changes.check_result import became_in_words, lines
from registry.doors.ending import DeadlinePassed, Ending
from registry.doors.line_mode.asking import answer, question_of
from registry.doors.output import complain, fail, print_waiting, prompt, remark
from registry.engine import Answered, Elicitation, Engine, Presenter, Question, Settings, open_engine
from registry.files.threads import in_daemon
from registry.text.shown import counted


class _AtTerminal(Presenter):
    """Asks the user what an MCP server wants to know, if standard input and standard error are a terminal."""

    async def elicit(self, elicitation: Elicitation) -> Answered:
        """The user's answers; ``decline`` without a terminal."""
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            remark(question_of(elicitation))
            remark("Declined: there is no terminal to answer at. Run the tool at a terminal, or in the explorer.")
            return Answered("decline")
        return await in_daemon(lambda: answer(elicitation, lambda words, _: prompt(words), remark), "waits for a line")


def asking(settings: Settings, tool: Tool, values: Mapping[str, object], connection: Connection, ending: Ending) -> Result:
    """The result of a read from an MCP server, which may ask the user something meanwhile."""
    engine = open_engine(settings)
    return ending.run(engine.run(tool, values, connection, presenter=_AtTerminal(print_waiting)), engine)


def refusal(tool: Tool, decision: Decision, subject: str, *, read_only: bool) -> str:
    """Why a change is not sent, and the option that allows it; `subject` is the id of what it changes."""
    ways = {
        "confirm": "Add --yes to confirm",
        "type": f"Add --confirm {subject} to confirm",
        "switch": "Add --allow-writes to allow it, this time",
        "refuse": "Remove --read-only or unset CALLBOARD_READ_ONLY" if read_only else decision.way_out.rstrip("."),
    }
    return " ".join(filter(None, (decision.reason, tool.rule, ways[decision.kind])))


def consented(
    settings: Settings, tool: Tool, subject: str, connection: Connection, options: argparse.Namespace, shared: str
) -> tuple[Engine, Consent]:
    """An engine for a change of `subject`, and how far the command line agrees to it; refuses one that needs more.

    `shared` is the folder of the shared saved call that the change is from, or empty.
    """
    engine = open_engine(settings)
    if options.allow_writes:
        engine.policy.open_writing(connection, tool.toolkit)
    consent = Consent.TYPED if options.confirm else Consent.CONFIRMED if options.yes else Consent.NONE
    decision = engine.policy.decide(tool, connection)
    if not decision.allows(consent):
        words = refusal(tool, decision, subject, read_only=engine.policy.read_only)
        fail(f"Not sent. {words}, or --dry-run to preview the request")
    if shared and tool.effect == "delete" and consent < Consent.TYPED:
        # Somebody else wrote this call and may change it, so --yes alone must not delete: it was given without seeing the id.
        fail(f"Not sent. This deletes data, and it is shared from {shared}. Add --confirm {subject} to confirm")
    return engine, consent


@contextmanager
def change(
    engine: Engine,
    tool: Tool,
    values: Mapping[str, object],
    connection: Connection,
    consent: Consent,
    ending: Ending,
) -> Iterator[Result | None]:
    """Print the check of a change and send it; yields its result, to be printed. None if the check shows that it would fail.

    A signal, the deadline, and a result that cannot be written end the command after the outcome was printed.
    """
    with ExitStack() as until_the_end:
        printing = _Printing(ending, until_the_end)
        work = engine.run(tool, values, connection, consent=consent, presenter=printing, stop=printing.stop)
        try:
            result = ending.run(work, engine)
        except (KeyboardInterrupt, DeadlinePassed):
            remark(became_in_words(None) if printing.may_be_sent else "Nothing was sent.")
            raise
    if engine.audit.notice:
        remark(engine.audit.notice)
    try:
        yield None if printing.in_vain else result
        sys.stdout.flush()
    except (OSError, KeyboardInterrupt):
        remark(became_in_words(result.became))
        raise
    ending.raise_if_ended()


async def checked(question: Question) -> bool:
    """Check a change and print the findings; returns whether it can be made."""
    seen = await question.check()
    tool = question.tool
    subject = f": {seen.id}" if seen.id else ""
    remark(f"{tool.summary.rstrip('.')}{subject} ({question.where})")
    found = list(lines(seen, tool))
    for line in found:
        remark(f"  {line.text}")
    if seen.verdict == "refuse":
        failed = sum(line.text.startswith("✗") for line in found)
        short = f"not sent: {counted(failed, 'check')} failed" if failed else ""
        complain(f"not sent: {seen.in_the_way}", title="Nothing was sent", short=short)
        return False
    return True


class _Printing(_AtTerminal):
    """Prints the check, and consents as the options say, unless it shows that the change is `in_vain`. Signals set `stop`."""

    def __init__(self, ending: Ending, until_the_end: ExitStack) -> None:
        super().__init__(print_waiting)
        self._ending, self._until_the_end = ending, until_the_end
        self.in_vain = self.may_be_sent = False
        self.stop = asyncio.Event()

    async def consent(self, question: Question) -> Consent | None:
        """Print the check; returns the consent from the command line, None if the change would fail."""
        if not await checked(question):
            self.in_vain = True
            return None
        self._until_the_end.enter_context(self._ending.settling(self._drop))
        self.may_be_sent = True
        return question.given

    def _drop(self) -> None:
        self.stop.set()
        late = not self._ending.came[-1]
        why, key = ("The deadline has passed", "Ctrl+C") if late else ("Stopped", "Ctrl+C again")
        remark(f"{why}. Checking whether the change was made; press {key} to skip the check.")
