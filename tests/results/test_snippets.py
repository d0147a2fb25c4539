"""Every tool's call as curl, Python and a command: run, they ask what the call asks, whatever is in its arguments."""

import os
import shutil
import ssl
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from registry.accounts.connection import Connection, connections, sandbox
from registry.calling.arguments import Arguments, check
from registry.calling.request import build
from registry.calling.sending import opening
from registry.catalog.loader import load
from registry.catalog.model import OWN_OPTIONS, Parameter, Tool
from registry.doors.cli_options import from_json, from_words
from registry.doors.cli_parser import parser
from registry.results.snippets import Snippet, snippets
from registry.text.shown import visible
from tests.hostile import MARKUP
from tests.results.recording import Asked, recording_service
from tests.sampled import further

TOOLS = load().tools
SECRETS = {"PAYMENTS_API_KEY": "sk_live_MARKED", "INCIDENTS_API_TOKEN": "MARKED", "CRM_ACCESS_TOKEN": "MARKED"}
CONNECTION_OF = {"PaymentsApi": "payments", "Incidents": "incidents", "CrmUsersApi": "crm"}
HARM = [
    "'; touch HARMED; '", "$(touch HARMED)", "`touch HARMED`", '"; touch HARMED; "', "a\\' || touch HARMED \\",
    "&& touch HARMED #", "$HOME ${PATH} ~", "--yes", "-o HARMED", "@/etc/passwd", "{a,b}[1-3]", "a&b=c#d?e%00%2e+f",
    "!! !$ *?", '"""); __import__("os").mkdir("HARMED") #', "f'{1}' \\n \\", "\u202eabc\u200b\u2028", "Zoë 東京 👩‍👧", *MARKUP,
]  # fmt: skip
PLAIN = "o'neil+$(x)@fernway.example"
_OF_FORMAT = {
    "date-time": "2026-03-01T10:00+01:00", "time-zone": "Europe/Berlin", "country": "DE", "currency": "eur", "email": PLAIN,
    "domain": "shop-1.example", "digits": "20804837", "token": "-P.a_1",
}  # fmt: skip


def value_of(parameter: Parameter, text: str) -> object:
    if parameter.format == "unix-minute":
        return 86_400 * (parameter.wire_name == "end_time")
    if parameter.role == "query":
        return 'metadata["a"]:"{}"'.format(text.replace("\\", "").replace('"', "'"))
    match parameter.type:
        case "integer":
            return parameter.maximum if parameter.maximum is not None else 7
        case "boolean":
            return len(text) % 2 == 0
        case "array":
            return [_OF_FORMAT.get(parameter.format or "", text), _OF_FORMAT.get(parameter.format or "", "data.customer")]
    return parameter.enum[-1] if parameter.enum else _OF_FORMAT.get(parameter.format or "", text)


def kinds(tool: Tool) -> Iterator[tuple[object, ...]]:
    """What tools are distinguished by when a call is written down: requests, and each parameter's way into them."""
    yield (tool.toolkit, tool.method, tool.host, tool.body, tool.content_type, tool.composed is None)
    yield (tool.returns.kind == "file", tool.fixed_query != (), tool.arrays, tool.nested)
    for one in tool.parameters:
        yield (tool.toolkit, one.type, one.role, one.place, one.style, bool(one.enum), one.format)


SAMPLE = [*{tool.name: tool for tool in {kind: tool for tool in TOOLS.values() for kind in kinds(tool)}.values()}.values()]
"""A tool of each kind."""

of_each_kind_or_all = pytest.mark.parametrize("tools", [SAMPLE, *further([*TOOLS.values()])], ids=["of each kind", "all"])


def calls(tools: Iterable[Tool], rounds: int = 2) -> Iterator[tuple[Tool, Arguments]]:
    """These tools with as many of their parameters as go together, all texts hostile."""
    numbers = count()
    for _ in range(rounds):
        for tool in tools:
            raw = {one.name: value_of(one, HARM[next(numbers) % len(HARM)]) for one in tool.parameters}
            while errors := check(tool, raw).errors:
                # What does not go together with the rest, or breaks a rule of its own, is left out or an address.
                worst = tool.parameter(errors[0].parameter)
                assert worst is not None
                if worst.required:
                    assert raw[worst.name] != PLAIN, errors
                    raw[worst.name] = PLAIN
                else:
                    del raw[worst.name]
            yield tool, check(tool, raw)


def environment(base: str) -> dict[str, str]:
    return SECRETS | {f"{name}_BASE_URL": base for name in ("PAYMENTS", "INCIDENTS", "CRM")} | {"PAYMENTS_FILES_URL": base}


def with_secrets(tool: Tool) -> dict[str, str]:
    return {one.name.upper(): f"given $(touch HARMED) & {one.name}" for one in tool.parameters if one.role == "secret"}


def expected(tool: Tool, arguments: Arguments, connection: Connection) -> Asked:
    secret = {one.name: with_secrets(tool)[one.name.upper()] for one in tool.parameters if one.role == "secret"}
    given = {name: secret.get(name, value) for name, value in arguments.values.items()}
    request = build(opening(tool, Arguments(given)), connection.endpoint(tool.toolkit))
    return Asked.of(request.method, request.url.raw_path.decode(), request.headers, request.content)


