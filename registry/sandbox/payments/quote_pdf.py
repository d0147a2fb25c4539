"""The PDF of a quote: who offers what to whom, until when and at which price."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterator
from typing import Any

from starlette.responses import Response

from registry.sandbox.company import COMPANY
from registry.sandbox.payments import expanding
from registry.sandbox.payments.calls import Call
from registry.sandbox.payments.errors import refused
from registry.sandbox.payments.parameters import arguments
from registry.sandbox.payments.pdf import HEIGHT, WIDTH, PdfPage, document
from registry.sandbox.payments.reading import Found
from registry.sandbox.payments.scripts import latin, runs
from registry.sandbox.store import Body, StoredRow

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
