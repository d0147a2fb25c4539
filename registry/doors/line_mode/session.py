"""The session: the user types a line, and lines are printed. Words search, numbers choose, some words are commands."""

import asyncio
import getpass
import shlex
import signal
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from registry.accounts.connection import SANDBOX, Connection, ConnectionSettingsError
from registry.accounts.policy import WINDOW, NotAllowed
from registry.calling.arguments import ArgumentError
from registry.calling.receiving import mask
from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.catalog.shared_folders import shared_folders
from registry.doors.cli_page import page_load
from registry.doors.line_mode.asking import (
    Ask,
    Cancelled,
    LinePresenter,
    Say,
    ask_arguments,
    error_lines,
    failure_lines,
    field_lines,
    item_lines,
    items_of,
)
from registry.doors.output import flush, remark, say
from registry.engine import Engine, Settings, open_engine
from registry.finding.find import Finder
from registry.json_text import NotJson, as_text, lay_out, read_json
from registry.pages.definition import SharedPages
from registry.pages.home import home_of
from registry.pages.page import as_lines
from registry.pages.subjects import NoPage, subjects_of
from registry.results.cells import Names
from registry.results.declared import lists_of
from registry.results.headline import headline_of
from registry.saved.making import own_calls
from registry.saved.running import SavedRun
from registry.saved.saved_call import SavedCallError
from registry.saved.store import usual_store
from registry.text.shown import counted, visible_json, visible_line, whole

Value = TypeVar("Value")
Choice = tuple[str, Callable[[], None]]

AT_ONCE = 20
"""Lines to print before the user is asked for more."""

COMMANDS = ("tools", "show", "history", "audit", "saved", "oncall", "doctor", "keys")
"""Commands of the command line that also work here: they print lines and change nothing in this session's sandbox."""

HELP = (
    "Type words, an id or an email to find something: {examples}.",
    "Type a number to choose from the last list.",
    "open NAME: fill in the fields of a tool and run it. run NAME: run a saved call.",
    "next, previous: pages of a list. json: the result as JSON. page, or page ID: everything about an object.",
    "more, or Enter: go on reading. again: read the last result again.",
    "account, account NAME: where calls go. cancel: leave a question. quit: leave.",
    f"These commands work as in the shell: {', '.join(COMMANDS)}.",
)


def talk(command: Callable[[Sequence[str]], int], *, read_only: bool) -> int:
    """Run the line mode on standard input and output until the user leaves; returns the exit code."""
    with suppress(ImportError):
        import readline  # noqa: F401  # for editing lines, and the arrow keys for earlier ones

    engine = open_engine(Settings(read_only=read_only, tell=remark))
    with asyncio.Runner() as runner:
        try:
            return LineSession(engine, runner, _ask, _say, command).run()
        finally:
            runner.run(engine.aclose())


def _ask(prompt: str, hidden: bool) -> str:
    flush()
    return getpass.getpass(prompt) if hidden else input(prompt)


def _say(line: str) -> None:
    say(line)
    flush()


