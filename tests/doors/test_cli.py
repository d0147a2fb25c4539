"""The command line: what it prints where, its exit codes, what it never does, and what shells complete."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from registry.doors.output import ExitCode
from tests.cases import cases_beside
from tests.command_line import ROOT
from tests.shipped import COUNT

CASES = cases_beside(__file__)


def test_all_tools_as_json(run: Any) -> None:
    outcome = run("tools", "--json")
    tools = json.loads(outcome.out)
    assert (outcome.code, len(tools), outcome.err) == (0, COUNT, "")
    for tool in tools:
        assert {"toolkit", "name", "operation", "method", "path", "effect", "summary", "rule", "returns"} <= set(tool)
        for parameter in tool["parameters"]:
            assert {"name", "type", "required", "default", "minimum", "enum", "help", "in", "role"} <= set(parameter)


def test_finding_tools(run: Any) -> None:
    outcome = run("tools", "cust", "cards")
    assert outcome.code == 0
    assert outcome.out.splitlines()[0].split()[0] == "GetCustomerCards"
    assert f" of {COUNT} tools" in outcome.err
    assert run("tools", "xylophone").code == ExitCode.SERVICE


def test_showing_a_tool(run: Any) -> None:
    outcome = run("show", "GetCustomerCards")
    assert "GET /v1/customers/{customer}/cards" in outcome.out
    assert "Deprecated. Use ListCustomerPaymentSources." in outcome.out
    assert "--card-retrieval-limit  (integer, 1–100, default 10)" in outcome.out
    assert json.loads(run("show", "incidents.whoami", "--json").out)["name"] == "Whoami"
    assert json.loads(run("show", "Whoami", "--schema").out)["type"] == "object"


def test_the_help_of_a_call_with_a_tool_shows_the_tool(run: Any) -> None:
    outcome, sheet = run("call", "GetCustomerCards", "--help"), run("show", "GetCustomerCards")
    assert (outcome.code, outcome.out) == (0, sheet.out)
    assert "callboard call --help" in outcome.err


def test_found_calls_run_as_they_are_printed(run: Any) -> None:
    outcome = run("find", "customer", "created", "last", "seven", "days")
    calls = [line.strip() for line in outcome.out.splitlines() if line.strip().startswith("callboard call ")]
    assert "…" not in outcome.out
    whole = [call for call in calls if "# needs --" not in call]
    assert whole
    assert len(whole) < len(calls)
    for call in whole:
        assert run(*shlex.split(call)[1:], "--dry-run").code == 0, call


def test_a_call_and_secrets_that_are_masked_unless_asked_for(run: Any) -> None:
    outcome = run("call", "Whoami")
    user = json.loads(outcome.out)["user"]
    assert (outcome.code, outcome.err, user["type"]) == (0, "", "user")
    assert user["http_cal_url"] == "••••••••"
    user = json.loads(run("call", "Whoami", "--show-secrets").out)["user"]
    assert user["http_cal_url"].startswith("http")


def test_arguments_as_options_and_as_json(run: Any) -> None:
    by_options = run("call", "ListIncidents", "--status", "resolved", "--limit=2", "--dry-run")
    as_json = run("call", "ListIncidents", "--args", '{"status": "resolved", "limit": 2}', "--dry-run")
    assert by_options.out == as_json.out
    assert by_options.out.splitlines()[0] == (
        "GET http://sandbox.callboard/incidents/incidents?statuses%5B%5D=resolved&limit=2"
    )
    lists = run("call", "ListIncidents", "--team-ids", "A", "--team_ids=B", "--dry-run")
    assert "team_ids%5B%5D=A&team_ids%5B%5D=B" in lists.out
    assert "is_overview=true" in run("call", "ListLogEntries", "--is-overview", "--dry-run").out
    assert "is_overview=false" in run("call", "ListLogEntries", "--is-overview", "no", "--dry-run").out


def test_a_dry_run_masks_secrets_and_sends_nothing(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMENTS_API_KEY", "sk_live_MARKED")
    monkeypatch.setenv("PAYMENTS_BASE_URL", "http://127.0.0.1:1")
    words = ["call", "RetrievePaymentIntentDetails", "--payment-intent-id", "pi_1", "--payment-intent-client-secret", "MARKED"]
    outcome = run(*words, "--account", "payments", "--dry-run")
    assert outcome.code == 0
    assert "Authorization: Bearer ••••••••" in outcome.out
    assert "client_secret=••••••••" in outcome.out
    assert "MARKED" not in outcome.out + outcome.err


@pytest.mark.parametrize(("words", "told"), CASES["wrong usage of a call"])
def test_wrong_usage_sends_nothing(run: Any, words: list[str], told: str) -> None:
    outcome = run("call", *words)
    assert (outcome.code, outcome.out) == (ExitCode.USAGE, "")
    assert told in outcome.err


def test_wrong_commands(run: Any) -> None:
    assert run("tool").code == ExitCode.USAGE
    assert "did you mean GetCustomerCards" in run("show", "GetCustomerCard").err
    assert run("tools", "--jsn").code == ExitCode.USAGE
    assert run("--nothing").code == ExitCode.USAGE


def test_a_service_error(run: Any) -> None:
    outcome = run("call", "GetIncident", "--incident-id", "nothing")
    assert (outcome.code, outcome.out) == (ExitCode.SERVICE, "")
    assert "Not found" in outcome.err
    assert "HTTP 404" in outcome.err
    assert "→ Check the id" in outcome.err


@pytest.mark.parametrize(
    ("program", "not_loaded"),
    [
        ("from tui.entry import main; main()", "textual rich pydantic uvicorn"),
        ("import tui.app, tui.explorer.screen", "pydantic yaml"),
    ],
)
def test_what_the_start_does_not_load(program: str, not_loaded: str) -> None:
    ends = f"import sys; {program}; print(set({not_loaded.split()}) & sys.modules.keys())"
    outcome = subprocess.run(
        [sys.executable, "-c", ends, "call", "Whoami"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert outcome.stdout.splitlines()[-1] == "set()"


def test_the_help_imports_no_command() -> None:
    """It is what people type first."""
    told = "atexit.register(lambda: print('registry.doors.cli_call' in sys.modules))"
    program = f"import atexit, sys; from tui.entry import main; {told}; main()"
    command = [sys.executable, "-c", program, "--help"]
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "print the audit log" in outcome.stdout
    assert outcome.stdout.endswith("False\n")


def test_times_in_words_say_what_they_become(run: Any) -> None:
    outcome = run("call", "ListIncidents", "--since", "2026-11-20 9:00 Europe/Berlin", "--until=2026-11-21", "--dry-run")
    assert outcome.code == ExitCode.OK
    assert "since=2026-11-20T08:00:00Z&until=2026-11-21T00:00:00Z" in outcome.out
    # What says by itself what it is, is not told again.
    assert outcome.err.startswith("since = Fri 20 Nov 2026 09:00 CET")
    assert outcome.err.count("\n") == 1
    wrong = run("call", "ListIncidents", "--since", "2026-03-29 2:30 Europe/Berlin")
    assert wrong.code == ExitCode.USAGE
    assert "02:30 does not exist on 29 Mar 2026 in Europe/Berlin (clocks go forward); use 01:30 or 03:30" in wrong.err


def test_names(run: Any) -> None:
    assert "ListTeams" in run("completion", "--names", "tools").out.splitlines()
    assert run("completion", "--names", "accounts").out.splitlines() == ["sandbox"]
    assert run("completion").code == 2
    run("call", "GetCustomerCards", "--customer-id", "cus_4R5QLgZDZXPlou")
    assert "cus_4R5QLgZDZXPlou" in run("completion", "--names", "ids").out.splitlines()
    run("saved", "record", "Weekly drafts", "--last", "1")
    assert run("completion", "--names", "saved").out.splitlines() == ["Weekly-drafts"]
    assert run("run", "Weekly-drafts", "--with", "customer=cus_4R5QLgZDZXPlou").out == "cards: 2\n"


def test_zsh_asks_for_names_only_where_they_go(run: Any) -> None:
    """A command in the text of an argument would run at each Tab, for all arguments."""
    assert ":($(" not in run("completion", "zsh").out


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_a_tool(run: Any, tmp_path: Path) -> None:
    program = tmp_path / "callboard"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tui "$@"\n')
    program.chmod(0o700)
    (tmp_path / "completion").write_text(run("completion", "bash").out)
    script = (
        "source completion; COMP_WORDS=(callboard call GetCustomerCards); COMP_CWORD=2; _shtab_callboard; echo ${COMPREPLY[@]}"
    )
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path), "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["GetCustomerCards"], done.stderr
