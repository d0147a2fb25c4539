"""The themes: one fixed colour for each role, with a measured contrast on every background that it is used on.

A role is a meaning: text, muted, accent (focus, links), key (keys, matches), good, warn, bad, live (real money or real people,
and nothing else), and three hues for toolkits. A ground is a background of text: the screen, dialogs, fields, the cursor
with and without the focus. No opacity: a pair of colours then has one contrast, and `tests/tui/test_theme.py` computes it.

In Textual's names the accent is ``$primary`` and ``$text-primary``, the key colour ``$accent`` and ``$text-accent``; the roles
that Textual does not have are ``$live``, ``$violet``, ``$orange``, ``$teal``, ``$hairline`` and ``$rest``. Other themes
get the same roles from their own colours, each made lighter or darker until it can be read (`roles_of`).
"""

from collections.abc import Mapping
from typing import Any

from textual.color import Color
from textual.theme import Theme

READABLE, READABLE_IN_HIGH_CONTRAST, VISIBLE = 4.5, 7.0, 3.0
"""Contrast ratios of WCAG 2.2: for text, for text in the high contrast theme, and for other parts that have a meaning."""

ROLES = ("text", "muted", "accent", "key", "good", "warn", "bad", "live", "violet", "orange", "teal")
GROUNDS = ("bg", "surface", "panel", "cursor", "rest")


Palette = Mapping[str, str]
"""The colours of a theme, as ``#rrggbb``: grounds, lines, and roles.

`hairline` is decoration; `border` marks dialogs, folds and scrollbars; `fill` is the text on a fill of a role's colour.
"""

_NAMES = {
    "bg": (
        "footer-background scrollbar-background scrollbar-background-hover scrollbar-background-active scrollbar-corner-color"
    ),
    "cursor": "block-cursor-background input-selection-background",
    "rest": "rest block-cursor-blurred-background block-hover-background",
    "hairline": "hairline border-blurred scrollbar",
    "border": "border scrollbar-hover",
    "fill": "fill-text",
    "text": "text foreground block-cursor-foreground block-cursor-blurred-foreground",
    "muted": ("text-muted text-disabled foreground-muted foreground-disabled footer-foreground footer-description-foreground"),
    "accent": "text-primary scrollbar-active",
    "key": "text-accent footer-key-foreground",
    "good": "text-success",
    "warn": "text-warning",
    "bad": "text-error",
    "live": "live",
    "violet": "text-secondary violet",
    "orange": "orange",
    "teal": "teal",
}
"""The names of each colour in style sheets and texts."""

_PLAIN = {"block-cursor-text-style": "none", "button-focus-text-style": "bold"}


def _named(colours: Palette) -> dict[str, str]:
    """Colours by the names used in style sheets and texts."""
    found = {name: colours[role] for role, names in _NAMES.items() for name in names.split()}
    return {name: colour for name, colour in found.items() if colour} | _PLAIN


