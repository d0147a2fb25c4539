"""The explorer and the dashboard in a browser: access checks, and a program for each tab.

Data flow: keys from a page over a WebSocket into a pseudo-terminal, in which the program runs as in any terminal, and what it
draws back to xterm.js in the page, which the package textual-serve brings (`terminal_files`). `gate` looks at hosts and
origins, `visitors` at who asks, `application` answers; `tabs` has the tabs, `tab` one program with its terminal, `osc` what it
has the page copy, `tab_environment` the environment that it gets. Nothing is started for visitors without access. A pseudo-
terminal and no pipe: the kernel sends SIGHUP when the server ends, however it ends, so no program keeps running; and the
program runs unchanged. This package never reads what is typed, nor what is drawn, except texts to copy; it makes no call, and
knows no credential but by the name of its variable.
"""
