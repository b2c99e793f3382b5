"""Machine judges: declared, had to judge, read. Nothing of theirs counts as a person's judgment (rooms.md)."""
