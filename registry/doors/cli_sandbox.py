"""``callboard sandbox``: the three services on a port of this machine."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Sequence

from registry.calling.sandboxed import fault_problem, sandbox_application, sandbox_protocol
from registry.doors.output import ExitCode, fail, say

_LONGEST_END = 5
"""Seconds after which the server stops although an answer is still under way."""


def serve(port: int, faults: Sequence[str] = ()) -> int:
    """Serve the sandbox on 127.0.0.1 until it is interrupted, and print how to reach it.

    Args:
        port: where to listen; 0 takes a free port.
        faults: what is in force from the beginning.
    """
    import uvicorn

    for text in faults:
        if problem := fault_problem(text):
            fail(f"--fault: {problem}")
    if not 0 <= port <= 65_535:
        fail(f"--port takes a number from 0 to 65535; got {port}")
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            fail(f"port {port} cannot be used: {error.strerror}; choose another one with --port, or 0 for a free one")
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        say(
            f"""Serving the sandbox on {base} (Ctrl+C ends it)

  export PAYMENTS_BASE_URL={base}/payments PAYMENTS_FILES_URL={base}/files PAYMENTS_API_KEY=sk_test_sandbox
  export INCIDENTS_BASE_URL={base}/incidents INCIDENTS_API_TOKEN=sandbox
  export CRM_BASE_URL={base}/crm CRM_ACCESS_TOKEN=sandbox
"""
        )
        config = uvicorn.Config(
            sandbox_application(faults),
            http=sandbox_protocol(),
            log_level="warning",
            lifespan="off",
            timeout_graceful_shutdown=_LONGEST_END,
        )
        server = uvicorn.Server(config)
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])
    return ExitCode.OK
