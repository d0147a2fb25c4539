"""From what somebody types or pastes to tools, calls that are ready to run, and objects: one list, best first.

Words, ids, addresses, ``curl`` commands, amounts → slots and words → scored entries → `Item`

What is looked through is data: the catalogue, and the ``words.json`` and ``ready_calls.json`` of the toolkits' folders. This
room knows no service, makes no call and remembers nothing: whoever asks gives the catalogue, the present, and what is kept.
"""
