"""The themes: one fixed colour for each role, with a measured contrast on every background that it is used on.

A role is a meaning: text, muted, accent (focus, links), key (keys, matches), good, warn, bad, live (real money or real people,
and nothing else), and three hues for toolkits. A ground is a background of text: the screen, dialogs, fields, the cursor
with and without the focus. No opacity: a pair of colours then has one contrast, and `tests/tui/test_theme.py` computes it.

In Textual's names the accent is ``$primary`` and ``$text-primary``, the key colour ``$accent`` and ``$text-accent``; the roles
that Textual does not have are ``$live``, ``$violet``, ``$orange``, ``$teal``, ``$hairline`` and ``$rest``. Other themes
get the same roles from their own colours, each made lighter or darker until it can be read (`roles_of`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from textual.color import Color
from textual.theme import Theme

READABLE, READABLE_IN_HIGH_CONTRAST, VISIBLE = 4.5, 7.0, 3.0
"""Contrast ratios of WCAG 2.2: for text, for text in the high contrast theme, and for other parts that have a meaning."""

ROLES = ("text", "muted", "accent", "key", "good", "warn", "bad", "live", "violet", "orange", "teal")
GROUNDS = ("bg", "surface", "panel", "cursor", "rest")


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """The colours of a theme, as ``#rrggbb``: grounds, lines, and roles.

    `hairline` is decoration; `border` marks dialogs, folds and scrollbars; `fill` is the text on a fill of a role's colour.
    """

    bg: str
    surface: str
    panel: str
    cursor: str
    rest: str
    hairline: str
    border: str
    fill: str
    text: str
    muted: str
    accent: str
    key: str
    good: str
    warn: str
    bad: str
    live: str
    violet: str
    orange: str
    teal: str

    @property
    def variables(self) -> dict[str, str]:
        """The colours by the names used in style sheets and texts."""
        return {
            "text": self.text,
            "foreground": self.text,
            "text-muted": self.muted,
            "text-disabled": self.muted,
            "text-primary": self.accent,
            "text-secondary": self.violet,
            "text-accent": self.key,
            "text-success": self.good,
            "text-warning": self.warn,
            "text-error": self.bad,
            "foreground-muted": self.muted,
            "foreground-disabled": self.muted,
            "live": self.live,
            "violet": self.violet,
            "orange": self.orange,
            "teal": self.teal,
            "hairline": self.hairline,
            "rest": self.rest,
            "fill-text": self.fill,
            "block-cursor-background": self.cursor,
            "block-cursor-foreground": self.text,
            "block-cursor-text-style": "none",
            "block-cursor-blurred-background": self.rest,
            "block-cursor-blurred-foreground": self.text,
            "block-hover-background": self.rest,
            "button-focus-text-style": "bold",
            "footer-background": self.bg,
            "footer-foreground": self.muted,
            "footer-key-foreground": self.key,
            "footer-description-foreground": self.muted,
            "input-selection-background": self.cursor,
            "border": self.border,
            "border-blurred": self.hairline,
            "scrollbar": self.hairline,
            "scrollbar-hover": self.border,
            "scrollbar-active": self.accent,
            "scrollbar-background": self.bg,
            "scrollbar-background-hover": self.bg,
            "scrollbar-background-active": self.bg,
            "scrollbar-corner-color": self.bg,
        }


DARK = Palette(
    bg="#0f1318",
    surface="#161b22",
    panel="#1f2630",
    cursor="#1f3550",
    rest="#202833",
    hairline="#2d3643",
    border="#6d7886",
    fill="#0f1318",
    text="#e4e2dc",
    muted="#9aa3af",
    accent="#7cb7ff",
    key="#f2c063",
    good="#84d3a0",
    warn="#f2c063",
    bad="#ff8b8b",
    live="#ff86cc",
    violet="#b9a5ff",
    orange="#ffa36b",
    teal="#6fd3cf",
)

LIGHT = Palette(
    bg="#fbfaf6",
    surface="#f3f0e8",
    panel="#e8e3d7",
    cursor="#c9daf3",
    rest="#e2e4e6",
    hairline="#cfc9bb",
    border="#767165",
    fill="#ffffff",
    text="#20242a",
    muted="#565c66",
    accent="#124f9e",
    key="#744500",
    good="#17582f",
    warn="#744500",
    bad="#a11620",
    live="#9c1371",
    violet="#5139a3",
    orange="#8f3708",
    teal="#0c5659",
)

HIGH_CONTRAST = Palette(
    bg="#000000",
    surface="#000000",
    panel="#161616",
    cursor="#00306e",
    rest="#2a2a2a",
    hairline="#8a8a8a",
    border="#b8b8b8",
    fill="#000000",
    text="#ffffff",
    muted="#d2d2d2",
    accent="#9ad4ff",
    key="#ffd95a",
    good="#7dffa8",
    warn="#ffd95a",
    bad="#ffaaaa",
    live="#ffa6e0",
    violet="#d3c4ff",
    orange="#ffbd94",
    teal="#8cf0ec",
)

_TERMINAL = {
    "text": "ansi_default",
    "text-muted": "ansi_bright_black",
    "text-disabled": "ansi_bright_black",
    "foreground-muted": "ansi_bright_black",
    "text-primary": "ansi_blue",
    "text-secondary": "ansi_magenta",
    "text-accent": "ansi_yellow",
    "text-success": "ansi_green",
    "text-warning": "ansi_yellow",
    "text-error": "ansi_red",
    "live": "ansi_bright_magenta",
    "violet": "ansi_magenta",
    "orange": "ansi_yellow",
    "teal": "ansi_cyan",
    "hairline": "ansi_bright_black",
    "border-blurred": "ansi_bright_black",
    "rest": "ansi_black",
    "fill-text": "ansi_black",
}
"""The roles in the terminal's own colours, which decide the contrast."""


