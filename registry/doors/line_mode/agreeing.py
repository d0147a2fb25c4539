"""Confirms a change, line by line: the check is read out, then the user types yes, or the id."""

from __future__ import annotations

from math import ceil

from registry.accounts.consent import Consent
from registry.calling.sending import Progress
from registry.changes.check_lines import lines as look_lines
from registry.doors.line_mode.asking import Ask, Say
from registry.doors.line_mode.eliciting import answer
from registry.engine import Answered, Elicitation, Question, Unattended
from registry.text.safe_text import visible_line

_KINDS = {"holds": "OK: ", "broken": "Not possible: ", "unknown": "Not known: ", "goes along": "Also: ", "final": "Warning: "}
"""The words before a line of a check, in place of its sign."""


class LinePresenter(Unattended):
    """Reads out the check of a change and asks for yes or the id; says when it waits for a service."""

    def __init__(self, ask: Ask, say: Say) -> None:
        super().__init__()
        self._ask = ask
        self._say = say

    async def consent(self, question: Question) -> Consent | None:
        """Read out the check and return the consent that the user types."""
        self._say("Checking.")
        seen = await question.check()
        subject = f" {seen.id}" if seen.id else ""
        self._say(visible_line(f"{question.tool.summary.rstrip('.')}{subject}, {question.where}."))
        for line in look_lines(seen, question.tool):
            self._say(f"{_KINDS.get(line.kind, '')}{line.name + ': ' if line.name else ''}{line.words}")
        if seen.verdict == "refuse":
            return None
        wanted = " or ".join(question.names) if question.typed else "yes"
        try:
            typed = self._ask(f"Type {wanted} to confirm, or press Enter to cancel: ", False).strip()
        except (KeyboardInterrupt, EOFError):
            self._say("")
            return None
        if question.typed:
            return Consent.TYPED if typed in question.names else None
        return Consent.CONFIRMED if typed.lower() == "yes" else None

    async def elicit(self, elicitation: Elicitation) -> Answered:
        """The user's answers to a server's question."""
        return answer(elicitation, self._ask, self._say)

    def progress(self, progress: Progress) -> None:
        """Say why the call waits."""
        if progress.waiting is not None:
            seconds = max(ceil(progress.waiting), 1)
            self._say(visible_line(f"{progress.reason}; retrying in {seconds} {'second' if seconds == 1 else 'seconds'}."))
