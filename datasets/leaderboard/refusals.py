"""Why a run isn't taken."""


class RunRefused(Exception):
    """The run is refused; the message says why. Nothing was changed."""


class NameTaken(RunRefused):
    """Another run has this name; the caller chooses whether to replace it or keep both."""
