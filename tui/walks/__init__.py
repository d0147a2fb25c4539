"""Walks: the explorer shown at a person's pace, and recorded, replayed and exported.

A walk is data: a TOML file with a title, the sandbox that it begins on, values that can be replaced, and steps. A step is a
text that is typed or keys that are pressed, a caption that says why, and texts that must be on screen before the next step.
Keys are named by the command that they run, so that a walk presses the user's own keys.

A file becomes a `Walk` (`walk`), a `Player` (`walk_app`) turns its steps into the key events that a terminal would
send, and `WalkApp`, the explorer with a caption line, handles them like a person's. `recorder` does the
reverse, from keys to a file. `export` writes what a walk did as a shell script or as Markdown with pictures.

A walk has an explorer of its own: a sandbox made for it, a state folder that is removed afterwards, and an empty environment.
So it begins the same way every time, leaves no trace in the history, and cannot reach an account, because there is none. It
acts only by keys, and has no code about tools or services.
"""
