"""Why a run isn't taken onto a leaderboard."""

from foundation.refused import Refused


class RunNameTaken(Refused):
    """Another run has this name; the caller chooses whether to replace it or keep both."""

    field = "same_name"
