"""The PDF of a quote: who offers what to whom, until when and at which price."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterator, Sequence
from typing import Any

from starlette.responses import Response

from registry.sandbox.company import COMPANY
from registry.sandbox.payments import expanding
from registry.sandbox.payments.calls import Call
from registry.sandbox.payments.errors import refused
from registry.sandbox.payments.parameters import arguments
from registry.sandbox.payments.reading import Found
from registry.sandbox.payments.scripts import SCRIPTS, latin, runs
from registry.sandbox.store import Body, StoredRow

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


_WITHOUT_CENTS = "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf"
_THOUSANDTHS = "bhd jod kwd omr tnd"
_LEFT, _RIGHT = 56, WIDTH - 56
_QUANTITY, _UNIT = 360, 450
_LAST_LINE = 150


class QuotePdf:
    """The PDF of a finalized quote."""

    def answer(self, call: Call) -> Response:
        """The file."""
        asked = arguments(call.query, (), expands=True)
        expanding.tree(asked.expand, ("quote",))
        reader = call.reader
        quote = reader.require(("quote",), call.ids[0], call.names[0]).row
        if quote.body["status"] == "draft":
            raise refused("This quote is a draft. Finalize it before you download its PDF.", param=call.names[0])
        lines = reader.every(("item",), {"_owner": quote.id}, oldest_first=True)
        customer = reader.get("customer", quote.body["customer"]) if quote.body.get("customer") else None
        number = quote.body.get("number") or quote.id
        content = document(_pages(quote, number, customer, lines, call), f"Quote {number}")
        headers = {"Content-Disposition": f'attachment; filename="{quote.id}.pdf"'}
        return Response(content, media_type="application/pdf", headers=headers)


def money(amount: int, currency: str) -> str:
    """An amount in the smallest unit of its currency, as people write it: ``EUR 1,234.50``."""
    digits = 0 if currency in _WITHOUT_CENTS.split() else 3 if currency in _THOUSANDTHS.split() else 2
    sign = "-" if amount < 0 else ""
    return f"{currency.upper()} {sign}{abs(amount) / 10**digits:,.{digits}f}"


def _pages(quote: StoredRow, number: str, customer: StoredRow | None, lines: list[Found], call: Call) -> list[PdfPage]:
    page, y = PdfPage(), HEIGHT - 72.0
    pages = [page]
    page.text(_LEFT, y, COMPANY, size=18, bold=True)
    page.text(_RIGHT, y, "Quote", size=18, bold=True, right=True)
    y -= 6
    for left, right in _head(quote, number, customer):
        y -= 16
        page.text(_LEFT, y + 2, left)
        page.text(_RIGHT, y + 2, right, right=True)
    y -= 12
    for part in _paragraphs(quote.body.get("header"), quote.body.get("description")):
        y -= 14
        page.text(_LEFT, y, part)
    y = _columns(page, y - 28)
    for found in lines:
        for texts in _row(found.row.body, call):
            if y < _LAST_LINE:
                page, y = PdfPage(), HEIGHT - 72
                pages.append(page)
                page.text(_LEFT, y, f"Quote {number}, page {len(pages)}", bold=True)
                y = _columns(page, y - 28)
            y -= 16
            _cells(page, y, texts)
    y -= 10
    page.line(_LEFT, y, _RIGHT, y)
    for label, amount in _totals(quote.body):
        y -= 16
        page.text(_UNIT, y, label, bold=label == "Total", right=True)
        page.text(_RIGHT, y, amount, bold=label == "Total", right=True)
    y -= 18
    for part in _paragraphs(quote.body.get("footer")):
        y -= 14
        page.text(_LEFT, y, part, size=9)
    return pages


def _head(quote: StoredRow, number: str, customer: StoredRow | None) -> Iterator[tuple[str, str]]:
    body = customer.body if customer else {}
    address: Body = body.get("address") or {}
    town = " ".join(part for part in (address.get("postal_code"), address.get("city")) if part)
    left = ["Prepared for", body.get("name"), body.get("email"), address.get("line1"), town, address.get("country")]
    finalized = (quote.body.get("status_transitions") or {}).get("finalized_at")
    right = [
        f"Number {number}",
        f"Date {_day(finalized or quote.created)}",
        f"Valid until {_day(quote.body['expires_at'])}",
        f"Status {quote.body['status']}",
    ]
    shown = [text for text in left if text and _readable(text)]
    for place in range(max(len(shown), len(right))):
        yield (shown[place : place + 1] or [""])[0], (right[place : place + 1] or [""])[0]


def _readable(text: str) -> bool:
    """Whether most of a text's letters can be written."""
    return sum(latin(part).count(b"?") for script, part in runs(text) if not script) <= len(text) // 2


def _columns(page: PdfPage, y: float) -> float:
    _cells(page, y, ("Description", "Quantity", "Unit price", "Amount"), bold=True)
    page.line(_LEFT, y - 6, _RIGHT, y - 6)
    return y - 8


def _cells(page: PdfPage, y: float, texts: tuple[str, str, str, str], *, bold: bool = False) -> None:
    page.text(_LEFT, y, texts[0], bold=bold)
    for x, text in zip((_QUANTITY, _UNIT, _RIGHT), texts[1:], strict=True):
        page.text(x, y, text, bold=bold, right=True)


def _row(item: Body, call: Call) -> Iterator[tuple[str, str, str, str]]:
    """A line item as lines of cells; long descriptions continue on further lines."""
    currency = item["currency"]
    price = call.reader.get("price", item["price"]) if isinstance(item.get("price"), str) else None
    unit = price.body.get("unit_amount") if price else None
    first, *others = textwrap.wrap(item.get("description") or "", 48) or [""]
    amounts = ("" if unit is None else money(unit, currency), money(item["amount_subtotal"], currency))
    yield first, str(item.get("quantity") or ""), *amounts
    for other in others:
        yield other, "", "", ""


def _totals(quote: Body) -> Iterator[tuple[str, str]]:
    currency = quote.get("currency") or "usd"
    details: dict[str, Any] = quote.get("total_details") or {}
    yield "Subtotal", money(quote["amount_subtotal"], currency)
    for label, name, sign in (
        ("Discount", "amount_discount", -1),
        ("Shipping", "amount_shipping", 1),
        ("Tax", "amount_tax", 1),
    ):
        if details.get(name):
            yield label, money(sign * details[name], currency)
    yield "Total", money(quote["amount_total"], currency)


def _paragraphs(*texts: str | None) -> Iterator[str]:
    for text in texts:
        if text:
            yield from textwrap.wrap(text, 92)


def _day(moment: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))
