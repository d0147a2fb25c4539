"""The process that `tui.json_view.threaded` starts: it searches one document with a regular expression, and ends.

It gets a line of JSON on standard input (the query, the indentation, and the seconds of CPU that it may use) and then the laid
out text. It prints the numbers of the rows, as 32-bit integers, or, with exit code 1, what is wrong with the expression.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress

from tui.json_view.rows import JsonRows
from tui.json_view.search import BadPattern, TextSearch, hits


def main() -> int:
    """Search, and return the exit code."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    wanted = json.loads(source.readline())
    with suppress(ImportError):  # not on Windows; there the program that started this ends it
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (wanted["seconds"], wanted["seconds"]))
    rows = JsonRows(source.read(), wanted["indent"])
    try:
        found = hits(rows, TextSearch(wanted["text"], is_regex=True, where=wanted["where"]))
    except BadPattern as error:
        target.write(str(error).encode())
        return 1
    target.write(found.tobytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
