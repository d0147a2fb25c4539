"""Terminals: locations, readers of every type, and how they are set up."""

from __future__ import annotations

from typing import Any, NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.parts import Hash, address
from registry.sandbox.world import DAY


class _Reader(NamedTuple):
    key: str
    type: str
    label: str
    location: str
    status: str
    software: str | None = None
    ip: str | None = None


_READERS = (
    _Reader("wisepos", "bbpos_wisepos_e", "Front desk", "portland", "online", "2.38.1.0", "192.0.2.21"),
    _Reader("wisepos.back", "bbpos_wisepos_e", "Back office spare", "portland", "offline", "2.37.0.4", "192.0.2.22"),
    _Reader("s700", "stripe_s700", "Kiosk", "portland", "online", "2.38.1.0", "192.0.2.23"),
    _Reader("p400", "verifone_P400", "Old till", "portland", "offline", "10800004", "192.0.2.24"),
    _Reader("wisepad", "bbpos_wisepad3", "Market stall", "toronto", "online", "4.01.00.33"),
    _Reader("chipper", "bbpos_chipper2x", "Van", "toronto", "offline", "2.17.00.15"),
    _Reader("m2", "stripe_m2", "Belt clip", "toronto", "online", "3.05.01.02"),
    _Reader("phone", "mobile_phone_reader", "Grace's telephone", "leeds", "online", "5.2.0"),
    _Reader("simulated", "simulated_wisepos_e", "Simulator", "leeds", "online", "", "0.0.0.0"),  # noqa: S104
    _Reader("simulated.s700", "simulated_stripe_s700", "Simulator, new", "leeds", "online", "", "0.0.0.0"),  # noqa: S104
)

_LOCATIONS: tuple[tuple[str, str, str | None, Hash], ...] = (
    ("portland", "Showroom Portland", "tipping", address("200 Harrow Lane", "Portland", "OR", "97201", "US")),
    ("toronto", "Pop-up Toronto", None, address("18 Dock Street", "Toronto", "ON", "M5A 1B6", "CA")),
    ("leeds", "Workshop Leeds", None, address("3 Tallow Yard", "Leeds", None, "LS1 4AP", "GB")),
    ("kyoto", "Kyoto", None, address(None, None, None, None, "JP")),
)


def write(builder: Builder) -> None:
    """Write the chapter."""
    _configurations(builder)
    _locations(builder)
    now = builder.world.now
    for number, reader in enumerate(_READERS):
        action = _action(builder, reader.key)
        builder.new(
            "terminal.reader",
            reader.key,
            now - (300 - number * 11) * DAY,
            action=action,
            device_sw_version=reader.software,
            device_type=reader.type,
            ip_address=reader.ip,
            label=reader.label,
            location=builder.id("terminal.location", reader.location),
            metadata={"asset": f"A-{2_000 + number}"},
            serial_number=builder.world.capitals(f"reader/{reader.key}", 12),
            status=reader.status,
        )


def _locations(builder: Builder) -> None:
    for number, (key, name, configuration, where) in enumerate(_LOCATIONS):
        fields: dict[str, Any] = {}
        if configuration:
            fields["configuration_overrides"] = builder.id("terminal.configuration", configuration)
        if key == "kyoto":
            fields |= {
                "address_kana": {
                    "city": "キヨウトシ",
                    "country": "JP",
                    "line1": "シジヨウ 14",
                    "line2": None,
                    "postal_code": "6008001",
                    "state": "キヨウトフ",
                    "town": None,
                },
                "address_kanji": {
                    "city": "京都市",
                    "country": "JP",
                    "line1": "四条 14",
                    "line2": None,
                    "postal_code": "6008001",
                    "state": "京都府",
                    "town": None,
                },
                "display_name_kana": "キヨウト",
                "display_name_kanji": "京都",
            }
        builder.new(
            "terminal.location",
            key,
            builder.world.now - (320 - number) * DAY,
            address=where,
            display_name=name,
            metadata={"manager": "grace.bell"},
            phone="+15035550177" if key == "portland" else None,
            **fields,
        )


def _configurations(builder: Builder) -> None:
    made = builder.world.now - 330 * DAY
    splash = builder.id("file", "terminal/splash")
    tips: Hash = {"fixed_amounts": None, "percentages": [10, 15, 20], "smart_tip_threshold": 500}
    plain: Hash = {"offline": {"enabled": False}, "tipping": {}}
    for number, (key, name, default, fields) in enumerate(
        (
            ("default", None, True, plain | {"reboot_window": {"end_hour": 4, "start_hour": 3}}),
            (
                "tipping",
                "With tips",
                False,
                {
                    "bbpos_wisepad3": {"splashscreen": splash},
                    "bbpos_wisepos_e": {"splashscreen": splash},
                    "stripe_s700": {"splashscreen": splash},
                    "tipping": {"cad": tips, "usd": tips},
                },
            ),
            (
                "warehouse",
                "Warehouse wifi",
                False,
                {
                    "offline": {"enabled": True},
                    "verifone_p400": {"splashscreen": splash},
                    "wifi": {
                        "enterprise_eap_peap": {
                            "ca_certificate_file": builder.id("file", "terminal/certificate"),
                            "password": "correct horse battery staple",
                            "ssid": "Fernway-Warehouse",
                            "username": "terminal",
                        },
                        "type": "enterprise_eap_peap",
                    },
                },
            ),
            (
                "guest",
                "Guest wifi",
                False,
                {"wifi": {"personal_psk": {"password": "welcome-2024", "ssid": "Fernway-Guest"}, "type": "personal_psk"}},
            ),
        )
    ):
        builder.new("terminal.configuration", key, made + number * DAY, name=name, is_account_default=default, **fields)


def _action(builder: Builder, key: str) -> Hash | None:
    """What a reader is doing, or did last."""
    base: Hash = {"failure_code": None, "failure_message": None, "status": "succeeded"}
    match key:
        case "wisepos":
            intent = builder.id("payment_intent", "till/2")
            process = {
                "payment_intent": intent,
                "process_config": {"enable_customer_cancellation": True, "skip_tipping": False},
            }
            return base | {"process_payment_intent": process, "type": "process_payment_intent"}
        case "s700":
            setup = {
                "generated_card": builder.id("payment_method", "generated"),
                "process_config": {},
                "setup_intent": builder.id("setup_intent", "reader"),
            }
            return base | {"process_setup_intent": setup, "type": "process_setup_intent"}
        case "wisepad":
            refund = {
                "amount": 15_600,
                "charge": builder.id("charge", "till/2/0"),
                "metadata": {},
                "payment_intent": builder.id("payment_intent", "till/2"),
                "reason": "requested_by_customer",
                "refund": builder.id("refund", "till/2/r0"),
                "refund_application_fee": False,
                "reverse_transfer": False,
            }
            return base | {"refund_payment": refund, "type": "refund_payment"}
        case "simulated":
            cart = {
                "currency": "usd",
                "line_items": [{"amount": 19_900, "description": "Hub H2", "quantity": 1}],
                "tax": 0,
                "total": 19_900,
            }
            return base | {
                "set_reader_display": {"cart": cart, "type": "cart"},
                "status": "in_progress",
                "type": "set_reader_display",
            }
        case "p400":
            failed = {
                "failure_code": "connection_error",
                "failure_message": "The reader could not be reached.",
                "status": "failed",
            }
            collect = {
                "collect_config": {"enable_customer_cancellation": False},
                "payment_intent": builder.id("payment_intent", "new.empty"),
            }
            return failed | {"collect_payment_method": collect, "type": "collect_payment_method"}
    return None
