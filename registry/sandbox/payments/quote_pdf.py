"""The PDF of a quote: who offers what to whom, until when and at which price.

It is text in Courier, which every reader has; letters that Windows-1252 lacks lose their accents or become question marks.
"""

from __future__ import annotations

import textwrap
import time
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from starlette.responses import Response

from registry.sandbox.company import COMPANY
from registry.sandbox.payments.errors import refused
from registry.sandbox.payments.operations import Call
from registry.sandbox.store import Body, StoredRow

_WIDTH, _LINES = 82, 54
"""Letters in a line, and lines on a page."""
_WITHOUT_CENTS = "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf"
_THOUSANDTHS = "bhd jod kwd omr tnd"


def quote_pdf(call: Call) -> Response:
    """The PDF of a finalized quote."""
    quote = call.found().row
    if quote.body["status"] == "draft":
        raise refused("This quote is a draft. Finalize it before you download its PDF.", param="quote")
    number = quote.body.get("number") or quote.id
    headers = {"Content-Disposition": f'attachment; filename="{quote.id}.pdf"'}
    content = document(list(_lines(call, quote, number)), f"Quote {number}")
    return Response(content, media_type="application/pdf", headers=headers)


def document(lines: Sequence[str], title: str) -> bytes:
    """A PDF file with these lines of text, on as many pages as they need."""
    pages = [lines[start : start + _LINES] for start in range(0, len(lines), _LINES)]
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
        b"<< /Title <" + ("\ufeff" + title).encode("utf-16-be").hex().encode() + b"> >>",
    ]
    for number, page in enumerate(pages):
        content = b"BT /F 10 Tf 12.5 TL 50 780 Td\n" + b"".join(b"(%s) '\n" % _encoded(line) for line in page) + b"ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {6 + 2 * number} 0 R "
            "/Resources << /Font << /F 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    out, places = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"), []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return bytes(out) + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer


def _encoded(text: str) -> bytes:
    known = "".join(letter if _known(letter) else unicodedata.normalize("NFKD", letter)[0] for letter in text)
    known = "".join(" " if unicodedata.category(letter).startswith("C") else letter for letter in known)
    return known.encode("cp1252", "replace").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _known(letter: str) -> bool:
    return letter.encode("cp1252", "ignore") != b""


def money(amount: int, currency: str) -> str:
    """An amount in the smallest unit of its currency, as people write it: ``EUR 1,234.50``."""
    digits = 0 if currency in _WITHOUT_CENTS.split() else 3 if currency in _THOUSANDTHS.split() else 2
    return f"{currency.upper()} {'-' if amount < 0 else ''}{abs(amount) / 10**digits:,.{digits}f}"


def _lines(call: Call, quote: StoredRow, number: str) -> Iterator[str]:
    body, reader = quote.body, call.reader
    customer = reader.get("customer", body["customer"]) if body.get("customer") else None
    yield f"{COMPANY:<{_WIDTH - 5}}Quote"
    yield ""
    for left, right in zip_longest(_customer(customer.body if customer else {}), _dates(quote, number), fillvalue=""):
        yield f"{left:<{_WIDTH - 30}}{right:>30}"
    for text in (body.get("header"), body.get("description")):
        yield from ["", *textwrap.wrap(text or "", _WIDTH)]
    yield _cells("Description", "Quantity", "Unit price", "Amount")
    yield "-" * _WIDTH
    for item in reader.every(("item",), {"_owner": quote.id}, oldest_first=True):
        yield from _item(call, item.row.body)
    yield "-" * _WIDTH
    for label, amount in _totals(body):
        yield _cells("", "", label, amount)
    yield from ["", *textwrap.wrap(body.get("footer") or "", _WIDTH)]


def _customer(body: Body) -> list[str]:
    address: Body = body.get("address") or {}
    town = " ".join(part for part in (address.get("postal_code"), address.get("city")) if part)
    shown = ("Prepared for", body.get("name"), body.get("email"), address.get("line1"), town, address.get("country"))
    return [text[: _WIDTH - 31] for text in shown if text and _encoded(text).count(b"?") <= len(text) // 2]


def _dates(quote: StoredRow, number: str) -> list[str]:
    finalized = (quote.body.get("status_transitions") or {}).get("finalized_at")
    made, ends = _day(finalized or quote.created), _day(quote.body["expires_at"])
    return [f"Number {number}", f"Date {made}", f"Valid until {ends}", f"Status {quote.body['status']}"]


def _day(moment: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def _item(call: Call, item: Body) -> Iterator[str]:
    """A line item; long descriptions continue on further lines."""
    price = call.reader.get("price", item["price"]) if isinstance(item.get("price"), str) else None
    unit, currency = price.body.get("unit_amount") if price else None, item["currency"]
    first, *others = textwrap.wrap(item.get("description") or "", 40) or [""]
    shown = "" if unit is None else money(unit, currency)
    yield _cells(first, str(item.get("quantity") or ""), shown, money(item["amount_subtotal"], currency))
    yield from others


def _cells(description: str, quantity: str, unit: str, amount: str) -> str:
    return f"{description:<40}{quantity:>10}{unit:>16}{amount:>16}"


def _totals(quote: Body) -> Iterator[tuple[str, str]]:
    currency, details = quote.get("currency") or "usd", quote.get("total_details") or {}
    amounts: dict[str, Any] = {"Subtotal": quote["amount_subtotal"], "Discount": -(details.get("amount_discount") or 0)}
    amounts |= {"Shipping": details.get("amount_shipping"), "Tax": details.get("amount_tax"), "Total": quote["amount_total"]}
    for label, amount in amounts.items():
        if amount or label in ("Subtotal", "Total"):
            yield label, money(amount, currency)
