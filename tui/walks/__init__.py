"""Walks: the explorer shown at a person's pace, and recorded, replayed and exported.

A walk is data: a TOML file with a title, the sandbox that it begins on, values that may be replaced, and steps. A step is a
text that is typed or keys that are pressed, a caption that says why, and what must be on screen before the next step. Keys are
named by the command that they run, so that a walk presses the keys of whoever watches.

What flows: a file becomes a `Walk` (`walk`), a `Player` (`player`) turns its steps into the key events that a terminal would
send, and `WalkApp` (`walk_app`), the explorer with a caption line, handles them as it handles a person's. `recorder` is the
way back, from keys to a file. `export` writes what a walk did as a shell script or as Markdown with pictures.

A walk has an explorer of its own: a sandbox made for it, a state folder that is removed afterwards, and an empty environment.
So it begins the same way every time, leaves no trace in the history, and can reach no account, because it knows none. It acts
by keys alone, and never knows what a tool or a service is.
"""
