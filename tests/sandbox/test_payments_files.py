"""The files host: the PDF of a quote."""

import re

from registry.sandbox.payments.quote_pdf import document, money
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import application, delete, id_of, small

OPEN = f"/v1/quotes/{id_of('quote', 'open')}/pdf"


def objects(pdf: bytes) -> list[bytes]:
    """The objects of a PDF, read through its cross-reference table."""
    assert pdf.startswith(b"%PDF-1.")
    tail = re.search(rb"startxref\n(\d+)\n%%EOF\n$", pdf)
    assert tail
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n \n", pdf[int(tail[1]) :])]
    found = [pdf[place : pdf.index(b"endobj", place)] for place in places]
    assert all(one.startswith(b"%d 0 obj\n" % number) for number, one in enumerate(found, 1))
    for one in found:
        if stream := re.search(rb"/Length (\d+) >>\nstream\n(.*)\nendstream", one, re.DOTALL):
            assert len(stream[2]) == int(stream[1])
    return found


def words(pdf: bytes) -> str:
    texts = re.findall(rb"\(((?:[^()\\]|\\.)*)\) '", b"".join(objects(pdf)))
    return "\n".join(re.sub(rb"\\(.)", rb"\1", text).decode("cp1252") for text in texts)


def test_a_finalized_quote_has_a_pdf() -> None:
    response = small(host="files").send("GET", OPEN)
    assert small(host="files").send("GET", OPEN).content == response.content
    assert (response.status_code, response.headers["content-type"]) == (200, "application/pdf")
    assert response.headers["content-disposition"] == f'attachment; filename="{id_of("quote", "open")}.pdf"'
    assert sum(b"/Type /Page " in one for one in objects(response.content)) == 1
    text = words(response.content)
    for wanted in ("Fernway Software", "Number QT-open", "Amy Stefanescu", "amy@meadow.example", "with brackets) and a \\ in"):
        assert wanted in text
    for wanted in ("Desk 0 — höhenverstellbar", "Desk 39 — höhenverstellbar", "EUR 3,000.00", "EUR -25.00", "EUR 2,975.00"):
        assert wanted in text


def test_the_files_host_shares_the_world() -> None:
    clocked = f"/files/v1/quotes/{id_of('quote', 'clocked')}/pdf"
    with Direct(application(), "http://sandbox", Authorization="Bearer sk_test_x") as api:
        assert api.send("GET", clocked).status_code == 200
        delete(api, f"/payments/v1/test_helpers/test_clocks/{id_of('test_helpers.test_clock', 'spring')}")
        assert api.send("GET", clocked).status_code == 404


def test_amounts_are_written_by_their_currency() -> None:
    found = [money(*one) for one in ((123456, "eur"), (-5, "usd"), (1200, "jpy"))]
    assert found == ["EUR 1,234.56", "USD -0.05", "JPY 1,200"]


def test_letters_that_the_font_lacks_are_replaced() -> None:
    assert words(document(["é–€ Łódź 明 ş a\x07b"], "明")) == "é–€ ?ódz ? s a b"
