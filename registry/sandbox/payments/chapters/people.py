"""Who buys: the customers, as data.

A wallet is a list of codes, the first of which is what the customer pays with. A code is a card of `methods.CARDS` or the
name of another means of payment; a leading ``~`` makes it a card or bank account kept in the older way, as a payment source.
"""

from __future__ import annotations

from typing import NamedTuple


class Buyer(NamedTuple):
    """A customer. `where` is ``line1|city|state|postal code|country``; `tax` a key of `levies.LEVIES` or empty."""

    key: str
    name: str | None
    where: str
    currency: str = "usd"
    wallet: str = ""
    tax: str = ""
    tax_id: str = ""
    locale: str = ""
    phone: str | None = None
    days: int = 0
    clock: str | None = None
    exempt: str = "none"

    @property
    def country(self) -> str:
        """The country's two letters."""
        return self.where.rpartition("|")[2]

    @property
    def email(self) -> str | None:
        """Where invoices go."""
        if self.name is None:
            return None
        place = self.name.casefold().replace(" ", "-") if self.clock else self.key.replace(".", "-")
        return f"accounts@{place}.example"


BUYERS: tuple[Buyer, ...] = (
    Buyer("ada.romero", "Ada Romero", "Calle de la Luna 31|Madrid||28004|ES", "eur", "visa mastercard ~visa ~amex sepa",
          "vat.es", "es_cif:B78450312", "es"),
    Buyer("brightwater", "Brightwater Dental Group", "410 Alder Street|Portland|OR|97205|US", "usd",
          "amex ~visa ~mastercard ach", "", "us_ein:93-1704412", "en-US", "+15035550142"),
    Buyer("kofi.mensah", "Kofi Mensah Tailoring", "14 Ring Road East|Accra|||GH", "usd", "mastercard ~mastercard", "", "",
          "en"),
    Buyer("lindenhof", "Gärtnerei Lindenhof GmbH", "Lindenallee 7|Leipzig||04105|DE", "eur", "sepa visa ~visa", "vat.de",
          "eu_vat:DE811907533", "de", "+493023125014"),
    Buyer("sato", "佐藤商店 株式会社", "神田小川町2-5|千代田区|東京都|101-0052|JP", "jpy", "jcb visa ~jcb", "jct.jp",
          "jp_trn:T8010001213708", "ja"),
    Buyer("chen", "陈氏贸易有限公司", "中山路 188 号|厦门||361001|CN", "usd", "unionpay ~unionpay alipay", "",
          "cn_tin:91350200M0001XYZ12", "zh"),
    Buyer("hangang", "한강 스튜디오", "양화로 45|서울|마포구|04036|KR", "krw", "kr_card visa ~visa", "vat.kr",
          "kr_brn:214-88-01234", "ko"),
    Buyer("mansour", "ليلى منصور للتجارة", "شارع الرقة 12|دبي|||AE", "aed", "visa ~visa", "vat.ae", "ae_trn:100354789600003",
          "ar"),
    Buyer("ben.david", "בית הדפוס בן־דוד", "רחוב הרצל 9|תל אביב||6688312|IL", "ils", "mastercard ~mastercard", "vat.il",
          "il_vat:514093821", "he"),
    Buyer("olsen", "Olsen & Sønner Fisk AS", "Strandgaten 18|Bergen||5013|NO", "nok", "visa mastercard ~visa ~mastercard",
          "vat.no", "no_vat:981276957MVA", "nb"),
    Buyer("perrin", "Maison Perrin", "8 rue des Tanneurs|Lyon||69002|FR", "eur", "cartes sepa ~visa", "vat.fr",
          "eu_vat:FRAB123456789", "fr", "+33199001742"),
    Buyer("harbour.finch", "Harbour & Finch Ltd", "22 Quayside|Bristol||BS1 4QA|GB", "gbp", "bacs visa ~visa ~visa-debit ~amex",
          "vat.gb", "gb_vat:GB903451177", "en-GB", "+442079460188"),
    Buyer("rao", "Rao Textiles Pvt Ltd", "5 Avinashi Road|Coimbatore|TN|641018|IN", "inr", "visa", "gst.in",
          "in_gst:33AAACR4849R1ZL", "en-IN"),
    Buyer("aurora", "Padaria Aurora Ltda", "Rua Augusta 1500|São Paulo|SP|01304-001|BR", "brl", "mastercard boleto ~mastercard",
          "", "br_cnpj:12.345.678/0001-95", "pt-BR"),
    Buyer("quetzal", "Taller Quetzal", "Av. Reforma 220|Ciudad de México|CDMX|06600|MX", "mxn", "visa oxxo", "",
          "mx_rfc:TQU850101AB3", "es-MX"),
    Buyer("northpine", "Northpine Laboratories Inc.", "77 Water Street|Vancouver|BC|V6B 1A1|CA", "cad", "acss visa ~visa",
          "gst.ca", "ca_bn:123456789RT0001", "en-CA", "+16045550117"),
    Buyer("wattle", "Wattle Creek Winery", "3 Vineyard Lane|Tanunda|SA|5352|AU", "aud", "becs visa", "gst.au",
          "au_abn:51824753556", "en-AU", "+61255501234"),
    Buyer("nowak", "Nowak Meble sp. z o.o.", "ul. Leśna 4|Poznań||60-101|PL", "pln", "visa blik p24", "", "eu_vat:PL7811767696",
          "pl", exempt="reverse"),
    Buyer("horakova", "Horáková účetnictví", "Dlouhá 12|Brno||602 00|CZ", "czk", "mastercard", "", "eu_vat:CZ25123891", "cs",
          exempt="reverse"),
    Buyer("petrova", "Петрова танцово студио", "ул. Шипка 6|София||1504|BG", "eur", "visa ~visa", "", "eu_vat:BG203456789",
          "bg", exempt="reverse"),
    Buyer("dimitriou", "Ελαιοτριβείο Δημητρίου", "Οδός Ερμού 21|Καλαμάτα||24100|GR", "eur", "mastercard ~mastercard", "vat.gr",
          "eu_vat:EL094259216", "el"),
    Buyer("ivanenko", "ФОП Іваненко О. М.", "вул. Соборна 5|Львів||79000|UA", "usd", "visa", "", "ua_vat:3012456789", "uk"),
    Buyer("nguyen", "Cà phê Nguyễn", "24 Hàng Gai|Hà Nội|||VN", "usd", "visa ~visa", "", "vn_tin:0100109106", "vi"),
    Buyer("somchai", "ร้านอาหารสมชาย", "99 ถนนนิมมานเหมินท์|เชียงใหม่||50200|TH", "thb", "visa promptpay", "",
          "th_vat:0105556041155", "th"),
    Buyer("tan.logistics", "Tan Brothers Logistics Pte Ltd", "10 Keppel Lane|Singapore||089056|SG", "sgd",
          "visa paynow grabpay ~visa", "gst.sg", "sg_gst:M91234567X", "en-SG"),
    Buyer("mueller", "Müller Uhren AG", "Bahnhofplatz 3|Biel||2502|CH", "chf", "visa twint ~visa ~mastercard", "",
          "ch_vat:CHE-123.456.788 MWST", "de-CH"),
    Buyer("virtanen", "Virtasen Sauna Oy", "Rantakatu 11|Tampere||33200|FI", "eur", "visa-debit mobilepay", "",
          "eu_vat:FI12345671", "fi", exempt="reverse"),
    Buyer("bergstroem", "Bergström Design AB", "Hornsgatan 40|Stockholm||118 21|SE", "sek", "mastercard swish ~mastercard", "",
          "eu_vat:SE556703748501", "sv", "+46846500412", exempt="reverse"),
    Buyer("de.vries", "De Vries Fietsen B.V.", "Oudegracht 88|Utrecht||3511 AV|NL", "eur", "sepa ideal ~visa", "vat.nl",
          "eu_vat:NL854502130B01", "nl"),
    Buyer("rossi", "Torrefazione Rossi S.r.l.", "Via Garibaldi 17|Torino|TO|10122|IT", "eur", "sepa mastercard", "",
          "eu_vat:IT01234567890", "it", exempt="reverse"),
    Buyer("silva", "Silva Surf Lda", "Rua do Norte 3|Ericeira||2655-001|PT", "eur", "visa multibanco ~visa", "vat.pt",
          "eu_vat:PT501964843", "pt-PT"),
    Buyer("murphy", "Murphy's Books", "6 Quay Street|Galway||H91 E2K1|IE", "eur", "visa ~visa ~visa-debit", "vat.ie",
          "eu_vat:IE6388047V", "en-IE"),
    Buyer("popescu", "Popescu Foto SRL", "Strada Republicii 14|Cluj-Napoca||400015|RO", "eur", "visa", "", "eu_vat:RO12345678",
          "ro", exempt="reverse"),
    Buyer("yilmaz", "Yılmaz Halıcılık", "Arasta Çarşısı 8|İstanbul||34122|TR", "try", "mastercard", "", "tr_tin:0123456789",
          "tr"),
    Buyer("okonkwo", "Okonkwo Prints", "15 Broad Street|Lagos|||NG", "usd", "", "", "ng_tin:12345678-0001", "en-NG"),
    Buyer("mwangi", "Mwangi Tea Growers Co-operative", "Kericho Road|Kericho|||KE", "usd", "visa ~visa", "",
          "ke_pin:P000111111A", "sw"),
    Buyer("van.wyk", "Van Wyk Safaris", "12 Long Street|Cape Town|WC|8001|ZA", "zar", "mastercard ~mastercard", "vat.za",
          "za_vat:4123456789", "en-ZA"),
    Buyer("el.amrani", "Riad El Amrani", "Derb Dabachi 4|Marrakech||40000|MA", "eur", "visa", "", "ma_vat:12345678", "fr"),
    Buyer("quispe", "Tejidos Quispe", "Calle Loreto 115|Cusco||08000|PE", "usd", "visa", "", "pe_ruc:20100130204", "es"),
    Buyer("fernandez", "Bodega Fernández", "San Martín 1250|Mendoza||5500|AR", "usd", "mastercard diners", "",
          "ar_cuit:30-12345678-1", "es-AR"),
    Buyer("rojas", "Rojas Cobre SpA", "Av. Brasil 2021|Antofagasta||1240000|CL", "clp", "visa", "", "cl_tin:76.123.456-7",
          "es-CL"),
    Buyer("granite.peak", "Granite Peak Outfitters", "1200 Main Street|Bozeman|MT|59715|US", "usd",
          "~visa ~mastercard ~discover visa", "", "", "en-US", "+14065550133"),
    Buyer("sunny.side", "Sunny Side Diner", "18 Route 66|Flagstaff|AZ|86001|US", "usd", "visa-debit cashapp ~visa-debit", "",
          "", "en-US", "+19285550109"),
    Buyer("blue.heron", "Blue Heron Clinic", "9 Lakeview Drive|Madison|WI|53703|US", "usd", "ach visa ~bank ~visa", "",
          "us_ein:39-2011876", "en-US", "+16085550164"),
    Buyer("copper.kettle", "Copper Kettle Soups", "301 Market Street|Philadelphia|PA|19106|US", "usd",
          "discover link ~discover", "", "", "en-US", "+12155550121"),
    Buyer("maple.main", "Maple & Main Hardware", "2 Maple Street|Montpelier|VT|05602|US", "usd",
          "mastercard-prepaid visa ~mastercard", "", "", "en-US", "+18025550155"),
    Buyer("riverbend", "Riverbend Unified Schools", "700 River Road|Boise|ID|83702|US", "usd", "ach ~bank", "",
          "us_ein:82-6000952", "en-US", "+12085550170", exempt="exempt"),
    Buyer("cedar", "Cedar Food Co-op", "44 Cedar Street|Burlington|VT|05401|US", "usd", "ach ~bank ~visa", "", "", "en-US",
          "+18025550188"),
    Buyer("lantern", "Lantern Press", "250 West 18th Street|New York|NY|10011|US", "usd", "amex paypal ~amex ~visa", "sales.ny",
          "", "en-US", "+12125550136"),
    Buyer("confetti", "Confetti & Co", "81 Pier Avenue|Santa Monica|CA|90405|US", "usd", "visa klarna affirm ~visa",
          "sales.ca", "", "en-US", "+13105550198"),
    Buyer("brackets", "Bracken & Sons", "1 Slate Lane|Austin|TX|78701|US", "usd", "visa ~visa", "", "", "en-US",
          "+15125550104"),
    Buyer("quotes", "O'Neil Quarries", "7 Grafton Row|Dublin||D02 X285|IE", "eur", "mastercard", "vat.ie", "",
          "en-IE"),
    Buyer("long.name", "Sociedad Internacional de Exportación", "Calle Larga 300|Sevilla||41001|ES", "eur",
          "visa", "vat.es", "", "es"),
    Buyer("nameless", None, "Unter den Eichen 9|Wien||1010|AT", "eur", "sepa", "", "", "de"),
    Buyer("escape", "Escape Rooms Rotterdam", "Witte de Withstraat 5|Rotterdam||3012 BK|NL", "eur", "visa ~visa", "",
          "eu_vat:NL809411324B01", "nl", exempt="reverse"),
    Buyer("gallery", "Fernway Quality Lab", "1 Test Lane|Wilmington|DE|19801|US", "usd",
          "visa ~visa ~mastercard ~amex ~bank", "", "", "en-US", days=340),
    Buyer("halden", "Halden Industries SE", "Hafenstraße 100|Hamburg||20359|DE", "eur", "sepa ~bank", "vat.de",
          "eu_vat:DE136695976", "de", "+493023125088"),
    Buyer("nordhafen", "Stadtwerke Nordhafen", "Am Kai 2|Kiel||24103|DE", "eur", "transfer", "vat.de", "eu_vat:DE287541099",
          "de", "+493023125120"),
    Buyer("prairie.wind", "Prairie Wind Cooperative", "505 Grain Road|Fargo|ND|58102|US", "usd", "transfer ~bank", "",
          "us_ein:45-0214499", "en-US", "+17015550111"),
    Buyer("thistle", "Thistle & Thread CIC", "31 Leith Walk|Edinburgh||EH6 8LX|GB", "gbp", "transfer visa", "vat.gb",
          "gb_vat:GB412098765", "en-GB", "+442079460555"),
    Buyer("kiwi.orchards", "Kiwi Orchards Ltd", "6 Packhouse Road|Te Puke||3119|NZ", "nzd", "~visa visa", "gst.nz",
          "nz_gst:49091850", "en-NZ"),
    Buyer("harbor.books", "Harbor Bookkeeping", "58 Wharf Street|Boston|MA|02110|US", "usd", "~visa ~discover ~diners visa", "",
          "", "en-US", "+16175550126"),
    Buyer("clock.renewal", "Juniper Court Hotel", "12 Orchard Lane|Wilmington|DE|19801|US", "usd", "visa", clock="renewal"),
    Buyer("clock.trial", "Pebble Bay Sailing", "4 Orchard Lane|Wilmington|DE|19801|US", "usd", "mastercard", clock="trial"),
    Buyer("clock.quote", "Foxglove Nursery", "27 Orchard Lane|Wilmington|DE|19801|US", "usd", "visa", clock="renewal"),
    Buyer("clock.broken", "Tidewater Ceramics", "9 Orchard Lane|Wilmington|DE|19801|US", "usd", "visa", clock="stuck"),
)  # fmt: skip

BY_KEY: dict[str, Buyer] = {buyer.key: buyer for buyer in BUYERS}
