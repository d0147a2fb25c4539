"""``callboard toolkit add --mcp``: from a server to calls on the command line, over a changed list, and to its removal."""

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

from http.server import BaseHTTPRequestHandler

from registry.catalog.folders import forget, kept_toolkits
from registry.catalog.loader import load
from registry.doors.output import ExitCode
from registry.mcp_client.values import Listing, Server
from registry.openapi.document import DocumentRefused, Overlay
from registry.openapi.mcp_server import compiled_server
from registry.toolkits.checking import file_problems
from tests.cases import cases_beside
from tests.command_line import Run
from tests.loopback import listening
from tests.mcp_client import desk_server
from tests.mcp_client.desk import command

TOKEN = "desk-token-4711"


pytestmark = pytest.mark.usefixtures("toolkits_here")


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    folder.mkdir()
    return folder


def test_from_a_server_to_calls_and_to_its_removal(run: Run, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added = run("toolkit", "add", "--mcp", command(desk))
    assert (added.code, added.err) == (ExitCode.OK, "")
    assert "Added Desk (desk): 17 tools of Help desk, MCP 2025-06-18." in added.out
    assert (load().problems, file_problems()) == ((), [])
    tools = load().tools
    assert {tool.effect for tool in tools.values() if tool.toolkit == "Desk" and tool.group == "Tools"} == {"write"}
    assert tools["FindTicket"].rule == "The server says that it only reads."
    assert tools["Note"].summary == "What note does."
    assert tools["Note"].parameters[1].properties[1].name == "floor"
    assert "\x1b" not in "".join(path.read_text() for path in kept_toolkits().rglob("*.json"))

    refused = run("call", "FindTicket", "--number", "7", "--yes")
    assert refused.code == ExitCode.USAGE
    assert "live mode" in refused.err
    called = run("call", "FindTicket", "--number", "7", "--yes", "--allow-writes")
    assert (called.code, json.loads(called.out)) == (ExitCode.OK, {"number": 7, "state": "open"})
    every = run("call", "Desk.ListResources", "--all").out.splitlines()
    assert [json.loads(one)["name"] for one in every] == ["rules", "hours"]
    asked = run("call", "Desk.Ask", "--yes", "--allow-writes")
    assert json.loads(asked.out) == {"answered": {"action": "decline"}}
    assert "Help desk asks: “Who [b]asks[/b]?”" in asked.err
    assert "Declined: there is no terminal to answer at." in asked.err
    failed = run("call", "Desk.Fail", "--yes", "--allow-writes")
    assert (failed.code, failed.out) == (ExitCode.SERVICE, "")
    assert "the printer is on fire" in failed.err
    assert run("call", "Desk.Die", "--yes", "--allow-writes").code == ExitCode.CONNECTION

    shown = run("toolkit", "show", "desk").out
    assert "effect/FindTicket: FindTicket only reads; until this is kept, it counts as a change" in shown
    assert run("toolkit", "check", "desk", "--keep", "effect/FindTicket").code == ExitCode.OK
    assert run("call", "FindTicket", "--number", "7").code == ExitCode.OK, "a kept guess makes it a read"

    (desk / "extra.json").write_text(json.dumps({"newer": {"type": "object"}, "note": {"type": "object", "properties": {}}}))
    checked = run("toolkit", "check", "desk")
    assert "New: Newer" in checked.out
    assert "Changed: Note" in checked.out
    told = run("call", "FindTicket", "--number", "7")
    assert "note: The server’s tools have changed since they were added" in told.err
    assert "New: Newer" in run("toolkit", "refresh", "desk").out
    assert run("toolkit", "check", "desk").out.startswith("desk: the list of tools is the same.")
    assert run("call", "FindTicket", "--number", "7").err == ""

    assert "desk" in run("toolkit", "list").out
    assert run("toolkit", "remove", "desk").out == "Removed desk.\n"
    assert run("call", "FindTicket", "--number", "7").code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--mcp", "no-such-program-4711 --x"], ExitCode.LOCAL, "there is no such program"),
        (["--mcp", f"{sys.executable} -S -c print('hello')"], ExitCode.LOCAL, "It said nothing of the protocol before."),
        (["--mcp", "a 'b"], ExitCode.LOCAL, "is not a valid command: no closing quotation"),
        (["--mcp", "http://desk.example/mcp"], ExitCode.LOCAL, "is not an https address"),
        (["--mcp", "https://desk.example/mcp?key=1"], ExitCode.LOCAL, "has a query"),
        (["--mcp", "https://desk.example/mcp", "--pass-env", "A"], ExitCode.LOCAL, "--pass-env is for programs"),
        (["--mcp", "x", "y.json"], ExitCode.USAGE, "add takes a document, FILE or URL, or an MCP server"),
        ([], ExitCode.USAGE, "add takes a document, FILE or URL, or an MCP server"),
        (["--mcp", "x", "--server", "https://y.example"], ExitCode.USAGE, "are for documents"),
        (["--pass-env", "A", "y.json"], ExitCode.USAGE, "--pass-env needs --mcp"),
    ],
)
def test_what_is_no_server_is_refused_with_a_reason(run: Run, words: list[str], code: ExitCode, said: str) -> None:
    outcome = run("toolkit", "add", *words)
    assert (outcome.code, outcome.out) == (code, "")
    assert said in outcome.err
    assert not kept_toolkits().exists() or not list(kept_toolkits().glob("*/"))


