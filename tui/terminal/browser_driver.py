"""The terminal in a page of a browser. When the page is reloaded its terminal is empty: everything is drawn again.

The server signals that by SIGWINCH, which is sent for no other reason while the size stays the same.
"""

from __future__ import annotations

import asyncio
import signal

from tui.terminal.driver import TerminalDriver


class BrowserDriver(TerminalDriver):
    """Textual's driver, for a terminal that may lose its contents and modes."""

    def start_application_mode(self) -> None:
        """Start to use the terminal, and handle the signal of a new page."""
        super().start_application_mode()
        changed = signal.getsignal(signal.SIGWINCH)

        def look_again() -> None:
            if self._writer_thread is None:
                return  # another program has the terminal
            self._take_page()
            if callable(changed):
                changed(signal.SIGWINCH, None)
            for screen in (*self._app._background_screens, *self._app.screen_stack[-1:]):
                screen.refresh(layout=True)

        asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, look_again)

    def _take_page(self) -> None:
        """Set the modes of the page's terminal, as at the start."""
        self.write("\x1b[?1049h\x1b[2J")
        self._enable_mouse_support()
        self.write("\x1b[?25l\x1b[?1004h")
        self._request_terminal_sync_mode_support()
        self._enable_bracketed_paste()
        self._disable_line_wrap()
        self.flush()

    def _query_in_band_window_resize(self) -> None:
        """Do nothing: a new page would not know that this mode was agreed with the old one."""
