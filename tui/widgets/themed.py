"""An application with Callboard's themes, which computes the colours of a theme only when it is used."""

from __future__ import annotations

from textual.app import App
from textual.css.stylesheet import Stylesheet

from tui.theme import CALLBOARD, THEMES, roles_of


class Themed(App[None]):
    """An application that starts in Callboard's own theme and has the others."""

    _has_themes = False

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        # Set without notifying watchers: a change of theme would parse every style twice before the first frame.
        self.set_reactive(App.theme, CALLBOARD.name)
        self._has_themes = True
        self.stylesheet = Stylesheet(variables=self.get_css_variables())

    def get_css_variables(self) -> dict[str, str]:
        """The theme's colours, with our roles instead of the colours that Textual would compute.

        Textual first calls this for its own theme and a style sheet that ours replaces.
        """
        if not self._has_themes:
            return {}
        self.theme_variables = {**super().get_css_variables(), **roles_of(self.current_theme)}
        return self.theme_variables
