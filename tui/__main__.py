"""``python -m tui`` is the same as ``callboard``."""

import sys

from tui.entry import main

sys.exit(main())
