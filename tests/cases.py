"""Tables of cases: the YAML file beside a test's module."""

from pathlib import Path
from typing import Any

import yaml


def cases_beside(module: str) -> dict[str, Any]:
    """The tables of the ``cases.yaml`` beside a module, which is named by its ``__file__``."""
    tables: dict[str, Any] = yaml.load(Path(module).with_name("cases.yaml").read_text("utf-8"), yaml.CSafeLoader)
    return tables
