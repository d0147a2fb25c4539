"""Values that schemathesis makes for the operations of documents, as JSON lines. Runs in an environment of its own.

    python schemathesis_values.py FOLDER DOCUMENT...

`tests.tools.form_values` makes the environment and reads the lines: document, method, path, and the values by their places.
"""

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

OPERATIONS, EXAMPLES = 8, 10


def values(folder: Path, name: str) -> None:
    """Write the values for one document."""
    schema = schemathesis.openapi.from_dict(json.loads((folder / name).read_text()))
    count = 0
    for result in schema.get_all_operations():
        if count >= OPERATIONS:
            break
        with contextlib.suppress(Exception):  # an operation that schemathesis cannot read has no values
            operation = result.ok()
            _write(name, operation)
            count += 1


def _write(name: str, operation: Any) -> None:
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def each(case: Any) -> None:
        line = {
            "document": name,
            "method": operation.method,
            "path": operation.path,
            "media_type": case.media_type,
            "parameters": {"path": case.path_parameters, "query": case.query, "header": dict(case.headers or {})},
        }
        with contextlib.suppress(TypeError, ValueError):  # files and bytes are no JSON
            body = {"body": case.body} if isinstance(case.body, dict | list | str | int | float | None) else {}
            sys.stdout.write(json.dumps(line | body, allow_nan=False) + "\n")

    each()


if __name__ == "__main__":
    for one in sys.argv[2:]:
        with contextlib.suppress(Exception):  # a document that schemathesis refuses has no values
            values(Path(sys.argv[1]), one)
        sys.stdout.flush()
