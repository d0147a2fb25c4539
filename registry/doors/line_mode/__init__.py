"""Callboard line by line, for screen readers: questions are asked and answered one at a time, results are lines of text.

A full-screen program redraws cells anywhere and hides the terminal's cursor: a screen reader hears fragments, or nothing. Here
every line is printed once, in order, and stays; the cursor is where one types; each prompt says what is asked, of which kind,
whether it is required, and the error of what was typed before. Nothing spins and no key has to be known: words do everything.

It is a door as the command line is: it finds tools, asks for arguments, lets the engine run them, and prints. What changes
something is asked for with what the check found. It decides nothing about calls.
"""
