"""Questions of an MCP server during a call: asked line by line in a terminal, otherwise declined."""

from __future__ import annotations

import sys

from registry.doors.line_mode.eliciting import answer, question
from registry.doors.line_thread import in_thread
from registry.doors.output import prompt, remark
from registry.engine import Answered, Elicitation, Unattended


class AtTerminal(Unattended):
    """Asks the user if standard input and standard error are a terminal."""

    async def elicit(self, elicitation: Elicitation) -> Answered:
        """The user's answers; ``decline`` without a terminal."""
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            remark(question(elicitation))
            remark("Declined: there is no terminal to answer at. Run the tool at a terminal, or in the explorer.")
            return Answered("decline")
        return await in_thread(lambda: answer(elicitation, lambda words, _: prompt(words), remark))
