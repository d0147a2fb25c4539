"""Whether Callboard works line by line, for a screen reader, instead of on a full screen. Read before any screen is made."""

from collections.abc import Mapping

from registry.files.folders import config_file
from registry.files.toml_text import section_in


def wants_lines(environment: Mapping[str, str]) -> bool:
    """Whether ``CALLBOARD_SCREEN_READER`` or ``screen_reader`` in ``config.toml`` says so, or the terminal has no screen."""
    if environment.get("CALLBOARD_SCREEN_READER") or environment.get("TERM") == "dumb":
        return True
    return section_in(config_file(environment), "look").get("screen_reader") is True
