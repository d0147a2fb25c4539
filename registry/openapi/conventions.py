"""What documents usually mean by their words, as data: names of paging, lists, wrappers and errors, and styles of parameters.

``roles`` has the names of query parameters for paging, of which cursors are text and the others whole numbers; ``more``,
``total``, ``next``, ``position`` and ``size`` are properties of a page.
"""

import json
from pathlib import Path
from typing import Any

CONVENTIONS: dict[str, Any] = json.loads(Path(__file__).with_name("conventions.json").read_text("utf-8"))
