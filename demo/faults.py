"""The demo's errors: one sentence each, no traceback."""


class PartError(Exception):
    """A process didn't start or has died; the message names its log."""


class AlreadyRunning(Exception):
    """Another demo runs on the same var folder."""


class CheckFailed(Exception):
    """A check failed; the message says what doesn't hold."""
