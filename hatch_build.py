"""The build's own step: the README for package pages, on which links to files of the repository lead nowhere."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"\n *!\[[^]]*\]\((?!https?:)[^)]+\)\n")
_LINK = re.compile(r"(!?)\[([^]]*)\]\((?!https?:)([^)]+)\)")


class CustomMetadataHook(MetadataHookInterface):
    """Sets what depends on the address of the repository, ``address`` in ``pyproject.toml``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the README and the project's addresses."""
        address = str(self.config["address"]).rstrip("/")
        text = Path(self.root, "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": for_packages(text, address)}
        if address:
            paths = {"Source": "", "Documentation": "/blob/main/docs/index.md", "Changelog": "/blob/main/CHANGELOG.md"}
            metadata["urls"] = {name: f"{address}{path}" for name, path in paths.items()}


def for_packages(text: str, address: str) -> str:
    """A README whose links lead to the repository at an address; without one, it has neither pictures nor links."""
    if not address:
        return _LINK.sub(r"\2", _PICTURE.sub("", text))
    return _LINK.sub(lambda found: f"{found[1]}[{found[2]}]({address}/{'raw' if found[1] else 'blob'}/main/{found[3]})", text)
