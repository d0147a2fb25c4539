"""The folder for files that the screens save."""

from pathlib import Path

from platformdirs import user_downloads_path

from registry.files.served import served_folder


def usual_folder() -> Path:
    """The downloads folder, made if it is missing; the home folder if that fails. Never the shell's current folder.

    In a browser, the folder from which the browser downloads files.
    """
    if (served := served_folder()) is not None:
        return served
    downloads = user_downloads_path()
    try:
        downloads.mkdir(parents=True, exist_ok=True)
        return downloads
    except OSError:
        return Path.home()
