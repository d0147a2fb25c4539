"""Turns typed or pasted text into tools, calls that are ready to run, and objects: one list, best first.

Words, ids, addresses, ``curl`` commands, amounts → slots and words → scored entries → `Item`

It searches the catalogue, and the ``words.json`` and ``ready_calls.json`` in the toolkits' folders. This package
names no service, makes no call and has no state: the caller passes the catalogue, the current time, and the user's own calls.
"""
