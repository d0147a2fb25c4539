"""The dashboard's past mode on screen: a title that says which moment is shown, and a question for another one."""

from textual.content import Content

from registry.oncall.clocks import clock, moment_of, past, second, span, stamp
from registry.text.safe_text import visible_line
from tui.dialogs.questions import Prompt
from tui.oncall.watching import PastWatching
from tui.widgets.words import Words


class PastBar(Words):
    """The title of the past: which moment, which frame, and the keys to go back and forward. Hidden in the present."""

    DEFAULT_CSS = """
    PastBar { display: none; height: 1; padding: 0 1; background: $warning; color: $background; text-style: bold; }
    PastBar { text-wrap: nowrap; text-overflow: ellipsis; }
    PastBar.-past { display: block; }
    """

    def show(self, watching: PastWatching | None, now: float, keys: str) -> None:
        """Show the moment on screen, as seen from the present `now`; `keys` explains the keys. None: the present."""
        self.set_class(watching is not None, "-past")
        if watching is None or watching.past is None:
            return
        at, ago = watching.past, span(now - watching.past)
        place = f"{watching.number + 1} of {len(watching.replay)}"
        for shown in (
            f"PAST {stamp(at, watching.zone)}, {ago} ago · {place} · {watching.whose} · not live · {keys}",
            f"PAST {stamp(at, watching.zone)}, {ago} ago · {place} · {keys}",
            f"{past(at, watching.zone)}, {ago} ago · {place} · {keys}",
        ):
            if len(shown) <= self.app.size.width - 2:
                break
        self.update(Content(shown))


class MomentDialog(Prompt[float]):
    """Asks which moment of a watch of the past to go to; returns it in Unix seconds."""

    def __init__(self, watching: PastWatching) -> None:
        moments, zone = watching.replay.moments, watching.zone

        def read(text: str) -> float:
            found = moment_of(text, zone, moments[-1])
            if found is None:
                raise ValueError(f"Not a time: “{visible_line(text)[:40]}”. Type 03:14, 2026-11-22 03:14 or -20m.")
            return found

        recorded = f"{second(moments[0], zone)} to {second(moments[-1], zone)} {clock(moments[-1], zone).partition(' ')[2]}"
        about = f"Recorded: {recorded}, {len(moments)} refreshes."
        super().__init__("Go to which time?", "Go", read, about=about, hint="03:14, 03:14:30, 2026-11-22 03:14 or -20m")