def _theme(name: str, palette: Palette, *, dark: bool) -> Theme:
    return Theme(
        name=name,
        primary=palette.accent,
        secondary=palette.violet,
        accent=palette.key,
        success=palette.good,
        warning=palette.warn,
        error=palette.bad,
        foreground=palette.text,
        background=palette.bg,
        surface=palette.surface,
        panel=palette.panel,
        dark=dark,
        variables=palette.variables,
    )


CALLBOARD = _theme("callboard", DARK, dark=True)
CALLBOARD_LIGHT = _theme("callboard-light", LIGHT, dark=False)
CALLBOARD_CONTRAST = _theme("callboard-contrast", HIGH_CONTRAST, dark=True)

THEMES = (CALLBOARD, CALLBOARD_LIGHT, CALLBOARD_CONTRAST)
PALETTES = {CALLBOARD.name: DARK, CALLBOARD_LIGHT.name: LIGHT, CALLBOARD_CONTRAST.name: HIGH_CONTRAST}


def roles_of(theme: Theme) -> dict[str, str]:
    """The variables of the roles in any theme: ours unchanged, those of others made readable on each of their grounds."""
    if theme.name in PALETTES:
        return PALETTES[theme.name].variables
    colours = theme.to_color_system().generate()
    if any(colours[name].startswith("ansi") for name in ("background", "foreground")):
        return _TERMINAL
    return palette_of(theme).variables


def palette_of(theme: Theme) -> Palette:
    """The palette of a theme whose colours are not the terminal's."""
    if theme.name in PALETTES:
        return PALETTES[theme.name]
    colours = theme.to_color_system().generate()
    usual = DARK if theme.dark else LIGHT
    bg, primary = Color.parse(colours["background"]), Color.parse(colours["primary"])
    ends = Color.parse("#ffffff" if theme.dark else "#000000")
    found = replace(
        usual,
        bg=bg.hex6,
        surface=_over(colours["surface"], bg),
        panel=_over(colours["panel"], bg),
        cursor=bg.blend(primary, 0.2).hex6,
        rest=bg.blend(ends, 0.1).hex6,
        hairline=bg.blend(ends, 0.2).hex6,
        fill=bg.hex6,
        text=_over(colours["foreground"], bg),
        muted=bg.blend(Color.parse(colours["foreground"]), 0.65).hex6,
        accent=primary.hex6,
        key=_over(colours["warning"], bg),
        good=_over(colours["success"], bg),
        warn=_over(colours["warning"], bg),
        bad=_over(colours["error"], bg),
    )
    grounds = [getattr(found, ground) for ground in GROUNDS]
    return replace(
        found,
        border=_readable(usual.border, grounds[:2], VISIBLE),
        **{role: _readable(getattr(found, role), grounds, READABLE) for role in ROLES},
    )


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio")."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [value / 255 for value in Color.parse(colour).rgb]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _over(colour: str, ground: Color) -> str:
    """A colour with any transparency mixed with its ground."""
    found = Color.parse(colour)
    return ground.blend(found.with_alpha(1.0), found.a).hex6


def _readable(colour: str, grounds: list[str], least: float) -> str:
    """The colour, or the nearest one towards white or black with at least this contrast on all grounds.

    If neither white nor black has it on every ground, the one with more contrast.
    """

    def lowest(one: str) -> float:
        return min(contrast(one, ground) for ground in grounds)

    if lowest(colour) >= least:
        return colour
    start = Color.parse(colour)
    end = Color.parse(max(("#ffffff", "#000000"), key=lowest))
    steps = (start.blend(end, step / 40).hex6 for step in range(1, 41))
    return next((one for one in steps if lowest(one) >= least), end.hex6)
