"""Folders that a team shares: presets, playbooks, ready calls and pages that somebody else keeps, read here and never changed.

The setting names folders and git addresses. What flows through this room: setting → `Source` → `SharedFolder`, where its files
are on this machine → the bytes of its files, bounded, each with whose it is. What is in the files is for the rooms that have
such files of one's own (`registry.presets`, `registry.playbooks`, `registry.finding`, `registry.pages`): they hold it to the
same rules.

Everything in a shared folder is hostile: links are not followed, sizes and counts are bounded, and a file that cannot be used
takes no other with it. Of a git repository only the files are taken that are wanted, out of its objects and without a checkout.
Nothing is read before somebody asks for it, and no list ever waits for the network: it has the last state, whose age is told.
"""
