"""What the web server's library has to say on standard error: nothing of what clients do wrong, and a report of what we do."""

from __future__ import annotations

import logging

from registry.doors.output import complain, remark


def tell_errors(where: str) -> None:
    """From now on, an error in our own code is told as everywhere, and nothing else of uvicorn's is.

    A client's errors are told to the client. Give ``log_config=None`` to ``uvicorn.Config``: it has handlers of its own else.

    Args:
        where: what serves, for the report.
    """
    log = logging.getLogger("uvicorn")
    log.handlers = [_Told(where)]
    log.propagate = False


class _Told(logging.Handler):
    def __init__(self, where: str) -> None:
        super().__init__(logging.ERROR)
        self._where = where

    def emit(self, record: logging.LogRecord) -> None:
        """Tell an error."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Exception):
            from registry.storage.crash_report import EXIT_CODE, put_down

            happened, report = put_down(error, self._where).split("\n", 1)
            complain(happened.removeprefix("callboard: "), title="Unexpected error", code=EXIT_CODE)
            remark(report)
