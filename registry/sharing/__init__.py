"""Folders that a team shares: presets, playbooks, ready calls and pages of others, read here and never changed.

The setting names folders and git addresses. Data flow: setting → `SharedSource` → `SharedFolder`, where its files are on this
machine → the bytes of its files, bounded, each with its folder's name. The rooms for the user's own files of these kinds
(`registry.presets`, `registry.playbooks`, `registry.finding`, `registry.pages`) parse the contents by the same rules.

The content of a shared folder is untrusted: links are not followed, sizes and counts are bounded, and a bad file does not
affect the others. From a git repository only the wanted files are read, from its objects and without a checkout. Files are read
only when needed, and no list waits for the network: it shows the last state, with its age.
"""
