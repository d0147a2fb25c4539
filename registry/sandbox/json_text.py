"""Reads the JSON of requests, and says in plain words why one cannot be read."""

from __future__ import annotations

import json
from typing import Any


class NotJson(ValueError):
    """Bytes that are not JSON; the message says why."""


def loads(content: bytes) -> Any:
    """The values of a JSON text.

    Raises:
        NotJson: it is none, or cannot be read.
    """
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise NotJson(f"an error in line {error.lineno}, column {error.colno}") from error
    except UnicodeDecodeError as error:
        raise NotJson("it is not UTF-8") from error
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    except ValueError:
        raise NotJson("a number has too many digits") from None
