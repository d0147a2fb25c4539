"""``callboard toolkit``: from a document to calls, a table, a deletion with consent, and to its removal."""

import json
import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from registry.catalog.folders import kept_toolkits
from registry.catalog.loader import load
from registry.doors.output import ExitCode
from registry.openapi import reading
from registry.openapi.pasted import document_in
from registry.references.knowledge import knowledge
from registry.toolkits.checking import file_problems
from tests.cases import cases_beside
from tests.command_line import Run
from tests.loopback import listening
from tests.openapi.making import document, written
from tests.tickets.service import ISSUES, TOKEN, USER, Tracker, tracker

DOCUMENT = Path(__file__).parent / "tracker.yaml"
GET = {"get": {"operationId": "getIt"}}
Pages = dict[str, tuple[int, dict[str, str], bytes]]
Site = tuple[str, Pages]


pytestmark = pytest.mark.usefixtures("toolkits_here")


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tracker]:
    with tracker() as one:
        for name, value in (("BASE_URL", one.base), ("USER", USER), ("PASSWORD", TOKEN)):
            monkeypatch.setenv(f"ISSUE_TRACKER_{name}", value)
        yield one


@pytest.fixture
def site() -> Iterator[Site]:
    """A site on this machine: its address, and what it answers by path: status, headers, body; to a POST, nothing."""
    pages: Pages = {}

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = pages.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.close_connection = True

    with listening(Answering) as address:
        yield address, pages


def test_from_a_document_to_calls_and_to_its_removal(run: Run, served: Tracker) -> None:
    added = run("toolkit", "add", str(DOCUMENT))
    assert (added.code, added.err) == (ExitCode.OK, "")
    assert "Added IssueTracker (issue-tracker): 5 tools of Issue Tracker API, OpenAPI 3.0." in added.out
    assert "callboard toolkit show issue-tracker" in added.out
    assert "Next: callboard tools IssueTracker" in added.out
    assert "AddComment" in run("tools", "IssueTracker").out
    assert "call ListIssues" in run("find", "IssueTracker.ListIssues").out.splitlines()[1]
    assert (load().problems, file_problems()) == ((), [])
    assert "IssueTracker.ListIssues" in run("tools", "list", "issues").out + run("show", "ListIssues").out
    assert run("toolkit", "list", "--json").json[0]["tools"] == 5

    listed = run("call", "ListIssues", "--state", "open", "--per-page", "2", "--format", "csv")
    assert [line.split(",")[0] for line in listed.out.splitlines()] == ["id", "23", "22"]
    assert len(run("call", "ListIssues", "--all", "--json").json) == ISSUES
    commented = run("call", "AddComment", "--issue-id", "7", "--text", "New", "--yes", "--allow-writes")
    assert (commented.json["text"], commented.err.splitlines()[1:]) == ("New", ["  text: New"])
    comments = run("call", "ListComments", "--issue-id", "7", "--limit", "3", "--all", "--json").json
    assert [one["text"] for one in comments][-1] == "New"

    refused = run("call", "DeleteIssue", "--issue-id", "7", "--yes")
    assert refused.code != ExitCode.OK
    assert 7 in served.issues
    gone = run("call", "DeleteIssue", "--issue-id", "7", "--allow-writes", "--confirm", "7", "--yes")
    assert (gone.code, 7 in served.issues) == (ExitCode.OK, False), gone.err
    assert "DeleteIssue" in run("audit").out
    assert "ListIssues" in run("history").out

    assert run("toolkit", "remove", "issue-tracker").out == "Removed issue-tracker.\n"
    assert list(kept_toolkits().glob("*/")) == []
    assert run("call", "ListIssues").code == ExitCode.USAGE
    assert run("toolkit", "remove", "issue-tracker").code == ExitCode.USAGE
    assert TOKEN not in "".join((added.out, listed.out, refused.err, gone.out, gone.err))


