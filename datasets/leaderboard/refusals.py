"""Why a run isn't taken."""


class BoardRunRefused(Exception):
    """The run is refused; the message says why. Nothing was changed. `field`: what of the page's form it is about."""

    def __init__(self, message: str, *, field: str = "file") -> None:
        super().__init__(message)
        self.field = field


class RunNameTaken(BoardRunRefused):
    """Another run has this name; the caller chooses whether to replace it or keep both."""

    def __init__(self, message: str) -> None:
        super().__init__(message, field="same_name")
