"""The log of a job: a few hundred lines of a table, written by `run_job` and by the work itself."""

from typing import Any

from django.db import connection
from django.db.models import QuerySet

from foundation.models.jobs import Job, JobLine
from foundation.text import UNSTORABLE

MOST_LINES = 500
"""Lines that are kept of a job; older ones go."""
LONGEST_LINE = 1000
_ADD = """
    INSERT INTO foundation_jobline (kind, job, at, text)
    SELECT %(kind)s, %(job)s, clock_timestamp(), %(text)s
    WHERE (SELECT text FROM foundation_jobline WHERE kind = %(kind)s AND job = %(job)s ORDER BY id DESC LIMIT 1)
        IS DISTINCT FROM %(text)s
"""
_FORGET = """
    DELETE FROM foundation_jobline WHERE kind = %(kind)s AND job = %(job)s AND id <= (
        SELECT id FROM foundation_jobline WHERE kind = %(kind)s AND job = %(job)s
         ORDER BY id DESC OFFSET %(most)s LIMIT 1)
"""


def log_line(job: Job, text: str, *, using: Any = connection) -> None:
    """Write a line to a job's log, unless its newest line says the same.

    Args: using: the connection to write it over; by default the one of the work.
    """
    storable = UNSTORABLE.sub("\ufffd", text)
    line = storable if len(storable) <= LONGEST_LINE else f"{storable[: LONGEST_LINE - 1]}…"
    values = {"kind": job._meta.label_lower, "job": job.pk, "text": line, "most": MOST_LINES}
    with using.cursor() as cursor:
        cursor.execute(_ADD, values)
        cursor.execute(_FORGET, values)


def lines_of(job: Job) -> QuerySet[JobLine]:
    """A job's log, the oldest line first."""
    return JobLine.objects.filter(kind=job._meta.label_lower, job=job.pk).order_by("pk")
