"""Adds a toolkit: asks for the document, shows what it would add, and asks."""

import asyncio
from collections import Counter

from textual import work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from registry.openapi.document import DocumentRefused
from registry.openapi.store import TITLE, Kept, Prepared, credentials_of, keep_prepared, prepared
from registry.text.shown import counted, shortened, visible_line
from tui.dialogs.dialog import FieldsDialog, Keys
from tui.dialogs.questions import YesNo
from tui.widgets.texts import Line

_EFFECTS = (("read", "read"), ("write", "change"), ("delete", "delete"))
_MOST_GUESSES = 3
_MCP = "An MCP server is added by: callboard toolkit add --mcp COMMAND|URL"


class AddToolkit(FieldsDialog["Kept | None"]):
    """Returns the toolkit that was added.

    Args:
        source: the file or address of a document; empty asks for one.
    """

    DEFAULT_CSS = """
    AddToolkit { #said { margin: 1 0 0 0; min-height: 2; } }
    """
    AUTO_FOCUS = "#source"
    LEADS_OUT = True

    heading = "Add a toolkit"
    keys: Keys = (("Enter", "Read"), ("Tab", "Next field"), ("Esc", "Cancel"))

    def __init__(self, source: str = "") -> None:
        super().__init__()
        self._source = source
        self._adding = False

    def _body(self) -> ComposeResult:
        hint = "path or https address of an OpenAPI document"
        yield self.row("Document", Line(self._source, placeholder=hint, id="source", compact=True))
        yield self.row("Name", Line(placeholder="from the document's title", id="name", compact=True))
        yield self.row("Server", Line(placeholder="from the document", id="server", compact=True))
        yield self.row("Header", Line(placeholder="of the credential, if the document names none", id="header", compact=True))
        yield Static(id="said")

    def on_mount(self) -> None:
        self.say("Enter reads the document and shows what it would add.\n" + _MCP, "$foreground-muted")
        if self._source:
            self.action_take()

    def action_take(self) -> None:
        """Read the document, show what it would add, and add that if the user agrees."""
        if self._adding:
            return
        if self.value("source"):
            self._add()
        else:
            self.say("Enter a path, or an https address.", "$text-warning")
            self.query_one("#source").focus()

    @work(group="toolkit", exclusive=True)
    async def _add(self) -> None:
        self.say("Reading …", "$foreground-muted")
        source, *others = (self.value(id_) for id_ in ("source", "name", "server", "header"))
        name, server, header = (one or None for one in others)
        try:
            found = await asyncio.to_thread(prepared, source, name=name, server=server, header=header)
            self.query_one("#name", Line).placeholder = found.made.service.name
            self.query_one("#server", Line).placeholder = found.made.service.hosts["api"].usual
            if await self.app.push_screen_wait(YesNo("Add this toolkit?", preview_of(found), "Add")):
                self._adding = True
                kept: Kept = await asyncio.to_thread(keep_prepared, found)
                self.dismiss(kept)
            else:
                self.say("Not added. Enter reads the document again.", "$foreground-muted")
        except DocumentRefused as refusal:  # the field that can fix it gets the focus
            remark = refusal.remark
            given = next((one for one in ("server", "header") if f"--{one}" in remark.reason), "source")
            field = "name" if remark.pointer == TITLE else given
            place = (
                f"At {remark.pointer}: " if remark.pointer and field == "source" else "" if field == "name" else "Document: "
            )
            self.query_one(f"#{field}").focus()
            self.say(f"{place}{remark.reason}.", "$text-error")
        except OSError as error:
            self.say(f"The toolkit cannot be kept: {error.strerror or error}.", "$text-error")
        finally:
            self._adding = False


def preview_of(found: Prepared) -> list[Content]:
    """A preview of the toolkit in a few lines: title, tools, server, guesses, and what was left out."""
    made, service, effects = found.made, found.made.service, Counter(tool["effect"] for tool in found.made.tools.values())
    kinds = ", ".join(f"{effects[effect]} {word}" for effect, word in _EFFECTS if effects[effect])
    lines = [
        Content.styled(shortened(visible_line(f"{service.title} {service.version or ''}".rstrip()), 70), "bold"),
        Content(f"{counted(len(made.tools), 'tool')} ({kinds}) from OpenAPI {made.version}"),
        Content(shortened(visible_line(f"Requests go to {service.hosts['api'].usual}"), 200)),
    ]
    if guesses := made.guesses:
        some = "; ".join(one.what for one in guesses[:_MOST_GUESSES])
        more = f"; and {len(guesses) - _MOST_GUESSES} more" if len(guesses) > _MOST_GUESSES else ""
        lines.append(Content(visible_line(f"Guessed: {some}{more}")))
    if made.left_out:
        first = made.left_out[0]
        words = f"{counted(len(made.left_out), 'operation')} left out; the first, {first.pointer}: {first.reason}"
        lines.append(Content.styled(shortened(visible_line(words), 240), "$text-warning"))
    if credentials := credentials_of(service).partition(":")[0]:
        lines.append(Content.styled(visible_line(f"{credentials}."), "$foreground-muted"))
    lines.append(Content.styled("Enter adds it.", "$text-success"))
    return lines
