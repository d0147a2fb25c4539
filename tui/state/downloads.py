"""Where files go that the screens write for their user."""

from __future__ import annotations

from pathlib import Path


def usual_folder() -> Path:
    """The downloads, made where they are missing; the home folder where that fails. Never where the shell happened to stand."""
    from platformdirs import user_downloads_path

    downloads = user_downloads_path()
    try:
        downloads.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path.home()
    return downloads
