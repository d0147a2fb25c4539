"""A small writer of PDF documents: lines of text and straight lines on A4 pages.

It writes PDF 1.5 and holds no fonts. Text is in Helvetica, which every reader has, with its Latin alphabet (WinAnsi);
Chinese, Japanese and Korean use the readers' own fonts (see `scripts`). Letters in neither are spelt in Latin letters, or
written without their accents, or replaced by a question mark.
"""

from __future__ import annotations

from collections.abc import Sequence

from registry.sandbox.payments.scripts import SCRIPTS, latin, runs

WIDTH, HEIGHT = 595, 842
"""An A4 page in points; the origin is at the bottom left."""

_REGULAR = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 "
    "278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 "
    "667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 "
    "556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
_WIDTHS = [int(width) for width in _REGULAR.split()]
_OTHER_WIDTH = 556


class PdfPage:
    """One page, drawn from calls in points."""

    def __init__(self) -> None:
        self._marks: list[bytes] = []
        self.scripts: set[str] = set()

    def text(self, x: float, y: float, text: str, *, size: float = 10, bold: bool = False, right: bool = False) -> None:
        """Write a line of text from x on, or up to x when `right`."""
        start = x - width(text, size) if right else x
        for script, part in runs(text):
            font = script or ("B" if bold else "R")
            shown = b"<" + part.encode("utf-16-be").hex().encode() + b">" if script else b"(" + _escape(latin(part)) + b")"
            self._marks.append(f"BT /{font} {size:g} Tf {start:.2f} {y:.2f} Td ".encode() + shown + b" Tj ET")
            start += width(part, size)
            self.scripts |= {script} - {""}

    def line(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a thin line."""
        self._marks.append(f"0.6 w {x1:.2f} {y1:.2f} m {x2:.2f} {y2:.2f} l S".encode())

    def content(self) -> bytes:
        """The page's content stream."""
        return b"\n".join(self._marks)


def width(text: str, size: float) -> float:
    """How wide a line of text is in points, by the widths of Helvetica; letters of the other scripts are all square."""
    total = 0
    for script, part in runs(text):
        total += 1000 * len(part) if script else sum(_latin_width(code) for code in latin(part))
    return total * size / 1000


def _latin_width(code: int) -> int:
    return _WIDTHS[code - 32] if 32 <= code < 127 else _OTHER_WIDTH


def document(pages: Sequence[PdfPage], title: str) -> bytes:
    """A whole PDF file."""
    first_page = 6
    used = sorted(set().union(*(page.scripts for page in pages)))
    behind = first_page + 2 * len(pages)
    others = "".join(f" /{script} {behind + 3 * place} 0 R" for place, script in enumerate(used))
    kids = " ".join(f"{first_page + 2 * number} 0 R" for number in range(len(pages)))
    fonts = b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        fonts % b"Helvetica",
        fonts % b"Helvetica-Bold",
        b"<< /Title <" + ("\ufeff" + title).encode("utf-16-be").hex().encode() + b"> >>",
    ]
    for number, page in enumerate(pages):
        content = page.content()
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {first_page + 2 * number + 1} 0 R "
            f"/Resources << /Font << /R 3 0 R /B 4 0 R{others} >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream")
    for place, script in enumerate(used):
        objects += SCRIPTS[script].objects(behind + 3 * place)
    return _file(objects)


def _file(objects: Sequence[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + one + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    for place in places:
        out += f"{place:010d} 00000 n \n".encode()
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
    return bytes(out)


def _escape(encoded: bytes) -> bytes:
    return encoded.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
