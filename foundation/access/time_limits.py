"""Why a request isn't answered in time: PostgreSQL cancelled its statement, for its time limit (config/database.py) or
want of space, or an S3 server didn't give its file."""

import psycopg
from django.utils.translation import gettext_lazy

from foundation.lazy import LazyStr

TITLE = gettext_lazy("Busy just now")
SAFE = gettext_lazy(
    "Everything that was saved before is safe. What you asked for just now was not finished: try again in a moment."
)
WHY = {
    psycopg.errors.LockNotAvailable: gettext_lazy(
        "Somebody else is changing what this needs, and it took too long to wait for."
    ),
    psycopg.errors.DeadlockDetected: gettext_lazy("Somebody else was changing the same at this very moment."),
    psycopg.errors.QueryCanceled: gettext_lazy("The database has too much to do to answer this in time."),
    psycopg.errors.DiskFull: gettext_lazy("The server has no space left to save anything."),
    psycopg.errors.IdleInTransactionSessionTimeout: gettext_lazy("This took too long."),
}
S3_LIBRARIES = ("botocore", "boto3", "s3transfer")
"""Their errors have no common class, and they are imported only where S3 is used."""
S3_AWAY = gettext_lazy("The storage that has the file can't be reached, or refuses to give it.")


def why_not_in_time(fault: BaseException | None) -> LazyStr | None:
    """A sentence; None if the error is neither a statement cancelled for one of `WHY` nor the storage's."""
    # Django wraps psycopg's errors, except those of prepared statements.
    for error in (fault, fault.__cause__ if fault is not None else None):
        for kind, why in WHY.items():
            if isinstance(error, kind):
                return why
        if type(error).__module__.partition(".")[0] in S3_LIBRARIES:
            return S3_AWAY
    return None