def test_guesses_are_shown_and_kept_and_an_overlay_says_otherwise(run: Run, served: Tracker, tmp_path: Path) -> None:
    overlay = tmp_path / "mine.json"
    comment = {"name": "Comment", "effect": "read", "group": "Talk", "title": "Say · it"}
    operations = {"POST /issues/{issue_id}/comments.json": comment, "deleteIssue": {"hidden": True}}
    overlay.write_text(json.dumps({"operations": operations}))
    run("toolkit", "add", str(DOCUMENT), "--overlay", str(overlay))
    tools = load().tools
    assert "DeleteIssue" not in {tool.own_name for tool in tools.values()}
    assert (tools["Comment"].effect, tools["Comment"].group) == ("read", "Talk")
    shown = run("toolkit", "show", "issue-tracker").out
    assert "paging/ListComments: pages by cursor, items in comments – from after and links.next" in shown
    assert "ids/issue: issue ids lead to the issue" in shown
    assert dict(knowledge("IssueTracker").kind("comment").refers) == {"issue": ("issue",)}
    assert tools["GetIssue" if "GetIssue" in tools else "IssueTracker.GetIssue"].parameters[0].refers_to == ("issue",)

    assert run("toolkit", "check", "issue-tracker", "--keep", "paging/ListComments").out == "Kept 1 guess of issue-tracker.\n"
    kept = json.loads((kept_toolkits() / "issue-tracker" / "overlay.json").read_text())
    assert kept["operations"]["GET /issues/{issue_id}/comments.json"]["paging"]["next"] == "links.next"
    assert kept["operations"]["deleteIssue"] == {"hidden": True}
    assert "paging/ListComments" not in run("toolkit", "show", "issue-tracker").out
    assert run("toolkit", "check", "issue-tracker", "--keep", "paging/Nothing").code == ExitCode.USAGE
    run("toolkit", "check", "issue-tracker", "--keep", "all")
    assert run("toolkit", "check", "issue-tracker", "--json").json["guesses"] == []
    assert len(run("call", "ListComments", "--issue-id", "7", "--all", "--json").json) == 7


def test_a_change_that_sets_no_field_shows_its_request(run: Run, site: Site, tmp_path: Path) -> None:
    base, pages = site
    pages["/things/7"] = (200, {}, b'{"id": "7", "state": "open"}')
    operation = {"operationId": "archive", "parameters": [{"name": "id", "in": "path", "required": True, "schema": {}}]}
    thing = {"get": operation | {"operationId": "getThing"}}
    content = document({"/things/{id}": thing, "/things/{id}/archive": {"post": operation}}, servers=[{"url": base}])
    run("toolkit", "add", str(written(tmp_path, content)))
    made = run("call", "Archive", "--id", "7", "--yes", "--allow-writes")
    assert f"request: POST {base}/things/7/archive" in made.err
    assert "No changes" not in made.err
    assert "the object does not show whether the change was made" in made.err


