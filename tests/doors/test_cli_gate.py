"""What a service sends, as the command line prints it: for eyes on a terminal, exact elsewhere, and no secret on either."""

import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import httpx
import pytest

from registry.doors import cli
from registry.engine import ReadingEngine, Settings
from tests.calling.network import ScriptedNetwork
from tests.random_bodies import Terminal

KEY = "sk_live_51MARKEDcredential"
CLIENT_SECRET = "pi_1_secret_MARKEDargument"
CALL: tuple[str, ...] = ("call", "RetrievePaymentIntentDetails", "--account", "payments", "--payment-intent-id", "pi_1")
CALL += ("--payment-intent-client-secret", CLIENT_SECRET)
Said = tuple[int, str, str]
Ask = Callable[..., Said]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Runs the call against a service that answers this; gives exit code, standard output and standard error."""
    monkeypatch.setenv("PAYMENTS_API_KEY", KEY)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def run(body: bytes, *words: str, status: int = 200, terminal: bool = True, kind: str = "application/json") -> Said:
        def opened(settings: Settings) -> ReadingEngine:
            return ReadingEngine(
                settings,
                network=ScriptedNetwork(lambda _: httpx.Response(status, content=body, headers={"content-type": kind})),
            )

        monkeypatch.setattr("registry.doors.cli_call.ReadingEngine", opened)
        out, err = (Terminal(), Terminal()) if terminal else (io.StringIO(), io.StringIO())
        with redirect_stdout(out), redirect_stderr(err):
            code = cli.main((*CALL, *words))
        return code, out.getvalue(), err.getvalue()

    return run


@pytest.mark.parametrize("charset", ["utf-8", "utf-16"])
@pytest.mark.parametrize("how", [(), ("--raw",)])
@pytest.mark.parametrize("terminal", [True, False])
def test_no_body_reaches_the_terminal_raw(ask: Ask, charset: str, how: tuple[str, ...], terminal: bool) -> None:
    body = '{"t":"\x9d52;c;SEFSTQ==\x9c \u202e\u00ad","u":"\\u001b]52;c;SEFSTQ==\\u0007"}'
    code, out, err = ask(body.encode(charset), *how, terminal=terminal, kind=f"application/json; charset={charset}")
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(body)
    assert not set("\x1b\x07\x9c\x9d\u202e\u00ad") & set(out)


def test_no_message_of_a_service_passes_for_one_of_the_program(ask: Ask) -> None:
    for forged in ("no\ncallboard: Deleted.", "no\r\ncallboard: done", "no\u2028callboard: done", "no\x85callboard: done"):
        code, _, err = ask(json.dumps({"error": {"message": forged}}).encode(), status=404)
        assert code == 1
        assert [line for line in err.splitlines() if line.startswith("callboard:")] == ["callboard: Not found"]
    _, _, err = ask(json.dumps({"error": {"message": "no" + " " * 200 + "callboard: Deleted."}}).encode(), status=404)
    assert "  no callboard: Deleted." in err


def test_lines_of_csv_are_exact_where_nobody_looks(ask: Ask) -> None:
    body = json.dumps({"t": "a\u00adb\u202e", "f": "=1+1", "c": "\x1b[31m"}).encode()
    assert ask(body, "--format", "csv", terminal=False)[1] == "t,f,c\r\na\u00adb\u202e,'=1+1,\\u001b[31m\n"
    assert ask(body, "--format", "csv")[1] == "t,f,c\na\\u00adb\\u202e,'=1+1,\\u001b[31m\n"
