"""The demo's errors: one sentence each, no traceback."""


class PartError(Exception):
    """A part did not start or has died; the message names its log."""


class AlreadyRunning(Exception):
    """Another demo runs on the same var folder."""


class CheckFailed(Exception):
    """Something that must hold does not; the message says what."""
