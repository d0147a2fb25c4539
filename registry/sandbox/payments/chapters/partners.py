"""The connected accounts, as data: shops that sell through the company's marketplace."""

from __future__ import annotations

from typing import NamedTuple


class Human(NamedTuple):
    """A person behind an account. `roles` are fields of the person's relationship, `dob` is (year, month, day)."""

    key: str
    first: str
    last: str
    roles: tuple[str, ...]
    dob: tuple[int, int, int]
    verified: str = "verified"
    kana: tuple[str, str] = ("", "")
    exposed: bool = False


class External(NamedTuple):
    """Where an account's payouts go: a bank account, or a debit card when `brand` is given."""

    key: str
    currency: str
    last4: str
    usual: bool = True
    status: str = "new"
    brand: str = ""
    bank: str = "TEST BANK"
    routing: str | None = None


class Partner(NamedTuple):
    """A connected account. `state` is ``enabled``, ``restricted`` or ``pending``."""

    key: str
    name: str
    where: str
    type: str
    business: str
    currency: str
    state: str
    days: int
    externals: tuple[External, ...]
    people: tuple[Human, ...]
    capabilities: str


PARTNERS: tuple[Partner, ...] = (
    Partner(
        "kestrel",
        "Kestrel Outdoor Supply LLC",
        "91 Canyon Road|Boulder|CO|80302|US",
        "custom",
        "company",
        "usd",
        "enabled",
        512,
        (
            External("kestrel/checking", "usd", "6789", status="verified", routing="110000000"),
            External("kestrel/savings", "usd", "1116", usual=False, status="verification_failed", routing="110000000"),
            External("kestrel/card", "usd", "5556", usual=False, brand="visa"),
        ),
        (
            Human("kestrel/june", "June", "Castellano", ("representative", "executive", "owner"), (1979, 5, 2)),
            Human("kestrel/omar", "Omar", "Haddad", ("owner",), (1983, 11, 23), "pending"),
            Human("kestrel/ines", "Inés", "Vidal", ("director",), (1990, 1, 9), "unverified"),
        ),
        "card_payments:active transfers:active us_bank_account_ach_payments:pending treasury:unrequested",
    ),
    Partner(
        "fable",
        "Fable Keramik",
        "Kantstraße 71|Berlin||10627|DE",
        "custom",
        "individual",
        "eur",
        "restricted",
        301,
        (External("fable/konto", "eur", "3000", status="validated", bank="TESTBANK"),),
        (Human("fable/greta", "Greta", "Sommerfeld", ("representative",), (1988, 7, 30), "unverified", exposed=True),),
        "card_payments:inactive transfers:active sepa_debit_payments:pending",
    ),
    Partner(
        "orchid",
        "株式会社オーキッド",
        "四条通 14|京都市下京区|京都府|600-8001|JP",
        "custom",
        "company",
        "jpy",
        "enabled",
        228,
        (External("orchid/futsu", "jpy", "1234", bank="テスト銀行", routing="1100000"),),
        (
            Human("orchid/haruka", "遥", "小川", ("representative", "executive"), (1985, 3, 14), kana=("ハルカ", "オガワ")),
            Human("orchid/ren", "蓮", "中村", ("executive", "director"), (1977, 8, 8), "pending", ("レン", "ナカムラ")),
        ),
        "card_payments:active transfers:active konbini_payments:inactive jcb_payments:active",
    ),
    Partner(
        "harvest",
        "Harvest Table Catering",
        "7 Mill Street|Savannah|GA|31401|US",
        "express",
        "individual",
        "usd",
        "enabled",
        440,
        (
            External("harvest/checking", "usd", "2227", routing="110000000"),
            External("harvest/card", "usd", "8210", usual=False, brand="mastercard"),
        ),
        (Human("harvest/leroy", "Leroy", "Baptiste", ("representative",), (1992, 12, 1)),),
        "card_payments:active transfers:active",
    ),
    Partner(
        "lumen",
        "Lumen Candle Works Ltd",
        "3 Tallow Yard|Leeds||LS1 4AP|GB",
        "express",
        "company",
        "gbp",
        "enabled",
        365,
        (
            External("lumen/current", "gbp", "2345", status="new", routing="108800"),
            External("lumen/euro", "eur", "3000", status="errored"),
        ),
        (
            Human("lumen/priti", "Priti", "Shah", ("representative", "executive", "director", "owner"), (1981, 2, 17)),
            Human("lumen/callum", "Callum", "Reid", ("director",), (1974, 9, 5)),
            Human("lumen/old", "Agnes", "Moor", ("owner",), (1950, 6, 6), "unverified"),
        ),
        "card_payments:active transfers:active bacs_debit_payments:active",
    ),
    Partner(
        "quilombo",
        "Instituto Quilombo das Artes",
        "Ladeira do Carmo 20|Salvador|BA|40030-170|BR",
        "express",
        "non_profit",
        "brl",
        "pending",
        21,
        (External("quilombo/conta", "brl", "9876", bank="BANCO DE TESTE", routing="001-0001"),),
        (Human("quilombo/joana", "Joana", "dos Santos", ("representative", "executive"), (1969, 4, 28), "pending"),),
        "card_payments:pending transfers:pending",
    ),
    Partner(
        "pinecone",
        "Pinecone Toys Pty Ltd",
        "55 Collins Lane|Melbourne|VIC|3000|AU",
        "standard",
        "company",
        "aud",
        "enabled",
        700,
        (External("pinecone/main", "aud", "3456", routing="000000"),),
        (),
        "card_payments:active transfers:active afterpay_clearpay_payments:unrequested",
    ),
    Partner(
        "township",
        "Township of Elm Falls",
        "1 Municipal Square|Elm Falls|ON|K0A 1A0|CA",
        "standard",
        "government_entity",
        "cad",
        "enabled",
        190,
        (External("township/general", "cad", "6789", routing="11000-000"),),
        (),
        "card_payments:active transfers:inactive",
    ),
    Partner(
        "nimbus",
        "Nimbus Parapluies SARL",
        "12 passage des Averses|Nantes||44000|FR",
        "none",
        "company",
        "eur",
        "restricted",
        64,
        (External("nimbus/compte", "eur", "0014", bank="BANQUE DE TEST"),),
        (
            Human("nimbus/solene", "Solène", "Guérin", ("representative", "executive", "owner"), (1986, 10, 12)),
            Human("nimbus/yao", "Yao", "Kouassi", ("executive",), (1991, 6, 19), "unverified"),
        ),
        "card_payments:inactive transfers:inactive",
    ),
)

BY_KEY: dict[str, Partner] = {partner.key: partner for partner in PARTNERS}

OWN_EXTERNALS: tuple[External, ...] = (
    External("fernway/usd", "usd", "6789", status="verified", routing="110000000"),
    External("fernway/eur", "eur", "3000", status="verified", bank="TESTBANK"),
    External("fernway/card", "usd", "5556", usual=False, brand="visa"),
    External("fernway/usd.old", "usd", "1113", usual=False, status="errored", routing="110000000"),
)
"""The company's own bank accounts."""
