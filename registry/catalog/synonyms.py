"""Synonyms for the search of tools: other verbs, other nouns, and common abbreviations.

Only whole words stand here. Beginnings of words, plurals and typing errors are the matcher's own business. Of several meanings
the likeliest stands first.
"""

from __future__ import annotations

from collections.abc import Mapping

# Words that a question is made of, and that no tool is told by. A search without other words is made with them.
_FILLERS = (
    "a about all an and any are at be been by can could did do does for from give has have how i in is it its my of on or our "
    "please some tell that the their there these this to want was we were what when where which who whose why with would you "
    "now"
)
FILLERS = frozenset(_FILLERS.split())

# Words that belong together, in one word.
PHRASES: Mapping[str, str] = {
    "on call": "oncall",
    "on calls": "oncalls",
    "on duty": "oncall",
    "who am i": "whoami",
    "e mail": "email",
    "web hook": "webhook",
    "top up": "topup",
    "log in": "login",
    "check out": "checkout",
    "pay out": "payout",
    "charge back": "chargeback",
    "look up": "search",
    "take off": "delete",
    "get rid": "delete",
}

_SAID: Mapping[str, str] = {
    # verbs
    "delete": "remove erase drop destroy cancel fire revoke detach kill void wipe discard purge unlink del rm",
    "remove": "delete erase drop detach cancel fire offboard revoke",
    "create": "add new make invite insert onboard hire",
    "update": "change edit modify rename set promote demote move",
    "search": "find lookup query look seek filter",
    "list": "all every browse enumerate",
    "retrieve": "read show view open details info fetch",
    "download": "save export print",
    # people and money
    "customer": "client buyer payer shopper clients buyers consumer",
    "invoice": "bill bills owe owes owed unpaid overdue debt due outstanding inv",
    "refund": "reimbursement moneyback rfnd",
    "dispute": "chargeback chargebacks claim contested",
    "coupon": "voucher vouchers rebate",
    "promotion code": "voucher promo",
    "discount": "rebate reduction",
    "subscription": "membership recurring abo",
    "payment intent": "pi",
    "setup intent": "si",
    "payment method": "pm wallet",
    "card": "cc creditcard visa mastercard",
    "charge": "transaction debit payment",
    "balance transaction": "txn movement ledger bt",
    "transaction": "txn tx movement",
    "balance": "funds money saldo",
    "payout": "withdrawal disbursement",
    "exchange": "fx forex conversion",
    "price": "cost",
    "plan": "tier",
    "product": "article sku goods",
    "tax": "vat gst",
    "tax id": "vat vatnumber",
    "bank account": "iban ach sepa",
    "person": "representative director",
    "webhook": "wh hook callback",
    "checkout session": "cs cart basket",
    "terminal reader": "pos device",
    "file": "document upload attachment",
    "event": "happened",
    "quote": "offer estimate proposal",
    "report": "statement",
    "country": "nation",
    "verification": "kyc",
    "fraud": "scam radar",
    "meter": "usage metering",
    "email": "mail mailbox",
    # on call
    "oncall": "duty responder pager paged standby",
    "schedule": "rota rotas rotation roster shift shifts calendar",
    "incident": "alert alerts outage outages alarm alarms page pages problem ticket emergency",
    "log entries": "timeline history activity log logs audit notes",
    "escalation policy": "ladder escalate escalates ep",
    "escalation policies": "ladder escalate escalates ep",
    "service": "svc system",
    "whoami": "me myself profile",
    # administration
    "user": "person people employee employees colleague staff member members agent seat",
    "role": "permission permissions rights privilege privileges",
    "team": "group squad department",
    "crm": "hubspot",
}


def _meanings() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for meant, said in _SAID.items():
        for word in said.split():
            found.setdefault(word, []).append(meant)
    return {word: tuple(meant) for word, meant in found.items()}


SYNONYMS: Mapping[str, tuple[str, ...]] = _meanings()
"""What a word may mean, likeliest first; a meaning of several words stands for them side by side."""
