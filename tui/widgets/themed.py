"""An application in Callboard's themes, which works out the colours of a theme when it wears it and not before."""

from __future__ import annotations

from textual.app import App
from textual.theme import Theme

from tui.theme import CALLBOARD, THEMES, roles_of
from tui.widgets.style_sheet import StyleSheet


class Themed(App[None]):
    """An application that starts in Callboard's own theme and knows the others."""

    _has_themes = False

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        # Set before anything listens: a change of theme would parse every style twice before the first frame.
        self.set_reactive(App.theme, CALLBOARD.name)
        self._has_themes = True
        self.stylesheet = StyleSheet(variables=self.get_css_variables())

    @property
    def available_themes(self) -> dict[str, Theme]:
        """All themes by their names; Textual looks here for every line that it paints, and would copy them all each time."""
        return self._registered_themes

    def get_css_variables(self) -> dict[str, str]:
        """The theme's colours, with our roles instead of the colours that Textual would mix.

        Textual first asks for those of its own theme, for a style sheet that ours takes the place of.
        """
        if not self._has_themes:
            return {}
        self.theme_variables = {**super().get_css_variables(), **roles_of(self.current_theme)}
        return self.theme_variables
