"""From what somebody types or pastes to tools, calls that are ready to run, and objects: one list, best first.

Words, ids, addresses, ``curl`` commands, amounts → slots and words → scored entries → `Item`

The searched data are the catalogue, and the ``words.json`` and ``ready_calls.json`` of the toolkits' folders. This package
names no service, makes no call and has no state: the caller passes the catalogue, the present, and the user's own calls.
"""
