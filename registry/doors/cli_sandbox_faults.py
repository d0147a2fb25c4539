"""``callboard sandbox fault``: the faults of a sandbox that runs on this machine, over HTTP."""

from __future__ import annotations

import http.client
import json
from typing import Any

from registry.calling.sandbox_gateway import fault_problem
from registry.doors.output import ExitCode, complain, fail, remark, say
from registry.text.safe_text import visible

_PATIENCE = 10.0
_PATH = "/sandbox/faults"


class _NoSandbox(Exception):
    """There is no sandbox at the port."""


def manage_faults(specification: str, port: int, *, clear: bool) -> int:
    """Remove all faults, add one, and list the active ones.

    Args:
        specification: the fault to add; empty for none.
        port: the sandbox's port on 127.0.0.1.
        clear: whether to remove all faults first.
    """
    if not 1 <= port <= 65_535:
        fail(f"--port must be a number from 1 to 65535; got {port}")
    if specification and (problem := fault_problem(specification)):
        fail(problem)
    try:
        if clear:
            _ask(port, "DELETE")
        if specification:
            _ask(port, "POST", {"fault": specification})
        faults = _ask(port, "GET")["faults"]
        lines = [_line(fault) for fault in faults]
    except (_NoSandbox, KeyError, TypeError) as error:
        complain(f"cannot reach a sandbox on 127.0.0.1:{port}" + (f": {error}" if isinstance(error, _NoSandbox) else ""))
        remark("→ Start one with callboard sandbox, or name its port with --port.")
        return ExitCode.CONNECTION
    if lines:
        say("\n".join(lines))
    else:
        remark("no active faults")
    return ExitCode.OK


def _line(fault: dict[str, Any]) -> str:
    left = fault["remaining"]
    more = "until removed" if left is None else f"{left} left"
    return visible(f"{fault['id']:>3}  {fault['fault']}  ({fault['applied']} applied, {more})")


def _ask(port: int, method: str, body: dict[str, str] | None = None) -> Any:
    """The sandbox's response.

    Raises:
        _NoSandbox: no response, or not a sandbox's.
        SystemExit: the sandbox refuses.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    try:
        content = None if body is None else json.dumps(body).encode()
        connection.request(method, _PATH, content, {"Content-Type": "application/json"} if content else {})
        response = connection.getresponse()
        decoded = json.loads(response.read(1_000_000))
    except OSError as error:
        raise _NoSandbox(error.strerror or str(error) or type(error).__name__) from None
    except (http.client.HTTPException, ValueError, RecursionError):
        raise _NoSandbox("another program is listening there") from None
    finally:
        connection.close()
    if response.status == 400 and isinstance(decoded, dict) and isinstance(decoded.get("error"), str):
        fail(decoded["error"])
    if response.status not in (200, 201):
        raise _NoSandbox("another program is listening there")
    return decoded
