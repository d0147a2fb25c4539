"""The terminal's bell, and desktop notifications by the terminal's own escape sequences.

There are two sequences: ``OSC 777`` (title and text) for the rxvt family and foot, ``OSC 9`` (text) for most other terminals.
A terminal that supports neither ignores both. The text is safe: no control character, nothing that ends the sequence.
"""

from __future__ import annotations

from collections.abc import Mapping

from registry.text.safe_text import shortened, visible_line

_LONGEST = 200
_TITLED = ("rxvt", "foot")


def notification(words: str, environment: Mapping[str, str]) -> str:
    """The sequence that makes the terminal of this environment show a notification."""
    text = shortened(visible_line(words).replace(";", ","), _LONGEST)
    titled = environment.get("TERM", "").startswith(_TITLED)
    plain = f"\x1b]777;notify;Callboard;{text}\x07" if titled else f"\x1b]9;{text}\x07"
    if environment.get("TMUX"):
        # tmux does not pass it on to the terminal around it, unless wrapped like this.
        return "\x1bPtmux;" + plain.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    return plain
