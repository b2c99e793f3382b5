"""When the request that this thread answers began to arrive, by the database's clock: what deadlines are held against.

The web server notes how long ago the request's first byte had come, or would have come at the least rate
(`Request.began_ago` of config/web/server.py); under a server that doesn't, a request begins when it is answered.
"""

import threading
from datetime import datetime, timedelta

from django.db import connection

_here = threading.local()


def note_wait(seconds: float) -> None:
    """Called before a request is answered: how many seconds ago it began to arrive."""
    _here.seconds = max(0.0, seconds)


def began_at() -> datetime:
    """When the request began to arrive: the database's clock less the time that its body took."""
    return database_now() - timedelta(seconds=getattr(_here, "seconds", 0.0))


def database_now() -> datetime:
    """The database's clock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now
