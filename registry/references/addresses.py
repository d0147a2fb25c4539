"""What an email address looks like."""

from __future__ import annotations

import re

# No quotes and no backslashes: an address goes into search expressions as it is.
EMAIL = re.compile(r"[^@\s\"'\\<>(),;:]{1,64}@[^@\s\"'\\<>(),;:]+\.[^@\s\"'\\<>(),;:.]{2,}")
