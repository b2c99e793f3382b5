"""Jobs that draw val and test queries for a lead in the browser."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from evaluation.formats.video_names import show_of
from foundation.infra.jobs import JobProgress, job_task
from foundation.models import Membership
from queries.models import QueryDraw
from queries.pooling.query_selection import Strata, in_words, query_captions, select_queries
from queries.pooling.strata import BadStrata, read_attribute_of

SHOW = "show"
"""The stratification by the show in a video's name."""
LARGEST_TABLE = 1 << 23
"""Bytes of a table of videos: 8 MiB, a hundred thousand lines."""


def groups_of(upload: "UploadedFile[Any]", column: str) -> tuple[dict[str, str], str]:
    """The groups of the videos that an uploaded CSV file says: as `read_attribute_of`. Raises: BadStrata."""
    if (upload.size or 0) > LARGEST_TABLE:
        sizes = {"found": f"{upload.size:,}", "most": f"{LARGEST_TABLE:,}"}
        raise BadStrata(_("Found %(found)s bytes, expected at most %(most)s.") % sizes)
    try:
        return read_attribute_of(upload.read(), upload.name or "file", column)
    except BadStrata as bad:
        raise BadStrata(f"{bad}.") from bad


def ask_for_draw(
    *,
    member: Membership,
    val: int,
    test: int,
    seed: int,
    stratify: str = "",
    strata: Mapping[str, str] = MappingProxyType({}),
    each_caption: bool = False,
    redraw: bool = False,
) -> QueryDraw:
    """Record a job to draw queries, or return the one that waits or runs; the caller sends the task.

    Args: stratify: "", "show", or the name that `read_attribute` gives; strata: with the latter, video name -> value;
        each_caption: as in `select_queries`.
    """
    asked = {"member": member, "val": val, "test": test, "seed": seed, "redraw": redraw}
    asked |= {"stratify": stratify, "strata": dict(strata), "each_caption": each_caption}
    return QueryDraw.to_do().get_or_create(collection=member.collection, defaults=asked)[0]


@job_task(QueryDraw)
def draw_queries(job: QueryDraw, progress: JobProgress) -> None:
    """Draw the queries. It waits while descriptions are imported, or another draw is made."""
    progress.note(done=0, total=query_captions(job.collection).count())
    strata = Strata(show_of if job.stratify == SHOW else job.strata.get, job.stratify) if job.stratify else None
    drawn = select_queries(
        collection=job.collection,
        val=job.val,
        test=job.test,
        seed=job.seed,
        strata=strata,
        each_caption=job.each_caption,
        redraw=job.redraw,
        progress=progress.count,
    )
    job.said = in_words(job.collection, drawn)
    job.save(update_fields=["said"])
