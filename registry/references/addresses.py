"""The pattern of email addresses."""

from __future__ import annotations

import re

# No quotes and no backslashes: an address is put into search expressions unchanged.
EMAIL = re.compile(r"[^@\s\"'\\<>(),;:]{1,64}@[^@\s\"'\\<>(),;:]+\.[^@\s\"'\\<>(),;:.]{2,}")
