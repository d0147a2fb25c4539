"""The texts of the rough world: text that a screen, a terminal, a parser or a query must handle.

The usual world can be shown to anybody. The rough one is the same world, with the same ids, amounts and times, in which some
texts are replaced: markup, escape sequences, control characters, characters that turn the direction, quotes and backslashes,
emoji, names of 300 letters. A service passes its objects through `roughened` when it writes them, and knows nothing else
about this.
"""

from __future__ import annotations

from typing import Any

from registry.sandbox.world import World

_ROUGH: dict[str, str] = {
    # payments
    "Bracken & Sons": "[Brackets] & [/x] Sons [bold]",
    "O'Neil Quarries": 'O\'Neil "Quote" \\ Backslash',
    "Confetti & Co": "🎉 Confetti & Co 🎈",
    "Sociedad Internacional de Exportación": "Sociedad " + "Internacional de Exportación " * 10 + ".",
    "red alert": "\x1b[31mred\x1b[0m alert",
    "trade_tag": "[tag]",
    "wholesale": "[/x]",
    "He said yes": 'He said "no\\yes"',
    "three cheers": "🎊🎊🎊",
    "A day on site, price on request.": "A day on site. Reference \u202eELPMAS\u202c, price on request.",
    "Goodwill, see ticket 4471": "[goodwill] see ticket [/x]",
    "Sent to a wrong address": "[void] wrong address [/x]",
    "Back office spare": "Back office [spare]",
    "Data warehouse feed": "Data warehouse [raw]",
    "gift card": "gift [x]",
    "terms-2024.pdf": "terms [2024].pdf",
    "Terms-2024": "Terms [2024]",
    # incidents
    "TLS handshake failures on edge-04": (
        "\x1b[31mTLS handshake failures\x1b[0m on edge-04 \x1b]0;all clear\x07\x1b]8;;https://evil.example/\x1b\\details\x1b]8;;\x1b\\"
    ),
    "Disk 94 % full on edge-02": (
        "[@click=app.quit]Disk 94 % full on edge-02[/] [bold]see [/x] and [link=https://evil.example]runbook[/link]"
    ),
    "Report summary.pdf missing from the nightly run": "Report \u202efdp.yrammus\u202c missing from the nightly run",
    "High error rate on edge-01 and edge-02": "[FIRING:2] HighErrorRate [/x] [prod][eu-central] (edge-01 edge-02)",
    "Synthetic order in shop 114 failed at step 7 of 9": (
        "Synthetic order in shop 114 (Łódź) failed at step 7 of 9, 'confirm payment', for the 12th time in 15 minutes; last "
        "answer 504 after 30.0 s from payment-gateway-6c9f via edge-fra1-03; trace 7f3ac0d1e5b24aa8; shops 97, 101, 114 and "
        "131 share the same acquirer, the other 140 do not; runbook 22, page 41"
    ),
    "Checkout down for staff accounts": "🔥 Checkout 🛒 down for 👩‍💻 staff accounts 🇩🇪",
    "Carts cannot be saved in two shops": (
        "She said \"it's down\" — 'again' \\ see <b>runbook</b> & `top`; DROP TABLE carts;--"
    ),
    "Feed lines of warehouse 5 cannot be read": "Line one of two\nand\ttabs in the second \x00 \x7f \u200b\ufeff",
}

ROUGH_NAMES = (
    ("[bold]Bo[/bold]", "[/x] Brackets"),
    ("ليلى", "منصور"),
    ("Right\u202eto-left", "לוי"),
    ("🎉 Zoë 👩‍🚀", "Confetti"),
    ('Anne "Nan"', "O'Neil \\ Backslash"),
    ("Es\u001b[31mcape", "Rooms"),
    ("María de los " + "Ángeles " * 35 + "Pilares", "Fernández de Córdoba"),
)
"""First and last names of the newest people in the rough world's CRM; the last first name has 300 letters."""


def roughened(world: World, value: Any) -> Any:
    """A value as in this world: in the rough world, all its texts and property names that have a rough version are replaced."""
    return _rough(value) if world.rough else value


def _rough(value: Any) -> Any:
    match value:
        case str():
            return _ROUGH.get(value, value)
        case dict():
            return {_ROUGH.get(name, name): _rough(one) for name, one in value.items()}
        case list():
            return [_rough(one) for one in value]
        case tuple():
            return tuple(_rough(one) for one in value)
    return value