def test_a_client_gets_its_token_and_without_a_credential_a_401_says_what_to_give(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, str]] = []

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append((self.headers["Authorization"], self.rfile.read(int(self.headers["Content-Length"])).decode()))
            self._answer(200, b'{"access_token": "granted-token-1", "token_type": "Bearer", "expires_in": 3600}')

        def do_GET(self) -> None:
            given = self.headers["Authorization"] or self.headers["X-Key"]
            seen.append((given or "", self.path))
            self._answer(200 if given else 401, b'{"id": "7"}' if given else b'{"message": "Who are you?"}')

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

    with listening(Service) as base:
        flow = {"tokenUrl": f"{base}/token", "scopes": {"read": "", "write": ""}}
        schemes = {"o": {"type": "oauth2", "flows": {"clientCredentials": flow}}}
        more: dict[str, Any] = {"servers": [{"url": base}], "security": [{"o": []}], "components": {"securitySchemes": schemes}}
        added = run("toolkit", "add", str(written(tmp_path, document({"/a": GET}, **more))))
        assert "Calls need THINGS_OAUTH_TOKEN, or THINGS_CLIENT_ID and THINGS_CLIENT_SECRET" in added.out
        assert "set THINGS_OAUTH_TOKEN, or" in run("call", "GetIt").err
        monkeypatch.setenv("THINGS_CLIENT_ID", "me")
        monkeypatch.setenv("THINGS_CLIENT_SECRET", "client-secret-1")
        assert run("call", "GetIt").json == {"id": "7"}
        assert seen == [
            ("Basic bWU6Y2xpZW50LXNlY3JldC0x", "grant_type=client_credentials&scope=read+write"),
            ("Bearer granted-token-1", "/a"),
        ]

        plain = written(tmp_path, document({"/a": {"get": {"operationId": "other"}}}, servers=[{"url": base}]), "plain.json")
        run("toolkit", "add", str(plain), "--name", "Plain")
        refused = run("call", "Other")
        assert "Credential needed" in refused.err
        assert "Set PLAIN_TOKEN, or add an account" in refused.err
        monkeypatch.setenv("OWN_TOKEN", "own-secret-1")
        run("toolkit", "add", str(plain), "--name", "Own", "--header", "X-Key")
        assert run("call", "Own.Other").json == {"id": "7"}
        assert seen[-1] == ("own-secret-1", "/a")
        assert run("toolkit", "refresh", "own").code == ExitCode.OK
        assert run("call", "Own.Other").json == {"id": "7"}


def test_a_document_that_changed_is_told_and_refreshed(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, document({"/a": GET, "/b": {"get": {"operationId": "old"}}}))
    run("toolkit", "add", str(path), "--name", "My things")
    assert run("toolkit", "check", "my-things").out == "my-things: the document is the same.\n"
    before = (kept_toolkits() / "my-things" / "tools" / "001.json").read_bytes()
    written(tmp_path, document({"/a": {"get": {**GET["get"], "summary": "Other."}}, "/c": {"get": {"operationId": "new"}}}))
    checked = run("toolkit", "check", "MyThings", "--json").json
    assert (checked["new"], checked["gone"], checked["changed"]) == (["New"], ["Old"], ["GetIt"])
    assert (kept_toolkits() / "my-things" / "tools" / "001.json").read_bytes() == before
    path.write_text("{")
    assert run("toolkit", "refresh", "my-things").code == ExitCode.LOCAL
    assert (kept_toolkits() / "my-things" / "tools" / "001.json").read_bytes() == before
    written(tmp_path, document({"/c": {"get": {"operationId": "new"}}}))
    assert "Gone: GetIt, Old" in run("toolkit", "refresh", "my-things").out
    assert [tool.own_name for tool in load().tools.values() if tool.toolkit == "MyThings"] == ["New"]


def test_what_is_refused_changes_nothing(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, document({"/a": GET, "/b": {"get": {"parameters": [{"$ref": "#/nowhere"}]}}}))
    added = run("toolkit", "add", str(path))
    assert f"1 operation is left out; the first: {path}#/paths/~1b/get" in added.err
    again = run("toolkit", "add", str(path))
    assert (again.code, "--name" in again.err) == (ExitCode.LOCAL, True)
    assert run("toolkit", "add", str(path), "--name", "payments").code == ExitCode.LOCAL
    overlay = written(tmp_path, {"x": 1}, "o.json")
    assert run("toolkit", "add", str(path), "--name", "Other", "--overlay", str(overlay)).code == ExitCode.LOCAL
    assert [one.name for one in kept_toolkits().iterdir() if one.is_dir()] == ["things"]


