"""What uvicorn logs to standard error: no errors of clients, and a crash report for ours."""

from __future__ import annotations

import logging

from registry.doors.output import complain, remark
from registry.files.crash_report import EXIT_CODE, put_down


def tell_errors(where: str) -> None:
    """From now on, report an error in our own code as everywhere else, and log nothing else of uvicorn.

    Clients get their errors in responses. Pass ``log_config=None`` to ``uvicorn.Config``, or it installs its own handlers.

    Args:
        where: the server's name, for the report.
    """
    log = logging.getLogger("uvicorn")
    log.handlers = [_CrashReporter(where)]
    log.propagate = False


class _CrashReporter(logging.Handler):
    def __init__(self, where: str) -> None:
        super().__init__(logging.ERROR)
        self._where = where

    def emit(self, record: logging.LogRecord) -> None:
        """Report an error."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Exception):
            happened, report = put_down(error, self._where).split("\n", 1)
            complain(happened.removeprefix("callboard: "), title="Unexpected error", code=EXIT_CODE)
            remark(report)
