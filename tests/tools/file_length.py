"""No Python file may be longer than 500 lines: what does not fit in the head does not fit in a file."""

import subprocess
import sys
from pathlib import Path

LONGEST = 500

listed = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"], capture_output=True, text=True, check=True
)
lengths = {name: len(Path(name).read_text("utf-8").splitlines()) for name in listed.stdout.splitlines() if Path(name).exists()}
long = {name: length for name, length in lengths.items() if length > LONGEST}
for name, length in sorted(long.items()):
    sys.stderr.write(f"{name}: {length} lines, {LONGEST} at most\n")
sys.exit(bool(long))
