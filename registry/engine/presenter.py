"""The interface between the engine and a front end: consent to a change, questions of MCP servers, and progress.

For a change the engine asks the presenter once:

- The explorer opens a dialog, shows the check as it grows, may stop it, and takes the id that the user types.
- The command line waits for the check, prints it, and consents as ``--yes`` and ``--confirm`` say.
- The MCP server waits for the check, puts its facts into a question of its protocol, and returns the person's answer.
"""

from collections.abc import Awaitable, Callable

from registry.accounts.policy import Consent
from registry.calling.sending import Answered, Observer, Progress
from registry.engine.changing import Question
from registry.engine.elicitation import Elicitation


class Presenter:
    """How a front end asks the user and shows progress; this one asks nobody: the caller has agreed beforehand, or not.

    Args:
        observer: called with the progress of a call.
        elicit: asks the user what an MCP server wants to know; without it, such questions are declined.
    """

    def __init__(
        self,
        observer: Observer | None = None,
        elicit: Callable[[Elicitation], Awaitable[Answered]] | None = None,
    ) -> None:
        self._observer = observer
        self._elicited = elicit

    async def consent(self, question: Question) -> Consent | None:
        """How far the user agrees to a change; None if the user does not.

        A change that would fail according to the check is not sent, whatever this returns. It may return before the check is
        finished: the rest is checked before anything is sent.
        """
        return question.given

    def progress(self, progress: Progress) -> None:
        """A request is running, or waits for its next attempt."""
        if self._observer is not None:
            self._observer(progress)

    async def elicit(self, elicitation: Elicitation) -> Answered:
        """The user's answer to a question of an MCP server during a call. Cancelled if the call ends first."""
        return await self._elicited(elicitation) if self._elicited is not None else Answered("decline")
