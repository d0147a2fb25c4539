"""What the help says of the thing that has the keyboard: what it does, its keys, and what its words and signs mean."""
