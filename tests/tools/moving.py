"""A walk as a moving picture: an SVG whose lines change at the walk's own pace, without a script and without other files.

Each line of the screen is kept once for as long as it stays the same, and shown for that time by CSS. What does not play it,
or must not, shows the last screen. The same walk makes the same picture: its clock is the walk's own.
"""

import re

from tests.tools.stage import Size, play
from tui.walks.program import picture
from tui.walks.walk import Step, Walk
from tui.walks.walk_app import Player, WalkApp

_LAST = 4.0
"""Seconds for which the last screen stays."""

_LOOKS = 60
"""As many looks at rest, some ten milliseconds apart, as what waits for a pause in typing takes, and more."""

_STYLE = re.compile(r"\.(terminal-\d+-r\d+) \{ (.*?) \}")
_PART = re.compile(r'<rect fill="[^"]*" x="[^"]*" y="([\d.]+)"[^>]*shape-rendering[^>]*/>|<text [^>]*-line-(\d+)\)">.*?</text>')
_FIRST, _HEIGHT = 1.5, 24.4
"""Where Rich draws the first line, and the height of a line."""


class _Film:
    """The lines of a screen, each with the times at which it changed, and the time that has passed in the picture."""

    def __init__(self) -> None:
        self.at = 0.0
        self._frame = ""
        self._styles: dict[str, str] = {}
        self._lines: dict[int, list[tuple[float, str]]] = {}

    def take(self, app: WalkApp) -> None:
        """Add what has changed on screen."""
        self._frame = picture(app)
        names = {name: self._styles.setdefault(style, f"s{len(self._styles)}") for name, style in _STYLE.findall(self._frame)}
        lines: dict[int, str] = {}
        for part in _PART.finditer(self._frame):
            number = int(part[2]) if part[2] else round((float(part[1]) - _FIRST) / _HEIGHT)
            drawn = re.sub(r'class="([\w-]+)"', lambda found: f'class="{names[found[1]]}"', part[0])
            lines[number] = lines.get(number, "") + re.sub(r' clip-path="[^"]*"', "", drawn)
        for number in lines.keys() | self._lines.keys():
            changes, now = self._lines.setdefault(number, []), lines.get(number, "")
            if not changes or changes[-1][1] != now:
                changes.append((self.at, now))

    def made(self) -> str:
        """The picture."""
        end = self.at + _LAST
        head, _, _ = self._frame.partition("<style>")
        frame = re.search(r'<rect fill="[^"]*" stroke=.*?</g>', self._frame, re.DOTALL)
        assert frame is not None
        times: dict[tuple[float, float], str] = {}
        drawn = []
        for _, changes in sorted(self._lines.items()):
            for (start, content), (stop, _) in zip(changes, [*changes[1:], (end, "")], strict=True):
                name = times.setdefault((start, stop), f"t{len(times)}")
                drawn.append(f'<g class="{name}">{content}</g>')
        css = [f".{name} {{ {style} }}" for style, name in self._styles.items()]
        css += [_shown(name, start, stop, end) for (start, stop), name in times.items()]
        font = re.search(r"font-family: ([^;]+);", self._frame)
        text = f"text {{ font: 20px {font[1] if font else 'monospace'} }}"
        inside = f'<g transform="translate(9, 41)">{"".join(drawn)}</g>'
        return "\n".join(
            [f"{head}<style>", text, *css, "</style>", re.sub(r' class="[^"]*"', "", frame[0]), inside, "</svg>", ""]
        )


def _shown(name: str, start: float, stop: float, end: float) -> str:
    """The style of what is shown from one time to another, in seconds, of a picture that begins again at its end."""
    if start == 0 and stop == end:
        return ""
    first, last = (f"{100 * at / end:.3f}%" for at in (start, stop))
    frames = [("0%", "visible" if start == 0 else "hidden"), *([(first, "visible")] if start else [])]
    frames += [(last, "hidden")] if stop < end else []
    steps = " ".join(f"{at} {{ visibility: {how} }}" for at, how in frames)
    without = "visible" if stop == end else "hidden"
    moves = f"@media (prefers-reduced-motion: no-preference) {{ .{name} {{ animation: {name} {end:.2f}s step-end infinite }} }}"
    return f".{name} {{ visibility: {without} }}\n@keyframes {name} {{ {steps} }}\n{moves}"


async def moving(walk: Walk, size: Size) -> str:
    """A walk as a moving picture."""
    film = _Film()

    class Filmed(Player):
        """A player whose pauses take no time, but for the picture."""

        async def rest(self, seconds: float, *, read: bool = True) -> None:
            await self.calm(_LOOKS)
            assert isinstance(self.app, WalkApp)
            film.take(self.app)
            film.at += seconds

    async def after(app: WalkApp, step: Step) -> None:
        film.take(app)

    await play(walk, size, after, Filmed, captions=True)
    return film.made()
