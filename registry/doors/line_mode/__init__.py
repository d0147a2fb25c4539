"""Callboard line by line, for screen readers: questions are asked and answered one at a time, results are lines of text.

A full-screen program redraws cells anywhere and hides the terminal's cursor: a screen reader reads fragments, or nothing. Here
every line is printed once, in order, and stays; the cursor is where the user types; each prompt says what is asked, of which
kind, whether it is required, and the error of what was typed before. Nothing spins and no key has to be known: words do
everything.

It is a front end like the command line: it finds tools, asks for arguments, has the engine run them, and prints. Before a
change it shows the check and asks. It decides nothing about calls.
"""
