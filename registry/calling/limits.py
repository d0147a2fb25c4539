"""Time and size limits of a response; without imports, so that options can name the defaults."""

from __future__ import annotations

import msgspec


class ResponseLimits(msgspec.Struct, frozen=True):
    """How long a response may take, and how large it may be.

    Attributes:
        connecting: seconds until a connection is open.
        silence: seconds without a byte.
        whole: seconds for one attempt, from sending the request to the last byte; against responses that trickle in.
        size: bytes of the body, decompressed.
    """

    connecting: float = 10.0
    silence: float = 60.0
    whole: float = 300.0
    size: int = 128_000_000
