"""The lower bounds: a Textual app with one ``Static``, or with one ``Input``: ``python -m tests.bench.bare [input]``."""

import sys

from textual.app import App, ComposeResult
from textual.widgets import Input, Static


class Bare(App[None]):
    """An app with one widget."""

    def compose(self) -> ComposeResult:
        """The widget that was asked for."""
        yield Input(placeholder="Callboard") if "input" in sys.argv else Static("Callboard")


if __name__ == "__main__":
    Bare().run()
