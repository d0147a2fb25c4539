"""The explorer and the dashboard in a browser: who is let in, and a program for each tab.

What flows: keys from a page over a WebSocket into a pseudo-terminal, in which the program runs as in any terminal, and what it
draws back to xterm.js in the page, which the package textual-serve brings (`terminal_files`). `gate` looks at hosts and
origins, `visitors` at who asks, `application` answers; `tabs` has the tabs, `tab` one program with its terminal, `osc` what it
has the page copy, `surroundings` the environment that it gets. Nothing is started for anybody who was not let in. A pseudo-
terminal and no pipe: the kernel hangs up when the server ends, however it ends, so no program stays behind; and the program
needs no second way to draw, to leave or to lend the terminal.

This room never reads what is typed, nor what is drawn but for texts to copy; it makes no call, and knows no credential but by
the name of its variable.
"""
