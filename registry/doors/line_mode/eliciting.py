"""Questions of an MCP server during a call, line by line: the fields of a form, or consent to open an address."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from registry.calling.arguments import Arguments
from registry.catalog.model import Tool
from registry.doors.line_mode.asking import Ask, Cancelled, Say, ask_arguments
from registry.engine import Answered, Elicitation
from registry.text.safe_text import visible_line


def answer(elicitation: Elicitation, ask: Ask, say: Say) -> Answered:
    """The user's answers to a server's question, line by line. Blocks."""
    say(question(elicitation))
    try:
        if elicitation.url:
            say(f"It wants you to open {visible_line(elicitation.url)}")
            said = ask("Open it yourself if you trust it, then type yes. Enter declines: ", False).strip().lower()
            return Answered("accept" if said == "yes" else "decline")
        say("Type a value for each field, or cancel to decline.")
        validate = partial(_validate, elicitation)
        raw = ask_arguments(elicitation.form, elicitation.start, ask, say, validate, "sends the answer")
    except (Cancelled, EOFError):
        return Answered("decline")
    return elicitation.accepted(raw)


def question(elicitation: Elicitation) -> str:
    """The question, with the name of the server."""
    return f"{elicitation.server} asks: “{visible_line(elicitation.message)}”"


def _validate(elicitation: Elicitation, _: Tool, raw: Mapping[str, object]) -> Arguments:
    return elicitation.check(raw)
