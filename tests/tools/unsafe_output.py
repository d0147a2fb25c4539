"""Finds output that is not made safe: a write in a module that is not listed below.

Output goes to the terminal, files, other programs, databases and logs. Each module below may write to those named with it,
because it makes text safe itself or writes only what the program made; all other code calls these modules.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ALLOWED: dict[str, dict[str, str]] = {
    "registry/doors/output.py": {"terminal": "what the command line prints: visible, or exact where it is no terminal"},
    "registry/doors/cli.py": {"terminal": "a crash report's last words"},
    "registry/doors/line_mode/session.py": {"terminal": "prompts: the program's own words, and values made visible"},
    "registry/files/folders.py": {"file": "writes every file, for those who are allowed below"},
    "registry/files/crash_report.py": {"file": "reports hold no data"},
    "registry/calling/client.py": {"file": "responses that are files, secrets masked"},
    "registry/results/saving.py": {"file": "what users save: exact, secrets masked"},
    "registry/results/returned_files.py": {"file": "images and other bytes of answers that users save, as they came"},
    "registry/results/spool.py": {"file": "items of received responses, removed at the end"},
    "registry/engines/parquet_parts.py": {"file": "Parquet parts where users want them: exact, secrets masked"},
    "registry/engines/tables.py": {"database": "rows where users want them: exact, secrets masked, names quoted"},
    "registry/saved/store.py": {"file": "calls that users save, without secrets"},
    "registry/journal/store.py": {"file": "makes the databases", "database": "opens them"},
    "registry/journal/history.py": {"database": "what `schema.written` made of a call, secrets masked"},
    "registry/journal/agent_requests.py": {"database": "what a person is told of a change, secrets masked, and the answer"},
    "registry/files/toml_text.py": {"file": "which settings of the user are gone, as it was told"},
    "registry/journal/audit.py": {"database": "changes, secrets masked", "file": "the same where the user wants it"},
    "registry/journal/drafts.py": {"database": "forms that are not sent yet, without secrets"},
    "registry/engines/database.py": {
        "database": "lists and files, secrets masked: in memory and a private folder that goes with it"
    },
    "registry/accounts/book.py": {"file": "accounts in config.toml, checked and quoted; never a secret"},
    "registry/accounts/stores.py": {
        "file": "a secret, in a file that its user has chosen for it",
        "program": "the user's command that prints a secret; no shell, no input",
    },
    "registry/accounts/memory.py": {"file": "what tests of accounts have shown, made visible where it came in"},
    "registry/mcp_client/session.py": {
        "file": "what a program writes to its standard error, for a hint",
        "log": "sees that the protocol's library, which logs texts of servers, logs nowhere",
    },
    "registry/accounts/links.py": {"program": "the user's browser, with the address to sign in at, which its caller has made"},
    "registry/doors/cli_account.py": {"terminal": "asks for a secret without echo, by the account's name, made visible"},
    "registry/files/streams.py": {"terminal": "makes the standard streams fit", "file": "a closed stream leads nowhere"},
    "registry/doors/cli_doctor.py": {"terminal": "asks what the standard streams are, and writes nothing"},
    "registry/oncall/recorder.py": {"file": "what the dashboard has read, secrets masked where it came in"},
    "registry/oncall/alarms.py": {"program": "the user's command, no shell; JSON on its standard input", "file": "that input"},
    "registry/doors/serve/child.py": {"program": "becomes this program again, behind a page"},
    "registry/doors/serve/tab.py": {"program": "starts this program behind a page", "terminal": "keys for it, from its page"},
    "registry/doors/listening.py": {"log": "sees that the web server's library, which logs what clients do, logs nowhere"},
    "registry/doors/mcp/server.py": {"log": "silences the log of a library"},
    "registry/doors/mcp/transports.py": {"file": "standard output, which carries the protocol alone, and the token of HTTP"},
    "registry/openapi/store.py": {"file": "toolkits made of documents: what the catalogue's rules let through"},
    "tui/terminal/clipboard.py": {
        "terminal": "the sequence that copies",
        "file": "what no clipboard takes",
        "program": "the desktop's clipboard",
    },
    "tui/terminal/external_programs.py": {
        "file": "what a pager or an editor opens",
        "program": "starts them",
        "terminal": "that one opens, in the program's own words",
    },
    "tui/terminal/notifications.py": {"log": "silences the log of a library"},
    "registry/results/query.py": {"log": "silences the warnings of a library"},
    "tui/app.py": {"terminal": "a crash report's last words"},
    "tui/entry.py": {"terminal": "a crash report's last words"},
    "tui/help/cheat_sheet.py": {"terminal": "the keys"},
    "tui/walks/export.py": {"file": "walks that users export or record: keys, the program's own screens, secrets masked"},
    "tui/oncall/display.py": {"terminal": "a notification, made visible"},
    "tui/oncall/report_dialog.py": {"file": "a report that users save"},
    "tui/state/json_store.py": {"file": "what the screens remember"},
}
EXEMPT = ("registry/sandbox/",)  # a service, not a client: nothing that another service sent gets there

_STREAMS = ("stdout", "stderr", "__stdout__", "__stderr__")
_HARMLESS = ("isatty", "fileno", "reconfigure", "encoding", "flush")
_WRITES_FILES = ("write_text", "write_bytes", "unnamed_file", "replace_text", "NamedTemporaryFile", "TemporaryFile", "mkstemp")
_STARTS = (
    "create_subprocess_exec",
    "create_subprocess_shell",
    "Popen",
    "system",
    "popen",
    "posix_spawn",
    "posix_spawnp",
    "startfile",
)
_STARTS_OF_OS = ("exec", "spawn")
_FROM = {"subprocess": "program", "webbrowser": "program", "pty": "program", "sqlite3": "database", "shutil": "file"}
_HARMLESS_FROM = (
    "TimeoutExpired",
    "CalledProcessError",
    "PIPE",
    "DEVNULL",
    "Connection",
    "Error",
    "Row",
    "which",
    "rmtree",
    "disk_usage",
)
_LOGS = ("logging", "syslog", "warnings")
_DATABASE = ("execute", "executemany", "executescript")
_TELLING = (ast.Attribute, ast.Call, ast.Import, ast.ImportFrom, ast.Name)
_MODE, _WRITING_MODE = re.compile("[rbt+wax]{1,4}"), set("wax+")


def writes_in(text: str) -> Iterator[tuple[int, str, str]]:
    """Every write in a Python file: its line, its target (terminal, file, program, database, log), and how it is written."""
    found = list(_looked_at(ast.parse(text)))
    imported = [one for node, _ in found if isinstance(node, ast.Import) for one in node.names]
    systems = {"sys"} | {one.asname for one in imported if one.name == "sys" and one.asname}
    for node, parent in found:
        for way in _ways(node, parent, systems):
            yield node.lineno, way, ast.unparse(node)[:60]  # type: ignore[attr-defined]


def _looked_at(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """The nodes that `_ways` tells anything of, each with its parent. Walking is most of the work, so it is done once."""
    waiting: list[tuple[ast.AST, ast.AST | None]] = [(tree, None)]
    for node, parent in waiting:  # which grows meanwhile
        if isinstance(node, _TELLING):
            yield node, parent
        for name in node._fields:
            inner = getattr(node, name, None)
            if isinstance(inner, list):
                waiting += [(one, node) for one in inner if isinstance(one, ast.AST)]
            elif isinstance(inner, ast.AST) and not isinstance(inner, ast.expr_context):
                waiting.append((inner, node))


def _ways(node: ast.AST, parent: ast.AST | None, systems: set[str]) -> Iterator[str]:
    match node:
        case ast.Attribute(ast.Name(module), name) if module in systems and name in _STREAMS:
            yield from [] if isinstance(parent, ast.Attribute) and parent.attr in _HARMLESS else ["terminal"]
        case ast.ImportFrom("sys", names) if any(one.name in _STREAMS for one in names):
            yield "terminal"
        case ast.Call(ast.Name("getattr"), [ast.Name(module), ast.Constant(name), *_]) if (
            module in systems and name in _STREAMS
        ):
            yield "terminal"
        case ast.Name("print" | "input") if not isinstance(parent, ast.keyword):
            yield "terminal"
        case ast.Attribute(_, "write_to_terminal" | "copy_to_clipboard" | "write_special_key"):
            yield "terminal"
        case ast.Call(ast.Attribute(ast.Name("os"), "write" | "writev" | "pwrite" | "sendfile")):
            yield "terminal"
        case ast.Import(names) if any(one.name.partition(".")[0] in _LOGS for one in names):
            yield "log"
        case ast.ImportFrom(module) if module in _LOGS:
            yield "log"
        case ast.Call(ast.Name(name) | ast.Attribute(_, name)) if name in _WRITES_FILES:
            yield "file"
        case ast.Call(ast.Name("open") | ast.Attribute(_, "open" | "fdopen")) if _opens_to_write(node):
            yield "file"
        case ast.Call(ast.Attribute(ast.Name("shutil"), name)) if name.startswith(("copy", "move")):
            yield "file"
        case ast.Call(ast.Name(name) | ast.Attribute(_, name)) if name in _STARTS:
            yield "program"
        case ast.Attribute(ast.Name("subprocess" | "webbrowser" | "pty"), name) if name not in _HARMLESS_FROM:
            yield "program"
        case ast.Call(ast.Attribute(ast.Name("os"), name)) if name.startswith(_STARTS_OF_OS):
            yield "program"
        case ast.ImportFrom(module, names) if module in _FROM and any(one.name not in _HARMLESS_FROM for one in names):
            yield _FROM[module]
        case ast.ImportFrom("os", names) if any(one.name in ("write", "writev", "pwrite", "sendfile") for one in names):
            yield "terminal"
        case ast.Import(names) if any(one.name in ("os", *_FROM) and one.asname for one in names):
            yield "terminal"  # under another name nothing of it is found
        case ast.Call(ast.Attribute(ast.Name("sqlite3"), "connect")):
            yield "database"
        case ast.Call(ast.Attribute(_, name)) if name in _DATABASE:
            yield "database"


def _opens_to_write(call: ast.Call) -> bool:
    """Whether a file is opened with a mode, or flags, that write."""
    given = [*call.args, *(word.value for word in call.keywords)]
    words = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if any(word.arg == "mode" and not isinstance(word.value, ast.Constant) for word in call.keywords):
        return True  # nobody can tell
    return any(_MODE.fullmatch(word) and _WRITING_MODE & set(word) for word in words) or any(
        "O_WRONLY" in ast.unparse(one) or "O_RDWR" in ast.unparse(one) for one in given
    )


def unsafe_writes(file: str, text: str) -> Iterator[tuple[int, str, str]]:
    """The writes in a file that are not allowed there."""
    yield from _not_allowed(file, writes_in(text))


def _not_allowed(file: str, writes: Iterable[tuple[int, str, str]]) -> Iterator[tuple[int, str, str]]:
    if not file.startswith(EXEMPT):
        yield from ((line, way, code) for line, way, code in writes if way not in ALLOWED.get(file, {}))


def files() -> list[str]:
    """The product's Python files."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "registry/*.py", "tui/*.py"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def main() -> int:
    """Print every unsafe write and every permission that nothing uses; the exit code is 1 if there was one."""
    wrong = 0
    used: set[tuple[str, str]] = set()
    for file in files():
        if Path(file).exists():
            writes = list(writes_in(Path(file).read_text("utf-8")))
            used |= {(file, way) for _, way, _ in writes}
            for line, way, code in _not_allowed(file, writes):
                sys.stderr.write(f"{file}:{line}: writes to a {way} without making it safe: {code}\n")
                wrong += 1
    for file, way in sorted({(file, way) for file, ways in ALLOWED.items() for way in ways} - used):
        sys.stderr.write(f"{file}: may write to a {way} and does not; remove that from tests/tools/unsafe_output.py\n")
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
