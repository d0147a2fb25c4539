"""The short ways of the tests' terminal lead where pyte's own lead."""

from __future__ import annotations

import pyte
from hypothesis import given
from hypothesis import strategies as st

from tests.emulator import Screen, Stream
from tests.sampled import examples

_NUMBERS = st.lists(
    st.sampled_from(["", "0", "1", "2", "3", "5", "7", "12", "31", "38", "48", "92", "105", "255", "99999"]), max_size=6
)
_CONTROLS = st.builds(
    lambda private, numbers, final: f"\x1b[{private}{';'.join(numbers)}{final}",
    st.sampled_from([*[""] * 9, "?", ">", "$", " "]),
    _NUMBERS,
    st.sampled_from([*"mmmmHHABCDEFGJKLMPXadefghlr`@u", "\x18"]),
)
_MODES = st.sampled_from(
    ["\x1b[4h", "\x1b[4l", "\x1b[?7l", "\x1b[?7h", "\x1b[?5h", "\x1b[?5l", "\x1b(0", "\x0e", "\x0f", "\x1bc", "\x1b7", "\x1b8"]
)
_TEXTS = st.text(
    st.sampled_from([*"ab ─│世é", "\u0301", "\u200b", "\r", "\n", "\b", "\t", "\x1b", "\x7f", "\x00"]), max_size=14
)
_REVERSED = st.just("\x1bc\x1b[?5h\x1b[27m\x1b[0;1mx\x1b[?5l\x1b[m\x1b[0;1mx")
_TITLES = st.sampled_from(["\x1b]2;a title\x07", "\x1b]8;;https://example.com\x1b\\a\x1b]8;;\x1b\\", "\x1b]52;c;aGk=\x07"])


def state(screen: pyte.Screen) -> object:
    """All that can be seen on a screen, and what decides about what comes next."""
    cells = [[screen.buffer[line][column] for column in range(screen.columns)] for line in range(screen.lines)]
    cursor = screen.cursor
    return cells, (cursor.x, cursor.y, cursor.attrs, cursor.hidden), screen.mode, screen.margins, screen.title


@examples(80, 250)
@given(st.lists(_TEXTS | _TEXTS | _CONTROLS | _MODES | _REVERSED | _TITLES, max_size=24), st.integers(1, 40))
def test_both_show_the_same(pieces: list[str], length: int) -> None:
    data = "".join(pieces).encode()
    ours, theirs = Screen(10, 4), pyte.Screen(10, 4)
    streams = Stream(ours), pyte.ByteStream(theirs)
    for start in range(0, len(data), length):
        failed: list[type[Exception] | None] = []
        for stream in streams:
            try:
                stream.feed(data[start : start + length])
                failed.append(None)
            except Exception as error:  # pyte fails on some nonsense, and goes on with what comes next; so must ours
                failed.append(type(error))
        assert failed[0] == failed[1]
        assert state(ours) == state(theirs)
