"""What keeps a backup from being made or restored."""


class BackupError(Exception):
    """The message says what was found, what was expected, and what is safe."""
