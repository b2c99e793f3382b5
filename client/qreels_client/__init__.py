"""The API of a Qreels site for Python programs: `Qreels("https://SITE", token=...)`."""

from .judging import Judging
from .problems import (
    Conflict,
    Damaged,
    Invalid,
    JobFailed,
    NotAllowed,
    NotFound,
    NotKnown,
    NotReached,
    NotUnderstood,
    QreelsError,
    Refused,
    TooMany,
    Unavailable,
    WaitedTooLong,
    Wrong,
)
from .sending import Patience
from .site import Collection, Qreels
from .uploads import Uploaded
from .version import __version__

__all__ = [
    "Collection",
    "Conflict",
    "Damaged",
    "Invalid",
    "JobFailed",
    "Judging",
    "NotAllowed",
    "NotFound",
    "NotKnown",
    "NotReached",
    "NotUnderstood",
    "Patience",
    "Qreels",
    "QreelsError",
    "Refused",
    "TooMany",
    "Unavailable",
    "Uploaded",
    "WaitedTooLong",
    "Wrong",
    "__version__",
]
