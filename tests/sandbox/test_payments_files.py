"""The files host: the PDF of a quote."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.quote_pdf import PdfPage, document, money, width
from registry.sandbox.payments.scripts import latin, runs
from tests.sandbox.payments_fakes import HEADERS, NOW, application, client, dataset, id_of, new


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
        response = await host.get(f"/v1/quotes/{id_of('quote', 'open')}/pdf")
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/pdf"
    assert response.headers["content-disposition"] == f'attachment; filename="{id_of("quote", "open")}.pdf"'
    assert response.headers["Request-Id"].startswith("req_")
    found = objects(response.content)
    pages = re.search(rb"/Count (\d+)", found[2])
    assert pages
    assert int(pages[1]) == sum(b"/Type /Page " in one for one in found.values()) > 1
    text = words(response.content)
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
        response = await host.get(path)
    assert (response.status_code, response.headers["content-type"]) == (status, "application/json")
    assert about in response.json()["error"]["message"]


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


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Петрова танцово студио", b"Petrova tantsovo studio"),
        ("ФОП Іваненко", b"FOP Ivanenko"),
        ("Її Щука", b"Yiyi Shchuka"),
        ("Ελαιοτριβείο Δημητρίου", b"Elaiotriveio Dimitrioy"),
        ("Cà phê Nguyễn", b"C\xe0 ph\xea Nguyen"),
        ("ﬁ ①", b"fi 1"),
    ],
)
def test_some_scripts_are_spelt(text: str, written: bytes) -> None:
    assert latin(text) == written
    assert runs(text) == [("", text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("陈氏贸易有限公司", [("C", "陈氏贸易有限公司")]),
        ("佐藤商店 Ltd", [("C", "佐藤商店"), ("", " Ltd")]),
        ("カフェ 明", [("J", "カフェ"), ("", " "), ("J", "明")]),
        ("한강 漢江", [("K", "한강"), ("", " "), ("K", "漢江")]),
        ("", []),
    ],
)
def test_the_scripts_of_east_asia_have_fonts_of_their_own(text: str, parts: list[tuple[str, str]]) -> None:
    assert runs(text) == parts
    page = PdfPage()
    page.text(10, 10, text)
    assert page.scripts == {script for script, _ in parts if script}
    found = objects(document([page], "x"))
    content = b"".join(one for one in found.values() if b"stream" in one)
    shown = [bytes.fromhex(one.decode()).decode("utf-16-be") for one in re.findall(rb"<([0-9a-f]+)> Tj", content)]
    assert shown == [part for script, part in parts if script]
    for script in page.scripts:
        resource = re.search(
            rb"/%s (\d+) 0 R" % script.encode(), b"".join(one for one in found.values() if b"/MediaBox" in one)
        )
        assert resource
        font = found[int(resource[1])]
        assert b"/Subtype /Type0" in font
        descendant = re.search(rb"/DescendantFonts \[(\d+) 0 R\]", font)
        assert descendant
        assert b"/CIDSystemInfo << /Registry (Adobe)" in found[int(descendant[1])]
        described = re.search(rb"/FontDescriptor (\d+) 0 R", found[int(descendant[1])])
        assert described
        assert b"/Type /FontDescriptor" in found[int(described[1])]
    assert width(text, 10) == pytest.approx(sum(width(part, 10) for _, part in parts))


async def test_a_quote_names_its_customer_in_the_customers_script() -> None:
    def letter(builder: Builder) -> None:
        for key, name in {"kana": "カフェ 明", "bulgarian": "Петрова", "hebrew": "בית הדפוס"}.items():
            customer = new(builder, "customer", key, name=name, email=f"{key}@meadow.example")
            new(
                builder, "quote", key, customer=customer, status="open", number=f"QT-{key}", amount_subtotal=0,
                amount_total=0, total_details={}, currency="eur", expires_at=NOW,
            )  # fmt: skip

    shown = {}
    transport = httpx.ASGITransport(app=application(dataset(letter, "customer", "quote"), dataset(lambda _: None, "item")))
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox/files", headers=HEADERS) as host:
        for key in ("kana", "bulgarian", "hebrew"):
            response = await host.get(f"/v1/quotes/{id_of('quote', key)}/pdf")
            assert objects(response.content)
            shown[key] = words(response.content)
            assert f"{key}@meadow.example" in shown[key]
            assert "?" not in shown[key]
            if key == "kana":
                assert "カフェ".encode("utf-16-be").hex().encode() in response.content
    assert "Petrova" in shown["bulgarian"]


def test_the_smallest_document_is_a_pdf() -> None:
    page = PdfPage()
    page.text(10, 10, "x", right=True)
    assert len(objects(document([page], "明"))) == 7
    assert width("iii", 10) < width("WWW", 10)
