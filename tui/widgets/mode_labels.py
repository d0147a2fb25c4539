"""An account's mode in words and colours, used everywhere. Only live data has the live colour."""

from textual.content import Content

from registry.text.safe_text import shortened

LIVE = "LIVE"
MODES = {"sandbox": "sandbox", "test": "test data", "live": "LIVE data"}
COLOURS = {"sandbox": "$text-muted", "test": "$text-warning", "live": "bold $live"}


def mode_word(mode: str) -> Content:
    """A mode as a word in a line of a list: live is a chip, the others are muted."""
    return Content.styled(" LIVE ", "bold $live reverse") if mode == "live" else Content.styled(mode, "$foreground-muted")


def reach_of(name: str, mode: str) -> str:
    """What an account reaches, in words; for live data also the account's name."""
    return f"{LIVE} · {name}" if mode == "live" else MODES[mode]


def live_chip(name: str, *, short: bool = False) -> Content:
    """A chip that says that calls go to live data, with the account's name."""
    return Content.styled(f" {LIVE} {shortened(name, 14)} " if short else f" {reach_of(name, 'live')} ", "bold $live reverse")


def mode_chip(mode: str) -> Content:
    """A chip with the mode, for questions."""
    return Content.styled(f" {MODES[mode]} ", f"{COLOURS[mode]} reverse")
