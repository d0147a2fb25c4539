"""Callboard's own colours: paper-warm letters on slate, amber where the eye should go."""

from __future__ import annotations

from textual.theme import Theme

CALLBOARD = Theme(
    name="callboard",
    primary="#7fb4ff",
    secondary="#b0a1f0",
    accent="#f0b64d",
    success="#7fcf9a",
    warning="#f0b64d",
    error="#f2777a",
    foreground="#dcd9d2",
    background="#12151a",
    surface="#181c23",
    panel="#222833",
    dark=True,
    variables={
        "block-cursor-background": "#2f4260",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-blurred-background": "#232a36",
        "block-cursor-text-style": "none",
        "button-focus-text-style": "bold",
        "footer-background": "#181c23",
        "footer-key-foreground": "#f0b64d",
        "footer-description-foreground": "#a9adb5",
        "input-selection-background": "#7fb4ff 30%",
        "border": "#7fb4ff",
        "border-blurred": "#343c4a",
        "scrollbar": "#343c4a",
        "scrollbar-hover": "#4a5568",
        "scrollbar-active": "#7fb4ff",
        "scrollbar-background": "#181c23",
        "scrollbar-corner-color": "#181c23",
    },
)
