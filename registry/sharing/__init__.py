"""Folders that a team shares: presets, playbooks, ready calls and pages that somebody else keeps, read here and never changed.

The setting names folders and git addresses. What flows through this room: setting → `Source` → `SharedFolder`, where its files
are on this machine → the bytes of its files, bounded, each with whose it is. What is in the files is for the rooms that have
such files of one's own (`registry.presets`, `registry.playbooks`, `registry.finding`, `registry.pages`): they hold it to the
same rules.

The content of a shared folder is untrusted: links are not followed, sizes and counts are bounded, and a file that cannot be
used takes no other with it. Of a git repository only the files are taken that are wanted, out of its objects and without a
checkout. Files are read only when needed, and no list waits for the network: it shows the last state, with its age.
"""
