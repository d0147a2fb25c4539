"""Finds output that is not made safe: a write in a module that is not listed beside it.

Output goes to the terminal, files, other programs, databases and logs. Each module in `unsafe_output.yaml` may write to what is
named with it, because it makes text safe itself or writes only what the program made; all other code calls these modules.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

ALLOWED: dict[str, dict[str, str]] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
"""By module: what it writes to, and why that is safe."""
EXEMPT = ("registry/sandbox/",)  # a service, not a client: nothing that another service sent gets there

_STREAMS = ("stdout", "stderr", "__stdout__", "__stderr__")
_HARMLESS = ("isatty", "fileno", "reconfigure", "encoding", "flush")
_WRITES_FILES = ("write_text", "write_bytes", "unnamed_file", "replace_text", "NamedTemporaryFile", "TemporaryFile", "mkstemp")
_STARTS = (
    "create_subprocess_exec", "create_subprocess_shell", "Popen", "system", "popen", "posix_spawn", "posix_spawnp", "startfile",
)  # fmt: skip
_STARTS_OF_OS = ("exec", "spawn")
_FROM = {"subprocess": "program", "webbrowser": "program", "pty": "program", "sqlite3": "database", "shutil": "file"}
_HARMLESS_FROM = (
    "TimeoutExpired", "CalledProcessError", "PIPE", "DEVNULL", "Connection", "Error", "Row", "which", "rmtree", "disk_usage",
)  # fmt: skip
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
