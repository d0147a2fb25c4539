"""The main job in a real terminal: start, find a tool, fill its form, run it, read the result."""

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.shipped import COUNT
from tests.terminal import Terminal, choose_account, open_tool

CUSTOMER = "cus_4R5QLgZDZXPlou"


@contextmanager
def silent_service() -> Iterator[tuple[str, threading.Event]]:
    """Listens on loopback and takes requests, but never answers; gives its base URL and whether a request has come."""
    asked = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken: list[socket.socket] = []

        def take() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                taken.append(connection)
                asked.set()

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", asked
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for connection in taken:
            connection.close()


def test_find_fill_run_read_while_the_window_changes() -> None:
    with Terminal(columns=120, lines=40) as terminal:
        terminal.wait_for(str(COUNT))
        terminal.type("cust cards")
        terminal.wait_for("GetCustomerCards")
        terminal.press("enter")
        terminal.wait_for("customer_id")
        terminal.press("f5")
        terminal.wait_for("✗ is required")
        assert "No result yet" in terminal.text, "nothing is sent"
        terminal.type(CUSTOMER)
        terminal.wait_for(lambda text: "✗ is required" not in text and "ready" in text)
        terminal.resize(80, 24)
        terminal.wait_for(lambda text: "ready" in text and CUSTOMER in text and "Customer · sources" not in text)
        terminal.press("f5")
        terminal.wait_for("· sandbox")
        terminal.wait_for("row 1 of ")
        assert "of Ada Romero" in terminal.text or CUSTOMER in terminal.text
        terminal.press("t")
        # The cursor stays on the card of the first row.
        terminal.wait_for('brand: "American Express"')
        terminal.resize(120, 40)
        terminal.wait_for(lambda text: "· sandbox" in text and CUSTOMER in text and "Customer · sources" in text)
        terminal.press("ctrl+q")
        written = terminal.wait_for_end()
    # The terminal is left as it was.
    for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?2004h", b"\x1b[?2004l")):
        assert on in written
        assert written.rindex(off) > written.rindex(on)


def test_a_service_that_is_silent_and_then_gone() -> None:
    with silent_service() as (address, asked):
        environment = {"PAYMENTS_API_KEY": "sk_test_1", "PAYMENTS_BASE_URL": address}
        with Terminal(environment=environment) as terminal:
            choose_account(terminal)
            open_tool(terminal, "RetrieveCustomerDetails", "customer_id")
            terminal.type("cus_1")
            terminal.wait_for("/v1/customers/cus_1")
            terminal.press("f5")
            assert asked.wait(30)
            terminal.wait_for("Esc cancels")
            # The screen goes on living: the form takes letters while the call hangs.
            terminal.press("f3")
            terminal.type("23")
            terminal.wait_for("/v1/customers/cus_123")
            terminal.press("escape")
            terminal.wait_for("Cancelled after")
            terminal.press("ctrl+q")
            written = terminal.wait_for_end()
    assert b"Traceback" not in written
    assert b"sk_test_1" not in written


def test_keys_that_come_all_at_once_act_in_their_order() -> None:
    with Terminal() as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.press_at_once("createcrm", "enter", "zoe@x.example", "tab", "tab", "Zoe4", "f5")
        screen = terminal.wait_for("Create a user with minimal permissions?")
        assert "zoe@x.example" in screen
        assert "Zoe4" in screen
        terminal.wait_for("Ready to create.")
        terminal.press_at_once("right", "enter")
        terminal.wait_for("Pressed too fast.")
        terminal.press_deliberately("enter")
        screen = terminal.wait_for(lambda text: "CRM user zoe@x.example" in text and "· sandbox" in text)
        assert 'email: "zoe@x.example"' in screen
        assert 'lastName: "Zoe4"' in screen
        terminal.press_at_once("f2", "ctrl+f", "cust cards", "enter", CUSTOMER, "f5")
        terminal.wait_for("row 1 of 2")
        terminal.press_at_once("f4", "t", "home", "/", "nybrand", "ctrl+u", "brand", "enter")
        terminal.wait_for(lambda text: "1 of 2" in text and 'brand: "' in text and "row 1 of" not in text)
        terminal.press_at_once("f3", "end", "0", "f5")
        terminal.wait_for(f"No such customer: '{CUSTOMER}0'")


def test_the_explorer_on_a_sandbox_of_choice() -> None:
    command = [sys.executable, "-m", "tui", "explore", "--scenario", "quiet", "--fault", "crm 500"]
    with Terminal(command) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.press_at_once("accountroles", "enter", "f5")
        terminal.wait_for("500 · ")
