"""No product code names a service: what differs between services is declared in the toolkits' folders and read from there.

What to look for is read from the toolkits themselves: the toolkits' names as whole strings, environment variables, the vendors'
domains and the words that only they have (the first part of a domain, which their header names hold as well), and the names of
usual accounts where they are keys. Fields and ids of one service are found too (`service_fields`). Only the rooms that stand
on one toolkit by name, and the sandbox, may name one.
"""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))  # it is run as a file

from tests.tools.service_fields import Fields

ALLOWED = (
    "registry/toolkits/",  # the toolkits themselves
    "registry/oncall/",  # the on-call rooms stand on the incidents toolkit
    "tui/oncall/",
    "registry/sandbox/",
)
_HOLDERS = re.compile(r"(connections?|accounts?|services?|toolkits?|chosen|found|endpoints)(\(.*\))?$")


class Names:
    """What the toolkits that ship are called and use."""

    def __init__(self, folder: Path) -> None:
        services = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*/service.json"))]
        self.toolkits = {service["toolkit"] for service in services}
        self.accounts = {service["name"] for service in services}
        vendors = {domain.split(".")[0] for service in services for domain in service["links"]}
        variables = {
            value
            for service in services
            for one in (*service["authentication"], *service["hosts"].values())
            for key, value in one.items()
            if key in ("variable", "user_variable")
        }
        variables |= {name for service in services for name in service.get("request", {}).get("moved", {})}
        words = [*(rf"\b{name}\b" for name in sorted(variables)), *(rf"(?i:{vendor})" for vendor in sorted(vendors))]
        self.anywhere = re.compile("|".join(words))

    def in_file(self, text: str) -> Iterator[tuple[int, str]]:
        """Every name of a service in a Python file, with its line."""
        for number, line in enumerate(text.splitlines(), 1):
            for found in self.anywhere.finditer(line):
                yield number, found[0]
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and node.value in self.toolkits
                and not _is_title(node, text)
            ):
                yield node.lineno, node.value
            yield from ((one.lineno, str(one.value)) for one in _keys(node) if one.value in self.accounts)


def _keys(node: ast.AST) -> Iterator[ast.Constant]:
    """Strings by which something is looked up among accounts or services, and keys of tables with several of them."""
    match node:
        case ast.Subscript(value, ast.Constant(str()) as key) if _HOLDERS.search(ast.unparse(value)):
            yield key
        case ast.Call(ast.Attribute(value, "get" | "pop" | "setdefault"), [ast.Constant(str()) as key, *_]) if _HOLDERS.search(
            ast.unparse(value)
        ):
            yield key
        case ast.Compare(ast.Constant(str()) as key, [ast.In() | ast.NotIn()], [value]) if _HOLDERS.search(ast.unparse(value)):
            yield key
        case ast.Compare(value, [ast.Eq() | ast.NotEq()], [ast.Constant(str()) as key]) if "name" in ast.unparse(value):
            yield key


def _is_title(node: ast.Constant, text: str) -> bool:
    """Whether a string is said to people as an English word: the title of a heading or a column."""
    line = text.splitlines()[node.lineno - 1]
    return re.search(r"\b(title|label|Heading)\b", line) is not None


def main() -> int:
    """Tell every name, and whether there was one."""
    names, fields = Names(Path("registry/toolkits")), Fields(Path("registry/toolkits"))
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "registry/*.py", "tui/*.py"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    wrong = 0
    for file in listed:
        if not file.startswith(ALLOWED) and Path(file).exists():
            text = Path(file).read_text("utf-8")
            for line, name in dict.fromkeys(names.in_file(text)):
                sys.stderr.write(f"{file}:{line}: names a service: {name}; read what it needs from the service\n")
                wrong += 1
            for line, name in dict.fromkeys(fields.in_file(text)):
                sys.stderr.write(f"{file}:{line}: knows a service's field: {name}; declare it in the toolkit's folder\n")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
