"""Reports: types, runs and scheduled queries; and every file, with the links that show it to outsiders."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.parts import Hash, midnight
from registry.sandbox.world import DAY, HOUR

# id, name, columns, version, live only
_TYPES: tuple[tuple[str, str, tuple[str, ...] | None, int, bool], ...] = (
    ("balance.summary.1", "Balance summary", ("category", "description", "net_amount", "currency"), 1, False),
    (
        "balance_change_from_activity.itemized.3", "Balance change from activity, itemised",
        ("balance_transaction_id", "created_utc", "currency", "gross", "fee", "net", "reporting_category"), 3, False,
    ),
    (
        "balance_change_from_activity.summary.1", "Balance change from activity",
        ("reporting_category", "currency", "count", "gross", "fee", "net"), 1, False,
    ),
    ("payouts.itemized.3", "Payouts, itemised", ("payout_id", "effective_at_utc", "currency", "gross", "net"), 3, False),
    ("payouts.summary.1", "Payouts", ("reporting_category", "currency", "count", "net"), 1, False),
    (
        "payout_reconciliation.itemized.5", "Payout reconciliation, itemised",
        ("automatic_payout_id", "balance_transaction_id", "net"), 5, False,
    ),
    ("ending_balance_reconciliation.summary.1", "Ending balance reconciliation", None, 1, False),
    ("connected_account_balance.summary.1", "Balances of partners", ("connected_account", "currency", "net"), 1, False),
    ("activity.itemized.2", "Activity", None, 2, True),
    ("tax.transactions.itemized.2", "Tax on transactions", ("id", "tax_date", "jurisdiction", "tax_amount"), 2, False),
    ("card_payments_fees.transaction_level.1", "Fees of card payments", None, 1, True),
)  # fmt: skip

# key, type, status, days ago, connected account, payout, error
_RUNS: tuple[tuple[str, str, str, float, str | None, str | None, str | None], ...] = (
    ("balance", "balance.summary.1", "succeeded", 8, None, None, None),
    ("payout", "payout_reconciliation.itemized.5", "succeeded", 5, None, "usd/2", None),
    ("partner", "connected_account_balance.summary.1", "succeeded", 3, "kestrel", None, None),
    ("under.way", "balance_change_from_activity.itemized.3", "pending", 0.01, None, None, None),
    ("broken", "tax.transactions.itemized.2", "failed", 2, None, None, "The interval ends after the available data."),
)

# key, title, status, days ago, query
_QUERIES = (
    (
        "churn",
        "Cancelled by month",
        "completed",
        1,
        "select date_trunc('month', canceled_at), count(*) from subscriptions group by 1",
    ),
    (
        "churn.before",
        "Cancelled by month",
        "completed",
        8,
        "select date_trunc('month', canceled_at), count(*) from subscriptions group by 1",
    ),
    ("large", "Charges above 1000", "timed_out", 3, "select id, amount from charges where amount > 100000"),
    ("typo", "Disputes by reason", "failed", 4, "selct reason, count(*) from disputes group by reason"),
    ("dropped", "Everything", "canceled", 12, "select * from balance_transactions"),
)

# key, name, purpose, type, size, days ago, links
_FILES: tuple[tuple[str, str | None, str, str, int, float, int], ...] = (
    ("logo", "fernway-logo.png", "business_logo", "png", 18_442, 890, 1),
    ("icon", "fernway-icon.png", "business_icon", "png", 4_210, 890, 0),
    ("identity/front", "front.jpg", "identity_document", "jpg", 812_330, 520, 0),
    ("identity/back", "back.jpg", "identity_document_downloadable", "jpg", 790_001, 44, 0),
    ("identity/selfie", "selfie.jpg", "selfie", "jpg", 401_227, 44, 0),
    ("identity/provider", "scan.pdf", "document_provider_identity_document", "pdf", 66_120, 40, 0),
    ("account/register", "register extract.pdf", "account_requirement", "pdf", 120_114, 510, 0),
    ("person/kestrel", "passport.jpg", "additional_verification", "jpg", 640_222, 510, 0),
    ("person/lumen", "licence.jpg", "identity_document", "jpg", 533_871, 364, 0),
    ("dispute/letters", "letters.pdf", "dispute_evidence", "pdf", 88_406, 199, 1),
    ("dispute/receipt", "receipt.pdf", "dispute_evidence", "pdf", 20_530, 199, 0),
    ("dispute/log", "access log.txt", "dispute_evidence", "txt", 9_921, 199, 0),
    ("dispute/terms", "terms-2024.pdf", "dispute_evidence", "pdf", 51_772, 2, 0),
    ("dispute/signature", "signature.png", "customer_signature", "png", 8_112, 60, 0),
    ("issuing/evidence", "letter.pdf", "dispute_evidence", "pdf", 31_207, 64, 0),
    ("issuing/regulatory", "report.csv", "issuing_regulatory_reporting", "csv", 2_440, 31, 0),
    ("terminal/splash", "splash.png", "terminal_reader_splashscreen", "png", 96_512, 331, 0),
    ("terminal/certificate", "ca.pem", "terminal_android_apk", "txt", 1_802, 329, 0),
    ("tax/upload", "W-9.pdf", "tax_document_user_upload", "pdf", 44_010, 120, 1),
    ("pci", "questionnaire.pdf", "pci_document", "pdf", 71_444, 150, 0),
    ("statement", "statement.pdf", "financial_account_statement", "pdf", 23_909, 25, 12),
    ("export", None, "finance_report_run", "csv", 15, 14, 0),
)


def write(builder: Builder) -> None:
    """Write the chapter."""
    _types(builder)
    _runs(builder)
    _queries(builder)


def _types(builder: Builder) -> None:
    today = midnight(builder.world.now)
    for id_, name, columns, version, live in _TYPES:
        hidden: dict[str, Any] = {"_live_only": True} if live else {}
        builder.new(
            "reporting.report_type",
            id_,
            today - 700 * DAY,
            id=id_,
            data_available_end=today - DAY,
            data_available_start=today - 700 * DAY,
            default_columns=list(columns) if columns else None,
            livemode=live,
            name=name,
            updated=today - 18 * HOUR,
            version=version,
            **hidden,
        )


def _runs(builder: Builder) -> None:
    for key, type_, status, days, account, payout, error in _RUNS:
        made = builder.world.now - int(days * DAY)
        parameters: Hash = {
            "interval_end": midnight(made) - DAY,
            "interval_start": midnight(made) - 31 * DAY,
            "timezone": "Etc/UTC",
        }
        if account:
            parameters["connected_account"] = builder.id("account", account)
        if payout:
            parameters = {"payout": builder.id("payout", payout)}
        done = status == "succeeded"
        builder.new(
            "reporting.report_run",
            key,
            made,
            error=error,
            parameters=parameters,
            report_type=type_,
            result=builder.id("file", f"run/{key}") if done else None,
            status=status,
            succeeded_at=made + 95 if done else None,
        )


def _queries(builder: Builder) -> None:
    for key, title, status, days, query in _QUERIES:
        made = midnight(builder.world.now) - days * DAY + 5 * HOUR
        fields: dict[str, Any] = {}
        if status == "failed":
            fields["error"] = {"message": "line 1:1: mismatched input 'selct'."}
        builder.new(
            "scheduled_query_run",
            key,
            made,
            **fields,
            data_load_time=made - 6 * HOUR,
            file=builder.id("file", f"query/{key}") if status == "completed" else None,
            result_available_until=made + 60 * DAY,
            sql=query,
            status=status,
            title=title,
        )


def write_files(builder: Builder) -> None:
    """Write files and links."""
    now = builder.world.now
    for key, name, purpose, type_, size, days, links in _FILES:
        _file(builder, key, name, purpose, type_, size, now - int(days * DAY), links)
    for key, _, status, days, *_ in _RUNS:
        if status == "succeeded":
            made = now - int(days * DAY) + 95
            _file(builder, f"run/{key}", f"{key}.csv", "finance_report_run", "csv", 3_090 + len(key), made, 0)
    for key, _, status, days, _ in _QUERIES:
        if status == "completed":
            made = midnight(now) - days * DAY + 6 * HOUR
            _file(builder, f"query/{key}", f"{key}.csv", "sigma_scheduled_query", "csv", 611, made, 0)


def _file(builder: Builder, key: str, name: str | None, purpose: str, type_: str, size: int, made: int, links: int) -> None:
    id_ = builder.id("file", key)
    kept = {"finance_report_run": 365, "sigma_scheduled_query": 60}.get(purpose)
    builder.new(
        "file",
        key,
        made,
        id=id_,
        expires_at=made + kept * DAY if kept else None,
        filename=name,
        purpose=purpose,
        size=size,
        title=name.rpartition(".")[0].capitalize() if name else None,
        type=type_,
        url=f"https://files.payments.example/v1/files/{id_}/contents",
    )
    for number in range(links):
        ends = None if not number else made + number * 4 * DAY
        link = builder.id("file_link", f"{key}/{number}")
        builder.new(
            "file_link",
            f"{key}/{number}",
            made + 60 + number,
            expired=ends is not None and ends <= builder.world.now,
            expires_at=ends,
            file=id_,
            metadata={"for": "oskar.berg"},
            url=f"https://files.payments.example/links/{link}",
        )
