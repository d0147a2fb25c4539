"""The explorer and the dashboard in a browser: access checks, and one program for each tab.

Data flow: keys go from a page over a WebSocket to a pseudo-terminal, in which the program runs as in any terminal; its
output goes back to xterm.js in the page, which is part of the package textual-serve. `application` checks hosts and origins,
authenticates and has the routes, `tab` holds the tabs, each a program with its terminal. Nothing is started for
visitors without access.
It is a pseudo-terminal and not a pipe: when the server ends, in any way, the kernel sends SIGHUP, so no program keeps
running; and the program runs unchanged. This package never reads input or output, except texts to copy; it makes no calls,
and knows only the names of the variables that hold credentials.
"""
