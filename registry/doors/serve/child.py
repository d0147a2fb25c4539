"""Starts a tab's program in its own process: sets the controlling terminal and the limits, then executes the program.

Run as a file by its path, without importing the package: no other code runs between the terminal and the program.
"""

import fcntl
import os
import resource
import sys
import termios


def main() -> None:
    """Execute the program in the arguments; the first argument is the size limit of each file that it writes, in bytes."""
    largest, *command = sys.argv[1:]
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # closing it ends the program
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(largest), int(largest)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # memory holds secrets
    os.execv(command[0], command)  # noqa: S606  (the words of the server)


if __name__ == "__main__":
    main()