def form(kind: str, tool: Tool, arguments: Arguments, connection: Connection) -> Snippet:
    return next(one for one in snippets(tool, arguments, connection) if one.kind == kind)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
@of_each_kind_or_all
def test_curl_asks_what_the_call_asks(here: Path, tools: Sequence[Tool]) -> None:
    with recording_service() as (base, asked):
        served = connections(environment(base))
        script, wanted = [], []
        variables: dict[str, str] = {}
        for tool, arguments in calls(tools):
            connection = served[CONNECTION_OF[tool.toolkit]]
            script.append(form("curl", tool, arguments, connection).text)
            wanted.append(expected(tool, arguments, connection))
            variables |= with_secrets(tool)
        outcome = subprocess.run(
            ["sh", "-e"],
            input="\n".join(script).encode(),
            env={"PATH": os.environ["PATH"], "no_proxy": "*"} | SECRETS | variables,
            capture_output=True,
            timeout=300,
        )
        assert outcome.returncode == 0, outcome.stderr[-2_000:]
    assert len(asked) == len(wanted)
    for got, want in zip(asked, wanted, strict=True):
        assert got == want
    assert {path.suffix for path in here.iterdir()} == {".pdf"}


@of_each_kind_or_all
def test_python_asks_what_the_call_asks(here: Path, monkeypatch: pytest.MonkeyPatch, tools: Sequence[Tool]) -> None:
    # Reading all certificates for each of these plain connections is most of what the test would cost.
    certificates = ssl.create_default_context()
    monkeypatch.setattr(ssl, "create_default_context", lambda **options: certificates)
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    with recording_service() as (base, asked):
        served = connections(environment(base))
        for tool, arguments in calls(tools):
            connection = served[CONNECTION_OF[tool.toolkit]]
            for name, value in with_secrets(tool).items():
                monkeypatch.setenv(name, value)
            for file in here.iterdir():
                file.unlink()
            exec(compile(form("httpx", tool, arguments, connection).text, tool.name, "exec"), {})
            assert asked[-1] == expected(tool, arguments, connection)
    assert "HARMED" not in os.listdir(here)


def test_the_command_line_reads_the_same_arguments(here: Path) -> None:
    wanted = list(calls(TOOLS.values()))
    script = ["callboard() { printf '%s\\0' \"$@\"; printf '\\n\\0'; }"]
    variables: dict[str, str] = {}
    for tool, arguments in wanted:
        script.append(form("callboard", tool, arguments, sandbox()).text)
        variables |= with_secrets(tool)
    outcome = subprocess.run(
        ["sh", "-eu"], input="\n".join(script).encode(), env=variables, capture_output=True, timeout=60, check=True
    )
    commands: list[list[str]] = [[]]
    for word in outcome.stdout.decode().split("\0")[:-1]:
        if word == "\n":
            commands.append([])
        else:
            commands[-1].append(word)
    assert len(commands) == len(wanted) + 1
    for (tool, arguments), words in zip(wanted, commands, strict=False):
        known, rest = parser().parse_known_args(words)
        assert (known.command, known.tool, known.connection, known.yes) == ("call", tool.name, ["sandbox"], False)
        read = check(tool, from_json(known.args or "{}") | from_words(tool, rest))
        secret = {one.name: with_secrets(tool)[one.name.upper()] for one in tool.parameters if one.role == "secret"}
        assert not read.errors
        assert read.values == {name: secret.get(name, value) for name, value in arguments.values.items()}
    assert os.listdir(here) == []


def test_no_form_names_a_secret_or_harms_a_terminal() -> None:
    served = connections(environment("http://127.0.0.1:1"))
    for tool, arguments in calls(TOOLS.values()):
        for one in snippets(tool, arguments, served[CONNECTION_OF[tool.toolkit]]):
            assert "MARKED" not in one.text + str(one.notes)
            assert visible(one.text) == one.text
            for parameter in tool.parameters:
                if parameter.role == "secret":
                    assert str(arguments.values[parameter.name]) not in one.text


def test_deletions_say_so() -> None:
    tool = TOOLS["RemoveCrmUser"]
    curl, _, command = snippets(tool, check(tool, {"user_identifier": "1"}), sandbox())
    assert "Deletes without confirmation." in curl.notes
    assert "--yes" not in command.text
    assert "Add --yes to run it." in command.notes
    live = connections({"CRM_ACCESS_TOKEN": "t"})["crm"]
    assert (
        "Add --allow-writes and --confirm ID to run it." in snippets(tool, check(tool, {"user_identifier": "1"}), live)[2].notes
    )


def test_the_commands_own_options() -> None:
    subparsers: Any = parser()._subparsers
    actions = subparsers._group_actions[0].choices["call"]._actions
    own = {option[2:].replace("-", "_") for action in actions for option in action.option_strings if option.startswith("--")}
    assert own == OWN_OPTIONS
    assert not OWN_OPTIONS & {parameter.name for tool in TOOLS.values() for parameter in tool.parameters}
