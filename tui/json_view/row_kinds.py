"""What kinds of rows a laid out JSON text has, and reading a few rows without arrays."""

from __future__ import annotations

SCALAR, OPENS, CLOSES = 0, 1, 2

Text = bytes | bytearray


def few_rows(text: Text) -> tuple[list[int], list[int], list[int]]:
    """Where each row of a small text starts, and one more after the last; the kind and the depth of each row."""
    starts, kinds, depths = [0], list[int](), list[int]()
    depth = 0
    for line in text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
        end = line.removesuffix(b",")[-2:]
        kind = OPENS if end.endswith((b"{", b"[")) else SCALAR
        if end.endswith((b"}", b"]")) and end not in (b"{}", b"[]"):
            kind = CLOSES
        depth -= kind == CLOSES
        kinds.append(kind)
        depths.append(depth)
        depth += kind == OPENS
    return starts, kinds, depths