def test_hostile_lists_make_tools_of_what_is_good_in_them() -> None:
    union = {"type": "object", "oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "integer"}}}]}
    own = {"type": "object", "properties": {"json": {"type": "string"}, "self": {"$ref": "#"}}}
    good: dict[Any, Any] = {"../up": {}, "union": union, "own": own, "two words": {}, "日本": {}}
    bad: dict[Any, Any] = {"esc\x1b[31m": {}, "x" * 300: {}, "out": {"$ref": "https://evil.example/x"}, "round": {"$ref": "#"}}
    tools = [{"name": name, "inputSchema": schema} for name, schema in (good | bad).items()]
    listing = Listing("evil/\x1b[2J", "T\x1b[31m", "1", "<b>Hi", "2025-06-18", tools)
    made = compiled_server(listing, Server(command=("x",)), Overlay())
    found = {tool["operation"]: tool for tool in json.loads(made.files["tools/001.json"])["groups"][0]["tools"]}
    assert set(found) == set(good)
    assert found["../up"]["path"] == "/tools/call/..%2Fup"
    assert [(one["name"], one["type"]) for one in found["own"]["parameters"]] == [("body_json", "string"), ("self", "object")]
    assert [one["type"] for one in found["union"]["parameters"]] == ["one_of"]
    assert not any(b"\x1b" in content for content in made.files.values())
    reasons = " ".join(str(one) for one in made.left_out)
    assert reasons.count("its name cannot be shown") == 2
    assert "refers to another document" in reasons
    assert "refers to itself in a circle" in reasons
    with pytest.raises(DocumentRefused, match="offers no tools"):
        compiled_server(Listing("n", "", "", "", "x", []), Server(url="https://h.example/mcp"), Overlay())


def test_a_folder_from_elsewhere_starts_no_program(run: Run, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("toolkit", "add", "--mcp", command(desk))
    (kept_toolkits() / "desk").rename(desk.parent / "theirs")
    monkeypatch.setenv("CALLBOARD_TOOLKITS", str(desk.parent / "theirs"))
    forget()
    (desk / "heard").unlink()
    assert run("call", "FindTicket", "--number", "7", "--yes", "--allow-writes").code == ExitCode.USAGE
    assert "names a program to start" in str(load().problems[0])
    assert not (desk / "heard").exists()


def test_a_server_of_another_clients_settings_keeps_its_secrets_there(
    run: Run, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, *arguments = shlex.split(command(desk))
    monkeypatch.setenv("DESK_FOLDER", arguments.pop())
    file = desk / ".vscode" / "mcp.json"
    file.parent.mkdir()
    entry = {
        "command": program,
        "args": [*arguments, "${env:DESK_FOLDER}"],
        "env": {"DESK_KEY": TOKEN, "AT": "${workspaceFolder}"},
    }
    settings = json.dumps({"servers": {"Help": entry, "other": {"url": "https://x.example"}}})
    file.write_text(settings.replace('"servers"', '// of the project\n"servers"')[:-1] + ", /* the end */ }")
    added = run("toolkit", "add", "--mcp-config", str(file), "Help")
    assert (added.code, added.err) == (ExitCode.OK, "")
    said = json.loads(run("call", "Desk.Variables", "--yes", "--allow-writes").out)
    assert (said["DESK_KEY"], said["AT"]) == ("••••••••", "••••••••")
    assert TOKEN not in "".join(path.read_text() for path in kept_toolkits().rglob("*.json"))
    assert arguments[-1] in (kept_toolkits() / "desk" / "service.json").read_text()
    file.write_text(json.dumps({"servers": {"Help": entry | {"args": [*arguments, "-x", "${env:DESK_FOLDER}"]}}}))
    changed = run("call", "Desk.Variables", "--yes", "--allow-writes")
    assert "names another server than when it was added; callboard toolkit refresh accepts it" in changed.err
    file.write_text(settings)
    with served(desk) as url:
        http = {"mcpServers": {"web": {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {TOKEN}"}}}}
        (desk / "claude.json").write_text(json.dumps(http))
        assert run("toolkit", "add", "--mcp-config", str(desk / "claude.json"), "web", "--name", "Web").code == ExitCode.OK
        called = run("call", "Web.FindTicket", "--number", "7", "--yes", "--allow-writes")
        assert json.loads(called.out) == {"number": 7, "state": "open"}
        assert run("toolkit", "check", "web").out.startswith("web: the list of tools is the same.")


@pytest.mark.parametrize(("settings", "said"), cases_beside(__file__)["wrong settings"])
def test_settings_that_name_no_server_are_refused_with_a_reason(
    run: Run, tmp_path: Path, settings: str | None, said: str
) -> None:
    file = tmp_path / "mcp.json"
    if settings is not None:
        file.write_text(settings)
    outcome = run("toolkit", "add", "--mcp-config", str(file), "it")
    assert (outcome.code, outcome.out) == (ExitCode.LOCAL, "")
    assert said in outcome.err


def test_a_server_over_http_gets_the_credential_of_its_account(run: Run, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(desk) as url:
        refused = run("toolkit", "add", "--mcp", url)
        assert refused.code == ExitCode.LOCAL
        assert "refused the request with HTTP 401" in refused.err
        assert "--name" in refused.err
        monkeypatch.setenv("FRONT_DESK_TOKEN", TOKEN)
        added = run("toolkit", "add", "--mcp", url, "--name", "Front Desk")
        assert (added.code, added.err) == (ExitCode.OK, "")
        called = run("call", "FrontDesk.FindTicket", "--number", "7", "--yes", "--allow-writes")
        assert json.loads(called.out) == {"number": 7, "state": "open"}
        assert run("toolkit", "check", "front-desk").code == ExitCode.OK
        monkeypatch.setenv("FRONT_DESK_TOKEN", "another-token-0815")
        wrong = run("call", "FrontDesk.FindTicket", "--number", "7", "--yes", "--allow-writes")
        assert wrong.code == ExitCode.CONNECTION
        assert "Credential rejected" in wrong.err
        assert "another-token-0815" not in wrong.err
    monkeypatch.setenv("FRONT_DESK_TOKEN", TOKEN)
    gone = run("call", "FrontDesk.FindTicket", "--number", "7", "--yes", "--allow-writes")
    assert gone.code == ExitCode.CONNECTION
    assert "cannot be reached" in gone.err
    assert TOKEN not in added.out + called.out + "".join(path.read_text() for path in kept_toolkits().rglob("*.json"))


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The desk server over HTTP, for whoever has the token."""

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, kind, content = 202, "text/plain", b""
            if self.headers.get("authorization") != f"Bearer {TOKEN}":
                status, kind, content = 401, "text/html", b"<html>who are you?</html>"
            elif "id" in request:
                result = desk_server.answer(request, folder, lambda _: None, lambda: None)
                told = result if "error" in result else {"result": result}
                status, kind = 200, "application/json"
                content = json.dumps({"jsonrpc": "2.0", "id": request["id"], **told}).encode()
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            self.send_error(405)

    with listening(Answering) as address:
        yield f"{address}/mcp"
