"""What keeps a backup from being made or restored."""

from foundation.refused import Refused


class BackupError(Refused):
    """The message says what was found, what was expected, and what is safe."""
