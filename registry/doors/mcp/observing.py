"""Middleware: an unexpected error becomes a crash report and an error response, and `--verbose` logs each request.

Both are written to standard error, because standard output belongs to the protocol.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR
from pydantic import ValidationError

from registry.doors.output import remark
from registry.files.crash_report import put_down
from registry.text.safe_text import shortened

_LONGEST = 120
_WORDS = "Unexpected error in Callboard. Standard error names the report; callboard audit shows what was sent."


class Observed:
    """Middleware of a server.

    Args:
        verbose: log each request in one line.
    """

    def __init__(self, *, verbose: bool = False) -> None:
        self._verbose = verbose

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Pass on a request."""
        started, became = time.perf_counter(), "cancelled"
        try:
            result = await call_next(ctx)
            became = _became(result)
            return result
        except (MCPError, ValidationError) as error:
            became = f"refused: {error}"
            raise
        except Exception as error:
            became = "failed"
            for line in put_down(error, f"callboard mcp, {ctx.method}").splitlines():
                remark(line)
            raise MCPError(INTERNAL_ERROR, _WORDS) from None
        finally:
            if self._verbose:
                took = time.perf_counter() - started
                remark(shortened(f"{ctx.method}{_about(ctx.params)}: {became} ({took:.2f} s)", _LONGEST))


def _about(params: Mapping[str, Any] | None) -> str:
    """The names in a request, without its other arguments, which may contain anything."""
    given = params or {}
    inner = given.get("arguments")
    tool = inner.get("tool") if isinstance(inner, Mapping) else None
    return "".join(f" {one}" for one in (given.get("name") or given.get("uri"), tool) if isinstance(one, str))


def _became(result: HandlerResult) -> str:
    values = result if isinstance(result, Mapping) else result.model_dump(by_alias=True) if result is not None else {}
    if values.get("resultType") == "input_required":
        return "a person is asked"
    return "an error" if values.get("isError") else "answered"
