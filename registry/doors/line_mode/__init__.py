"""Callboard line by line, for screen readers: questions are asked and answered one at a time, results are lines of text.

A full-screen program redraws any cells and hides the terminal's cursor: a screen reader reads fragments, or nothing. Here
every line is printed once, in order, and stays; the cursor is where the user types; each prompt names the field, its kind,
whether it is required, and the error of the last input. Nothing is animated and no key has to be known: all commands are
words.

It is a front end like the command line: it finds tools, asks for arguments, lets the engine run them, and prints. Before a
change it shows the check and asks. It decides nothing about calls.
"""
