"""The line that explains a walk: the pressed keys, why, its progress, and how to pause or stop it; and the text on a screen."""

from typing import NamedTuple

from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

from registry.text.shown import visible_line
from tui.keyboard.key_bar import KeyBar


class Caption(NamedTuple):
    """The content of the line: keys as people write them, words, and at the right the progress and the keys that work.

    `asks` means that the keys are the choices of a question: they get a line of their own, to be visible in any terminal.
    """

    words: str = ""
    keys: tuple[str, ...] = ()
    aside: str = ""
    controls: tuple[tuple[str, str], ...] = ()
    asks: bool = False


class CaptionLine(Widget, can_focus=False):
    """One line, which makes the screen smaller and covers nothing: the key bar is below it."""

    DEFAULT_CSS = """
    CaptionLine { dock: bottom; height: 1; background: $text-primary; color: $fill-text; }
    CaptionLine.-above-keys { margin: 0 0 1 0; }
    CaptionLine.-asks { height: 2; }
    CaptionLine.-silent { background: $background; }
    """

    ALLOW_SELECT = False

    caption: reactive[Caption] = reactive(Caption())

    def watch_caption(self, caption: Caption) -> None:
        self.set_class(caption.asks, "-asks")
        self.set_class(caption == Caption(), "-silent")

    def render(self) -> Content:
        """Keys and words at the left; at the right as much as there is room for."""
        room, one = self.size.width, self.caption
        if one.asks:
            keys = Content("   ").join(
                Content.assemble(Content.styled(f" {key} ", "bold reverse"), f" {does}") for key, does in one.controls
            )
            words = Content.styled(f" {visible_line(one.words)}", "bold").truncate(room, ellipsis=True)
            return Content("\n").join([words, Content.assemble(" ", keys)])
        left = [Content(" ")]
        if one.keys:
            left += [Content.styled(f" {' '.join(one.keys)} ", "bold reverse"), Content(" ")]
        left.append(Content.styled(visible_line(one.words), "bold"))
        line = Content.assemble(*left)
        ways = [
            "  ".join(f"{key} {does}" for key, does in some) for some in (one.controls, one.controls[::2], one.controls[-1:])
        ]
        rights = [f"{part} " for part in (f"{one.aside}  {ways[0]}".strip(), *ways, one.aside) if part]
        right = next((text for text in rights if line.cell_length + len(text) + 2 <= room), "")
        line = line.truncate(max(room - len(right), 1), ellipsis=True)
        return Content.assemble(line, " " * max(room - line.cell_length - len(right), 0), right)


def screen_text(screen: Screen[object]) -> str:
    """The text on a screen, line by line. Textual has no public name for it."""
    return "\n".join(strip.text for strip in screen._compositor.render_strips())


async def show_caption(screen: Screen[object], caption: Caption) -> None:
    """Show a caption on a screen: above its key bar if it has one, else in its last line."""
    if not screen.is_attached:
        return
    line = next(iter(screen.query(CaptionLine)), None)
    if line is None:
        line = CaptionLine(classes="-above-keys" if screen.query(KeyBar) else "")
        await screen.mount(line)
    line.caption = caption
