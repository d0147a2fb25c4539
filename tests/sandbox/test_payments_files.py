"""The files host: the PDF of a quote."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from registry.sandbox.payments.pdf import Page, document, latin, width
from registry.sandbox.payments.quote_pdf import money
from tests.sandbox.payments_fakes import HEADERS, application, client, id_of


def files(**headers: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=application())
    return httpx.AsyncClient(transport=transport, base_url="http://sandbox/files", headers=headers or HEADERS)


def objects(pdf: bytes) -> dict[int, bytes]:
    """The objects of a PDF, by number, read through its cross-reference table."""
    assert pdf.startswith(b"%PDF-1.")
    assert pdf.endswith(b"%%EOF\n")
    tail = re.search(rb"startxref\n(\d+)\n%%EOF\n$", pdf)
    assert tail
    table = pdf[int(tail[1]) :]
    head = re.match(rb"xref\n0 (\d+)\n0000000000 65535 f \n", table)
    assert head
    entries = re.findall(rb"(\d{10}) 00000 n \n", table)
    assert len(entries) == int(head[1]) - 1
    assert f"/Size {int(head[1])} /Root 1 0 R".encode() in table
    found = {}
    for number, entry in enumerate(entries, 1):
        start = int(entry)
        assert pdf[start:].startswith(f"{number} 0 obj\n".encode())
        found[number] = pdf[start : pdf.index(b"\nendobj\n", start)]
        stream = re.search(rb"/Length (\d+) >>\nstream\n", found[number])
        if stream:
            assert found[number][stream.end() + int(stream[1]) :] == b"\nendstream"
    return found


def words(pdf: bytes) -> str:
    texts = re.findall(rb"\(((?:[^()\\]|\\.)*)\) Tj", pdf)
    return "\n".join(re.sub(rb"\\(.)", rb"\1", text).decode("cp1252") for text in texts)


async def test_a_finalized_quote_has_a_pdf() -> None:
    async with files() as host:
        answer = await host.get(f"/v1/quotes/{id_of('quote', 'open')}/pdf")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"] == f'attachment; filename="{id_of("quote", "open")}.pdf"'
    assert answer.headers["Request-Id"].startswith("req_")
    found = objects(answer.content)
    pages = re.search(rb"/Count (\d+)", found[2])
    assert pages
    assert int(pages[1]) == sum(b"/Type /Page " in one for one in found.values()) > 1
    text = words(answer.content)
    for wanted in (
        "Fernway Software",
        "Number QT-open",
        "Amy Stefanescu",
        "amy@meadow.example",
        "An offer (with brackets) and a \\ in it",
        "Desk 0 — höhenverstellbar",
        "Desk 39 — höhenverstellbar",
        "EUR 3,000.00",
        "EUR -25.00",
        "EUR 2,975.00",
        "page 2",
    ):
        assert wanted in text, wanted


async def test_the_same_quote_has_the_same_pdf() -> None:
    path = f"/v1/quotes/{id_of('quote', 'open')}/pdf"
    async with files() as one, files() as other:
        assert (await one.get(path)).content == (await other.get(path)).content


@pytest.mark.parametrize(
    ("path", "status", "about"),
    [
        (f"/v1/quotes/{id_of('quote', 'draft')}/pdf", 400, "draft"),
        ("/v1/quotes/qt_x/pdf", 404, "No such quote: 'qt_x'"),
        (f"/v1/quotes/{id_of('quote', 'open')}", 404, "Unrecognized request URL"),
        (f"/v1/customers/{id_of('customer', 'amy')}", 404, "Unrecognized request URL"),
        (f"/v1/quotes/{id_of('quote', 'open')}/pdf?expand[]=nothing", 400, "cannot be expanded"),
        (f"/v1/quotes/{id_of('quote', 'open')}/pdf?page=2", 400, "unknown parameter"),
    ],
)
async def test_what_the_files_host_refuses(path: str, status: int, about: str) -> None:
    async with files() as host:
        answer = await host.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert about in answer.json()["error"]["message"]


async def test_the_files_host_wants_a_key_and_shares_the_world() -> None:
    path = f"/v1/quotes/{id_of('quote', 'open')}/pdf"
    async with files(Accept="application/pdf") as host:
        assert (await host.get(path)).status_code == 401
    async with files(Authorization="Bearer sk_live_x") as host:
        assert "similar object exists in test mode" in (await host.get(path)).text
    async with client() as api:
        api.base_url = httpx.URL("http://sandbox")
        clock = id_of("test_helpers.test_clock", "spring")
        clocked = f"/files/v1/quotes/{id_of('quote', 'clocked')}/pdf"
        assert (await api.get(clocked)).status_code == 200
        await api.delete(f"/payments/v1/test_helpers/test_clocks/{clock}")
        assert (await api.get(clocked)).status_code == 404


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (123456, "eur", "EUR 1,234.56"),
        (-5, "usd", "USD -0.05"),
        (1200, "jpy", "JPY 1,200"),
        (1500, "kwd", "KWD 1.500"),
        (0, "gbp", "GBP 0.00"),
    ],
)
def test_amounts_are_written_by_their_currency(amount: int, currency: str, text: str) -> None:
    assert money(amount, currency) == text


@pytest.mark.parametrize(
    ("text", "written"), [("é–€", b"\xe9\x96\x80"), ("Łódź", b"L\xf3dz"), ("明", b"?"), ("a\x07b\n", b"a b ")]
)
def test_letters_outside_the_fonts_are_replaced(text: str, written: Any) -> None:
    assert latin(text) == written


def test_the_smallest_document_is_a_pdf() -> None:
    page = Page()
    page.text(10, 10, "x", right=True)
    assert len(objects(document([page], "明"))) == 7
    assert width("iii", 10) < width("WWW", 10)
