"""The page of an object in a real terminal: opened from the command line, to an invoice's lines, and back."""

import sys

from tests.terminal import Terminal


def test_from_an_email_to_an_open_invoice_and_its_lines() -> None:
    """Four keys: the invoice, back, the timeline, and out."""
    with Terminal((sys.executable, "-m", "tui", "page", "accounts@aurora.example"), columns=80, lines=24) as terminal:
        terminal.wait_for("Padaria Aurora Ltda is past due: 130.00 BRL")
        terminal.wait_for("insufficient funds")
        terminal.wait_for("complete")
        terminal.press("enter")
        terminal.wait_for("2 × Fernway Board")
        terminal.press("backspace")
        terminal.wait_for("Last failed payment")
        terminal.press("tab")
        terminal.wait_for("payment failed, 130.00 BRL")
