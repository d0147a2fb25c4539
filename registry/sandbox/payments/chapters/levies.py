"""The tax rates that invoices use, as data: the tax chapter writes them, invoices calculate with them."""

from __future__ import annotations

from typing import NamedTuple


class Levy(NamedTuple):
    """A tax rate in percent."""

    name: str
    country: str
    percentage: float
    type: str
    jurisdiction: str
    level: str = "country"
    state: str | None = None
    inclusive: bool = False
    active: bool = True


LEVIES: dict[str, Levy] = {
    "vat.de": Levy("MwSt.", "DE", 19.0, "vat", "Germany"),
    "vat.es": Levy("IVA", "ES", 21.0, "vat", "Spain"),
    "vat.fr": Levy("TVA", "FR", 20.0, "vat", "France"),
    "vat.gb": Levy("VAT", "GB", 20.0, "vat", "United Kingdom"),
    "vat.nl": Levy("BTW", "NL", 21.0, "vat", "Netherlands"),
    "vat.ie": Levy("VAT", "IE", 23.0, "vat", "Ireland"),
    "vat.pt": Levy("IVA", "PT", 23.0, "vat", "Portugal"),
    "vat.gr": Levy("ΦΠΑ", "GR", 24.0, "vat", "Greece"),
    "vat.no": Levy("MVA", "NO", 25.0, "vat", "Norway"),
    "vat.il": Levy("מע״מ", "IL", 18.0, "vat", "Israel"),
    "vat.ae": Levy("VAT", "AE", 5.0, "vat", "United Arab Emirates"),
    "vat.kr": Levy("부가가치세", "KR", 10.0, "vat", "South Korea"),
    "vat.za": Levy("VAT", "ZA", 15.0, "vat", "South Africa"),
    "gst.in": Levy("IGST", "IN", 18.0, "igst", "India"),
    "gst.ca": Levy("GST", "CA", 5.0, "gst", "Canada"),
    "gst.au": Levy("GST", "AU", 10.0, "gst", "Australia", inclusive=True),
    "gst.nz": Levy("GST", "NZ", 15.0, "gst", "New Zealand", inclusive=True),
    "gst.sg": Levy("GST", "SG", 9.0, "gst", "Singapore"),
    "jct.jp": Levy("消費税", "JP", 10.0, "jct", "Japan", inclusive=True),
    "sales.ny": Levy("Sales tax", "US", 8.875, "sales_tax", "New York City", "city", "NY"),
    "sales.ca": Levy("Sales tax", "US", 10.25, "sales_tax", "Santa Monica", "city", "CA"),
    "sales.tx": Levy("Sales tax", "US", 8.25, "sales_tax", "Austin", "multiple", "TX"),
    "hst.on": Levy("HST", "CA", 13.0, "hst", "Ontario", "state", "ON"),
    "qst.qc": Levy("QST", "CA", 9.975, "qst", "Quebec", "state", "QC"),
    "pst.bc": Levy("PST", "CA", 7.0, "pst", "British Columbia", "state", "BC"),
    "rst.mb": Levy("RST", "CA", 7.0, "rst", "Manitoba", "state", "MB"),
    "vat.de.2020": Levy("MwSt. (second half of 2020)", "DE", 16.0, "vat", "Germany", active=False),
    "lease.il": Levy("Chicago lease tax", "US", 11.0, "lease_tax", "Chicago", "city", "IL"),
    "county.co": Levy("County sales tax", "US", 1.0, "sales_tax", "Denver County", "county", "CO"),
    "district.co": Levy("Transport district tax", "US", 1.1, "sales_tax", "Denver district", "district", "CO"),
    "amusement.il": Levy("Amusement tax", "US", 9.0, "amusement_tax", "Chicago", "city", "IL", active=False),
    "communications.fl": Levy("Communications services tax", "US", 7.44, "communications_tax", "Florida", "state", "FL"),
    "service.br": Levy("ISS", "BR", 2.9, "service_tax", "São Paulo", "city", "SP"),
}  # the delivery fee of Colorado is an amount and not a percentage; the tax chapter writes it by itself
