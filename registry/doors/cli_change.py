"""Changes on the command line: the check is printed, and the outcome, however the command ends.

A signal or the deadline during the request cancels it, and a read finds out the outcome; a second signal ends
that too, and the audit log keeps the change as unsettled.
"""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from registry.accounts.connection import Connection
from registry.accounts.policy import Consent
from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.changes.check_result import became_in_words, lines
from registry.doors.ending import DeadlinePassed, Ending
from registry.doors.line_mode.asking import answer, question_of
from registry.doors.output import complain, print_waiting, prompt, remark
from registry.engine import Answered, Elicitation, Policy, Presenter, Question, Settings, open_engine
from registry.files.threads import in_daemon
from registry.text.shown import counted


class AtTerminal(Presenter):
    """Asks the user what an MCP server wants to know, if standard input and standard error are a terminal."""

    async def elicit(self, elicitation: Elicitation) -> Answered:
        """The user's answers; ``decline`` without a terminal."""
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            remark(question_of(elicitation))
            remark("Declined: there is no terminal to answer at. Run the tool at a terminal, or in the explorer.")
            return Answered("decline")
        return await in_daemon(lambda: answer(elicitation, lambda words, _: prompt(words), remark), "waits for a line")


@contextmanager
def change(
    settings: Settings,
    policy: Policy,
    tool: Tool,
    values: Mapping[str, object],
    connection: Connection,
    consent: Consent,
    ending: Ending,
) -> Iterator[Result | None]:
    """Print the check of a change and send it; yields its result, to be printed. None if the check shows that it would fail.

    A signal, the deadline, and a result that cannot be written end the command after the outcome was printed.
    """
    engine = open_engine(settings)
    engine.policy = policy  # with what the options allow
    with ExitStack() as until_the_end:
        printing = _Printing(ending, until_the_end)

        async def run() -> Result:
            async with engine:
                return await engine.run(tool, values, connection, consent=consent, presenter=printing, stop=printing.stop)

        try:
            result = ending.run(run())
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


class _Printing(AtTerminal):
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
