"""Hostile text through every pane of the program in a real terminal: no crash, and no byte of it that a terminal would obey."""

from functools import partial

import pytest

from tests.hostile import CONTROLS, MARKUP, forbidden_in_output, hostile_service
from tests.sampled import further
from tests.terminal import Terminal, choose_account, open_tool

# One pane at a time; and all of them, with what is told of a tool below the tree.
SIZES = [(80, 24), *further((200, 50))]


def _is_cleared(path: str, text: str) -> bool:
    return path not in text and "required: customer_id" in text


def _is_deep(text: str) -> bool:
    """Whether the answer on screen is the deep one, and no longer the text before it."""
    return "· payments" in text and "text/html" not in text


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_pane(size: tuple[int, int]) -> None:
    with hostile_service() as address:
        environment = {"PAYMENTS_API_KEY": "sk_test_1", "PAYMENTS_BASE_URL": address}
        with Terminal(columns=size[0], lines=size[1], environment=environment) as terminal:
            terminal.wait_for("Ask, or paste")
            # The filter takes whatever is pasted.
            for text in MARKUP + CONTROLS:
                terminal.paste(text)
            terminal.wait_for("Customers named")
            terminal.press("ctrl+u")
            choose_account(terminal)  # calls go to the hostile service
            open_tool(terminal, "RetrieveCustomerDetails", "customer_id")
            # Fields take whatever is pasted, and the request shows it.
            for text in MARKUP + CONTROLS:
                terminal.paste(text)
            terminal.wait_for("HARM")
            terminal.press("ctrl+l")
            terminal.wait_for(lambda text: "HARM" not in text)
            for answer, shown in (
                ("cus_1", "· payments"),
                ("bad", "400 · "),
                ("broken", "the JSON is invalid"),
                ("text", "text/html"),
                ("deep", _is_deep),
            ):
                terminal.type(answer)
                terminal.wait_for(f"/customers/{answer}")
                terminal.press("f5")
                terminal.wait_for(shown)
                terminal.press("f4", "+", "down", "-", "+", "G", "g")
                for _ in range(4):
                    terminal.press("down", "y")
                if answer == "cus_1":
                    terminal.wait_for("Copied")
                terminal.press("f3", "ctrl+l")
                terminal.wait_for(partial(_is_cleared, f"/customers/{answer}"))
            # A toast of a value, a dialog with an id, and the help.
            open_tool(terminal, "DeletePaymentsCoupon", "coupon_id")
            terminal.paste("[/x][@click=app.quit]HARM")
            terminal.press("f5")
            terminal.wait_for("Cancel")
            terminal.press("escape")
            terminal.press("f1")
            terminal.wait_for("All keys")
            terminal.press("escape")
            terminal.press("ctrl+q")
            written = terminal.wait_for_end()
    assert forbidden_in_output(written) == []
    assert b"Traceback" not in written


@pytest.mark.long
@pytest.mark.parametrize("size", [(60, 20), (120, 40)], ids=str)
def test_a_comparison(size: tuple[int, int]) -> None:
    with hostile_service() as address:
        environment = {"PAYMENTS_API_KEY": "sk_test_1", "PAYMENTS_BASE_URL": address}
        with Terminal(columns=size[0], lines=size[1], environment=environment) as terminal:
            choose_account(terminal)
            open_tool(terminal, "RetrieveCustomerDetails", "customer_id")
            terminal.type("cus_1")
            terminal.press("f5")
            terminal.wait_for("· payments")
            terminal.press("f4", "c")
            terminal.wait_for("Run again now")
            terminal.press("enter")
            terminal.wait_for("No difference")
            terminal.press("right")
            for _ in range(30):
                terminal.press("down")
            terminal.press("enter")
            terminal.wait_for("characters")
            terminal.press("escape", "Y")
            terminal.wait_for("the value on the")
            terminal.press("down", "enter")
            terminal.wait_for("Copied")
            terminal.press("escape", "ctrl+q")
            written = terminal.wait_for_end()
    assert forbidden_in_output(written) == []
    assert b"Traceback" not in written


def test_the_look_out_for_harm_sees_it() -> None:
    for text in CONTROLS:
        if text != "\x0dHARM":
            assert forbidden_in_output(text.encode("utf-8", "surrogatepass")), repr(text)
