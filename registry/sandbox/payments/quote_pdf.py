"""The PDF of a quote: who offers what to whom, until when and at which price.

It is text in Courier, which every reader has; letters that Windows-1252 lacks lose their accents or become question marks.
"""

import textwrap
import time
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from starlette.responses import Response

from registry.sandbox.payments.datasets.parts import units
from registry.sandbox.payments.errors import refused
from registry.sandbox.payments.operations import Call
from registry.sandbox.store import Body, StoredRow
from registry.sandbox.world import COMPANY

_WIDTH = 82
"""Letters in a line."""


def quote_pdf(call: Call) -> Response:
    """The PDF of a finalized quote."""
    quote = call.found().row
    if quote.body["status"] == "draft":
        raise refused("This quote is a draft. Finalize it before you download its PDF.", param="quote")
    number = quote.body.get("number") or quote.id
    headers = {"Content-Disposition": f'attachment; filename="{quote.id}.pdf"'}
    return Response(document(list(_lines(call, quote, number)), f"Quote {number}"), 200, headers, "application/pdf")


def document(lines: Sequence[str], title: str) -> bytes:
    """A PDF file with these lines of text, on one page that is as long as they need, and A4 at least."""
    height = max(842, 100 + 13 * len(lines))
    text = b"".join(b"(%s) '\n" % _encoded(line) for line in lines)
    content = b"BT /F 10 Tf 12.5 TL 50 %d Td\n%sET" % (height - 62, text)
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
        b"<< /Title <%s> >>" % ("\ufeff" + title).encode("utf-16-be").hex().encode(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 %d] /Contents 6 0 R " % height
        + b"/Resources << /Font << /F 3 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    )
    out, places = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n", b""
    for number, one in enumerate(objects, 1):
        places += b"%010d 00000 n \n" % len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"xref\n0 7\n0000000000 65535 f \n%strailer\n<< /Size 7 /Root 1 0 R /Info 4 0 R >>\n" % places
    return out + table + b"startxref\n%d\n%%%%EOF\n" % len(out)


def _encoded(text: str) -> bytes:
    known = "".join(one if one.encode("cp1252", "ignore") else unicodedata.normalize("NFKD", one)[0] for one in text)
    known = "".join(" " if unicodedata.category(letter).startswith("C") else letter for letter in known)
    return known.encode("cp1252", "replace").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def money(amount: int, currency: str) -> str:
    """An amount in the smallest unit of its currency, as people write it: ``EUR 1,234.50``."""
    whole = units(currency)
    return f"{currency.upper()} {'-' if amount < 0 else ''}{abs(amount) / whole:,.{len(str(whole)) - 1}f}"


def _lines(call: Call, quote: StoredRow, number: str) -> Iterator[str]:
    body, reader = quote.body, call.reader
    customer = reader.get("customer", body.get("customer"))
    yield f"{COMPANY:<{_WIDTH - 5}}Quote"
    yield ""
    made = (body.get("status_transitions") or {}).get("finalized_at") or quote.created
    dates = [f"Number {number}", f"Date {_day(made)}", f"Valid until {_day(body['expires_at'])}", f"Status {body['status']}"]
    # Whom the quote is for, without lines that the font has too few letters for.
    who: Body = customer.body if customer else {}
    address: Body = who.get("address") or {}
    town = " ".join(part for part in (address.get("postal_code"), address.get("city")) if part)
    named = ("Prepared for", who.get("name"), who.get("email"), address.get("line1"), town, address.get("country"))
    shown = [text[: _WIDTH - 31] for text in named if text and _encoded(text).count(b"?") <= len(text) // 2]
    for left, right in zip_longest(shown, dates, fillvalue=""):
        yield f"{left:<{_WIDTH - 30}}{right:>30}"
    for text in (body.get("header"), body.get("description")):
        yield from ["", *textwrap.wrap(text or "", _WIDTH)]
    yield _cells("Description", "Quantity", "Unit price", "Amount")
    yield "-" * _WIDTH
    for found in reader.every(("item",), {"_owner": quote.id}, oldest_first=True):
        item = found.row.body
        price = reader.get("price", item.get("price"))
        unit = price.body.get("unit_amount") if price else None
        first, *more = textwrap.wrap(item.get("description") or "", 40) or [""]
        each = "" if unit is None else money(unit, item["currency"])
        yield _cells(first, str(item.get("quantity") or ""), each, money(item["amount_subtotal"], item["currency"]))
        yield from more
    yield "-" * _WIDTH
    parts = body.get("total_details") or {}
    amounts = {"Subtotal": body["amount_subtotal"], "Discount": -(parts.get("amount_discount") or 0)}
    amounts |= {"Shipping": parts.get("amount_shipping"), "Tax": parts.get("amount_tax"), "Total": body["amount_total"]}
    for label, amount in amounts.items():
        if amount or label in ("Subtotal", "Total"):
            yield _cells("", "", label, money(amount, body.get("currency") or "usd"))
    yield from ["", *textwrap.wrap(body.get("footer") or "", _WIDTH)]


def _day(moment: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def _cells(description: str, quantity: str, unit: str, amount: str) -> str:
    return f"{description:<40}{quantity:>10}{unit:>16}{amount:>16}"