class LineSession:
    """One session. `ask` raises EOFError at the end of the input; `command` runs a command of the command line."""

    def __init__(
        self, engine: Engine, runner: asyncio.Runner, ask: Ask, say: Say, command: Callable[[Sequence[str]], int]
    ) -> None:
        self._engine, self._runner = engine, runner
        # The one place where texts from outside are made visible.
        self._ask: Ask = lambda prompt, hidden: ask(visible_line(prompt), hidden)
        self._say: Say = lambda line: say(visible_line(line))
        self._command = command
        self._chosen: dict[str, str] = {}
        self._choices: list[Choice] = []
        self._said: list[str] = []
        self._left: list[str] = []
        self._tool: Tool | None = None
        self._raw: Mapping[str, object] = {}
        self._result: Result | None = None
        self._object = b""
        self._stop: asyncio.Event | None = None

    def run(self) -> int:
        """Run until the user leaves; returns the exit code."""
        self._say(f"Callboard, line by line. {len(self._engine.catalog.tools)} tools.")
        in_sandbox = all(self._where(kit) == SANDBOX for kit in self._engine.catalog.toolkits)
        where = "the sandbox unless you choose an account" if in_sandbox else "these accounts unless you choose others"
        self._say(f"Calls go to {where}. Type words to find something, or help.")
        if not in_sandbox:
            self._account("")
        if self._engine.problem:
            self._say(f"Error: {self._engine.problem}.")
        while True:
            try:
                line = self._ask("callboard> ", False).strip()
            except EOFError:
                return 0
            except KeyboardInterrupt:
                self._say("Type quit to leave.")
                continue
            if line in ("quit", "exit", "q"):
                return 0
            try:
                self._obey(line)
            except Cancelled:
                self._say("Cancelled.")
            except (KeyboardInterrupt, asyncio.CancelledError):
                self._say("Stopped.")
            except (ArgumentError, ConnectionSettingsError, NoPage, NotAllowed, SavedCallError) as error:
                self._tell(error_lines(error))
            except EOFError:
                return 0

    def _obey(self, line: str) -> None:
        number = whole(line)
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        match word, rest:
            case _ if number is not None:
                if 0 < number <= len(self._choices):
                    self._choices[number - 1][1]()
                else:
                    there = f"Type 1 to {len(self._choices)}" if self._choices else "No list yet: type words to find something"
                    self._say(f"Error: no item {number}. {there}.")
            case ("" | "more", ""):
                self._more()
            case ("again", ""):
                self._tell(self._said)
            case ("help", ""):
                asked = [text for name in self._engine.catalog.toolkits for text in home_of(name).ask_on_sandbox]
                examples = ", ".join(["past due", "failed payments yesterday", *asked[1:2]])
                self._tell([HELP[0].format(examples=examples), *HELP[1:]])
            case ("next" | "previous", ""):
                self._turn(forward=word == "next")
            case ("json", ""):
                try:
                    text = as_text(lay_out(mask(self._object)[0])) if self._object else "No result yet."
                except NotJson as error:
                    text = f"The response is not JSON: {error}"
                self._tell(visible_json(text).splitlines())
            case ("page", _):
                self._page(rest)
            case ("account", _):
                self._account(rest)
            case ("open", _) if rest:
                self._open(rest, {})
            case ("run", _) if rest:
                self._run_saved(rest)
            case _ if word in COMMANDS:
                try:
                    typed = shlex.split(line)
                except ValueError:  # a quote that is not closed
                    typed = line.split()
                with suppress(SystemExit):
                    self._command(typed)
            case _:
                self._find(line)

    # Printing

    def _tell(self, lines: Sequence[str]) -> None:
        """Print lines: the first ones at once, the others on request."""
        self._said = list(lines)
        self._left = list(lines)
        self._more()

    def _more(self) -> None:
        if not self._left:
            self._say("Nothing more. Type help for what you can do.")
            return
        now, self._left = self._left[:AT_ONCE], self._left[AT_ONCE:]
        for line in now:
            self._say(line)
        if self._left:
            self._say(f"{counted(len(self._left), 'more line')}. Press Enter to go on.")

    def _offer(self, heading: Sequence[str], choices: Sequence[Choice]) -> None:
        """Print a numbered list; from now on, a number chooses from it."""
        self._choices = list(choices)
        self._tell([*heading, *(f"{number}. {words}" for number, (words, _) in enumerate(choices, 1))])

    # Finding and calling

    def _find(self, text: str) -> None:
        catalog = self._engine.catalog
        found = Finder(catalog, own_calls(usual_store(catalog).all().calls, catalog.tools)).find(text)
        choices: list[Choice] = []
        effects = {"write": ", changes data", "delete": ", deletes data"}
        for item in found[:AT_ONCE]:
            needs = f", needs {', '.join(item.missing)}" if item.missing else ""
            needs += f", without {', '.join(item.without)}" if item.without else ""
            words = f"{item.title.rstrip('.')}{effects.get(item.effect, '')}{needs}. {item.tool}"
            choices.append((words, partial(self._open, item.tool, item.arguments)))
        count = f"{len(choices)} found" if len(found) == len(choices) else f"The best {len(choices)} of {len(found)}"
        self._offer([f"{count}. {found[0].why}".rstrip() if found else "Nothing found."], choices)

    def _open(self, name: str, given: Mapping[str, object]) -> None:
        """Ask for missing arguments and run a tool."""
        tool = self._engine.catalog.find(name)
        if tool is None:
            self._find(name)
            return
        self._say(f"{tool.name}. {tool.summary}{f' {tool.rule}' if tool.rule else ''}")
        for argument, value in given.items():
            words = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            self._say(f"{argument}: {words}")
        complete = bool(given) and not self._engine.validate(tool, given).errors
        raw = given if complete else ask_arguments(tool, given, self._ask, self._say, self._engine.validate)
        self._call(tool, raw)

    def _call(self, tool: Tool, raw: Mapping[str, object]) -> None:
        if not self._may_change(tool):
            self._tell(["Nothing was sent."])
            return
        self._say("Running.")
        stop, presenter = asyncio.Event(), LinePresenter(self._interrupt, self._say)
        work = self._engine.run(tool, raw, self._connection(tool.toolkit), presenter=presenter, stop=stop)
        result = self._wait(work, stop if tool.effect != "read" else None)
        self._tool, self._raw, self._result, self._object = tool, raw, result, result.body
        if result.failure is not None:
            self._tell(failure_lines(result.failure))
            return
        heading = [f"{headline_of(tool, raw, result, Names()).words}.", *(f"Note: {note}" for note in result.notes)]
        items = items_of(result)
        if items is None:
            self._tell([*heading, *field_lines(result.body, time.time())] if result.body else [*heading, "Done."])
            return
        if result.page is not None and result.page.next is not None:
            heading.append("More items follow: type next.")
        lines = item_lines(items, lists_of(tool.toolkit).listed(tool.returns.objects).columns)
        self._offer(heading, [(line, partial(self._read_item, item)) for line, item in zip(lines, items, strict=True)])

    def _may_change(self, tool: Tool) -> bool:
        """Whether a call may go to the engine; if changes to live data are off, the user is asked to allow them."""
        connection = self._connection(tool.toolkit)
        decision = self._engine.policy.decide(tool, connection)
        if tool.effect == "read" or decision.kind != "switch":
            return True
        self._say(f"{decision.reason} {decision.way_out}")
        wanted, minutes = connection.name, int(WINDOW // 60)
        typed = self._ask(f"Type {wanted} to allow changes for {minutes} minutes, or press Enter to cancel: ", False).strip()
        if typed == wanted:
            self._engine.policy.open_writing(connection, tool.toolkit)
        return typed == wanted

    def _read_item(self, item: bytes) -> None:
        self._object = item
        self._tell([*field_lines(item, time.time()), "Type page for everything about it."])

    # What can be done with a result

    def _turn(self, *, forward: bool) -> None:
        page = self._result.page if self._result is not None else None
        place = (page.next if forward else page.previous) if page is not None else None
        if self._tool is None or place is None:
            self._say("There is no next page." if forward else "There is no previous page.")
            return
        before = self._raw, self._result
        self._call(self._tool, {name: value for name, value in {**self._raw, **place}.items() if value is not None})
        if self._result is not None and self._result.failure is not None:
            self._raw, self._result = before  # the list goes on: its next page is still the one that failed
            self._say(f"Type {'next' if forward else 'previous'} to load the page again.")

    def _page(self, id_: str) -> None:
        """Read out the page of an object; without an id, of the last object that was read."""
        if not id_:
            with suppress(NotJson):
                value = read_json(self._object) if self._object else None
                id_ = str(value.get("id") or "") if isinstance(value, dict) else ""
            if not id_:
                self._say("Error: no object was read. Type page and an id.")
                return
        subjects = subjects_of(id_, self._engine.routes)
        self._say("Loading.")
        page = self._wait(page_load(self._engine, self._connection, SharedPages(shared_folders)).load(subjects))
        self._tell(failure_lines(page.failure) if page.failure is not None else [one for one in as_lines(page) if one.strip()])

    def _run_saved(self, name: str) -> None:
        """Ask for the inputs of a saved call and run it once."""
        call = usual_store(self._engine.catalog).find(name)
        form = call.form(self._engine.tool(call.steps[0].tool).toolkit)
        raw = ask_arguments(form, {}, self._ask, self._say, self._engine.validate) if call.inputs else {}
        run = SavedRun(self._engine, call, [raw], self._connection, presenter=LinePresenter(self._interrupt, self._say))
        if refused := next((one for one in run.ahead if one.decision.kind == "refuse"), None):
            self._tell([f"{refused.decision.reason} {refused.decision.way_out} Nothing was sent."])
            return
        if not all(self._may_change(one.tool) for one in run.ahead):
            self._tell(["Nothing was sent."])
            return
        self._say("Running.")
        row = self._wait(run.run(), run.stop)[0]
        steps = [f"{step.id}: {step.state}. {step.words}".rstrip() for step in row.steps]
        left = [f"{step.id}: not run." for step in call.steps[len(row.steps) :]]
        self._tell([f"{row.state}.", *steps, *left, *(f"{output}: {text}" for output, text in row.outputs.items())])

    # Accounts, and waiting

    def _account(self, name: str) -> None:
        connections = self._engine.connections
        if not name:
            where = [f"{kit}: {self._where(kit)}" for kit in self._engine.catalog.toolkits]
            self._tell([*where, f"Accounts: {', '.join(connections)}."])
        elif name not in connections:
            self._say(f"Error: unknown account {name}. Accounts: {', '.join(connections)}.")
        else:
            self._chosen |= dict.fromkeys(connections[name].endpoints, name)
            modes = {endpoint.mode for endpoint in connections[name].endpoints.values()}
            self._say(f"Calls now go to {connections[name].title}, {' and '.join(sorted(modes))}.")

    def _where(self, toolkit: str) -> str:
        """The name of the account for a toolkit's calls, or why there is none."""
        try:
            return self._connection(toolkit).name
        except ConnectionSettingsError as error:
            return f"nowhere; {error}"

    def _connection(self, toolkit: str) -> Connection:
        return self._engine.named(self._chosen.get(toolkit), toolkit)

    def _wait(self, work: Coroutine[Any, Any, Value], stop: asyncio.Event | None = None) -> Value:
        """The result of the work. Ctrl+C cancels a read; for a change, its outcome is found out first."""
        self._stop = stop
        self._listen(stop)
        try:
            return self._runner.run(work)
        finally:
            self._listen(None)
            self._stop = None

    def _interrupt(self, prompt: str, hidden: bool) -> str:
        """Ask during a call; Ctrl+C then ends the question and not the call."""
        self._listen(None)
        try:
            return self._ask(prompt, hidden)
        finally:
            self._listen(self._stop)

    def _listen(self, stop: asyncio.Event | None) -> None:
        """Have Ctrl+C stop the running change, or do what it usually does."""
        with suppress(RuntimeError, ValueError):  # only possible in the main thread
            loop = self._runner.get_loop()
            if stop is None:
                loop.remove_signal_handler(signal.SIGINT)
            else:
                loop.add_signal_handler(signal.SIGINT, stop.set)