_COLOURS = {
    # role: dark, light, high contrast, and the terminal's own, which then decides the contrast
    "bg": ("#0f1318", "#fbfaf6", "#000000", ""),
    "surface": ("#161b22", "#f3f0e8", "#000000", ""),
    "panel": ("#1f2630", "#e8e3d7", "#161616", ""),
    "cursor": ("#1f3550", "#c9daf3", "#00306e", ""),
    "rest": ("#202833", "#e2e4e6", "#2a2a2a", "ansi_black"),
    "hairline": ("#2d3643", "#cfc9bb", "#8a8a8a", "ansi_bright_black"),
    "border": ("#6d7886", "#767165", "#b8b8b8", ""),
    "fill": ("#0f1318", "#ffffff", "#000000", "ansi_black"),
    "text": ("#e4e2dc", "#20242a", "#ffffff", "ansi_default"),
    "muted": ("#9aa3af", "#565c66", "#d2d2d2", "ansi_bright_black"),
    "accent": ("#7cb7ff", "#124f9e", "#9ad4ff", "ansi_blue"),
    "key": ("#f2c063", "#744500", "#ffd95a", "ansi_yellow"),
    "good": ("#84d3a0", "#17582f", "#7dffa8", "ansi_green"),
    "warn": ("#f2c063", "#744500", "#ffd95a", "ansi_yellow"),
    "bad": ("#ff8b8b", "#a11620", "#ffaaaa", "ansi_red"),
    "live": ("#ff86cc", "#9c1371", "#ffa6e0", "ansi_bright_magenta"),
    "violet": ("#b9a5ff", "#5139a3", "#d3c4ff", "ansi_magenta"),
    "orange": ("#ffa36b", "#8f3708", "#ffbd94", "ansi_yellow"),
    "teal": ("#6fd3cf", "#0c5659", "#8cf0ec", "ansi_cyan"),
}
DARK, LIGHT, HIGH_CONTRAST, _TERMINAL = ({role: colours[place] for role, colours in _COLOURS.items()} for place in range(4))


def _theme(name: str, palette: Palette, *, dark: bool) -> Theme:
    roles = {"surface": "surface", "panel": "panel", "foreground": "text", "background": "bg", "primary": "accent"}
    roles |= {"secondary": "violet", "accent": "key", "success": "good", "warning": "warn", "error": "bad"}
    colours: dict[str, Any] = {one: palette[role] for one, role in roles.items()}
    return Theme(name=name, dark=dark, variables=_named(palette), **colours)


CALLBOARD = _theme("callboard", DARK, dark=True)
CALLBOARD_LIGHT = _theme("callboard-light", LIGHT, dark=False)
CALLBOARD_CONTRAST = _theme("callboard-contrast", HIGH_CONTRAST, dark=True)

THEMES = (CALLBOARD, CALLBOARD_LIGHT, CALLBOARD_CONTRAST)
PALETTES = {CALLBOARD.name: DARK, CALLBOARD_LIGHT.name: LIGHT, CALLBOARD_CONTRAST.name: HIGH_CONTRAST}


def roles_of(theme: Theme) -> dict[str, str]:
    """The variables of the roles in any theme: ours unchanged, those of others made readable on each of their grounds."""
    if theme.name not in PALETTES:
        colours = theme.to_color_system().generate()
        if any(colours[name].startswith("ansi") for name in ("background", "foreground")):
            # Textual's own fit its cursor
            return {name: colour for name, colour in _named(_TERMINAL).items() if not name.startswith("block-")}
    return _named(palette_of(theme))


def palette_of(theme: Theme) -> Palette:
    """The palette of a theme whose colours are not the terminal's."""
    if theme.name in PALETTES:
        return PALETTES[theme.name]
    colours = theme.to_color_system().generate()
    usual = DARK if theme.dark else LIGHT
    bg, primary = Color.parse(colours["background"]), Color.parse(colours["primary"])
    ends = Color.parse("#ffffff" if theme.dark else "#000000")
    found = {
        **usual,
        "bg": bg.hex6,
        "surface": _over(colours["surface"], bg),
        "panel": _over(colours["panel"], bg),
        "cursor": bg.blend(primary, 0.2).hex6,
        "rest": bg.blend(ends, 0.1).hex6,
        "hairline": bg.blend(ends, 0.2).hex6,
        "fill": bg.hex6,
        "muted": bg.blend(Color.parse(colours["foreground"]), 0.65).hex6,
        "accent": primary.hex6,
    }
    ours = {"text": "foreground", "key": "warning", "good": "success", "warn": "warning", "bad": "error"}
    found |= {role: _over(colours[theirs], bg) for role, theirs in ours.items()}
    grounds = [found[ground] for ground in GROUNDS]
    readable = {role: _readable(found[role], grounds, READABLE) for role in ROLES}
    return {**found, **readable, "border": _readable(usual["border"], grounds[:2], VISIBLE)}


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
