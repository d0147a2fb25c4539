"""Folders that a team shares: presets, playbooks, ready calls and pages of others, read here and never changed.

Data flow: the setting → `SharedFolder` → the bytes of its files, bounded, each with its folder's name. The rooms for the user's
own files of these kinds (`registry.presets`, `registry.playbooks`, `registry.finding`, `registry.pages`) parse the contents by
the same rules. The content is untrusted: links are not followed, sizes and counts are bounded, and a bad file does not affect
the others.
"""