def test_t7_a_path_that_cannot_be_read_ends_in_a_sentence(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "latin").write_bytes("openapi: é".encode("latin-1"))
    (tmp_path / "round").symlink_to(tmp_path / "round")
    for source, words in (
        (str(tmp_path / "none.json"), "there is no such file"),
        (str(tmp_path), "cannot be read: Is a directory"),
        (str(tmp_path / "pipe"), "it is not a regular file"),
        ("/dev/zero", "it is not a regular file"),
        (str(tmp_path / "round"), "cannot be read: "),
        (str(tmp_path / "latin"), "is not UTF-8 text: byte 9 cannot be read"),
        ("/proc/self/mem", "cannot be read: Input/output error"),
        ("x" * 5_000, "cannot be read: File name too long"),
        ("y/" * 5_000, "cannot be read: File name too long"),
        ("a\0b", "embedded null"),
        ("~a\0b", "embedded null"),
        ("http://[::1", "cannot be read: Invalid IPv6 URL"),
        ("https://", "is not the address of a document"),
    ):
        refused = run("toolkit", "add", source)
        assert (refused.code, refused.out, words in refused.err) == (ExitCode.LOCAL, "", True), refused.err


@pytest.mark.parametrize(
    "reference", ["http://[::1", "x" * 5_000, "a\0b#/x", "//[x", "file:///etc/passwd", "#/a\0", "#/%ff", "#a"]
)
def test_t7_a_reference_that_leads_nowhere_ends_in_a_sentence(run: Run, tmp_path: Path, reference: str) -> None:
    path = written(tmp_path, document({"/a": GET, "/b": {"get": {"parameters": [{"$ref": reference}]}}}))
    added = run("toolkit", "add", str(path))
    assert added.code == ExitCode.OK
    assert "1 operation is left out; the first:" in added.err
    assert "/paths/~1b/get: refers to " in added.err


def test_addresses(run: Run, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    base, pages = site
    monkeypatch.setattr(reading, "MOST_BYTES", 10_000)
    pages["/large"] = 200, {}, b" " * 10_001
    pages["/page"] = 200, {"Content-Type": "text/html"}, b"<!doctype html><p>Hi: there</p>"
    pages["/packed"] = 200, {"Content-Encoding": "gzip"}, b"{}"
    content = document({"/a": GET}) | {"servers": [{"url": "/v1"}]}
    pages["/docs/api.json"] = 200, {}, json.dumps(content).encode()
    pages["/secret.json"] = 200, {}, json.dumps(content | {"servers": [{"url": "https://u:S_3CRET@things.example"}]}).encode()
    for path, there in (
        ("/moved", "/docs/api.json"),
        ("/away", "http://things.example/api.json"),
        ("/round", "/round"),
        ("/nowhere", "http://127.0.0.1:99999/api.json"),
    ):
        pages[path] = 302, {"Location": there}, b""
    for address, words in (
        (base + "/none", "HTTP 404"),
        (base + "/large", "has more than 10,000 bytes"),
        (base + "/page", "is a web page or XML, not an OpenAPI document"),
        (base + "/packed", "cannot be read: incorrect header check"),
        (base + "/none?token=S_3CRET#S_3CRET", "HTTP 404"),
        (base + "/away", "is not an https address"),
        (base + "/round", "redirects more than 5"),
        (base + "/nowhere", "is not the address of a document"),
        (base + "/secret.json", "is not an address for requests"),
        ("http://things.example/a.json", "is not an https address"),
        ("https://u:S_3CRET@things.example/a.json", "has a credential in its address"),
    ):
        refused = run("toolkit", "add", address)
        assert (refused.code, words in refused.err, "S_3CRET" in refused.err) == (ExitCode.LOCAL, True, False), refused.err
    added = run("toolkit", "add", base + "/moved", "--json")
    assert added.json["source"] == base + "/docs/api.json"
    assert load().toolkits["Things"].hosts["api"].usual == base + "/v1"


@pytest.mark.parametrize(("text", "named"), cases_beside(__file__)["documents"])
def test_a_pasted_text_may_name_a_document(text: str, named: list[Any] | None) -> None:
    assert document_in(text) == (named and tuple(named))
