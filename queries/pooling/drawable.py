"""What can be drawn from a collection, and what was."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import ProtectedError
from django.db.models.deletion import Collector
from django.utils.translation import gettext as _

from evaluation.formats.video_names import show_of
from foundation.models import Collection
from queries.models import Candidate, Draw, PoolRun, Split
from queries.pooling.distinct_captions import DistinctCaptions
from queries.pooling.query_selection import (
    asked_in_studies,
    drawn_queries,
    training_descriptions,
    undrawn_captions,
)
from queries.pooling.redraw_hooks import reason_to_stay

PAPER_VAL, PAPER_TEST = 500, 2781
SAMPLES = 10
MOST_SHOWS = 50
"""Shows that are listed; a collection with more has names that mean something else."""


@dataclass(frozen=True, slots=True)
class DrawableCaptions:
    """What can be drawn: `captions` distinct ones that no study and no topic asks, `in_studies` others, and how many of
    each show.

    `descriptions` is the collection's size, by which the figure is kept (`foundation.infra.figure_cache`).
    """

    descriptions: int
    captions: int
    in_studies: int
    shows: dict[str, int]

    @property
    def suggestion(self) -> tuple[int, int]:
        """Val and test queries: the paper's numbers, but at most a tenth and a third of the captions."""
        val, test = max(1, self.captions // 10), max(1, self.captions // 3)
        return min(PAPER_VAL, val), min(PAPER_TEST, test)


def drawable(collection: Collection) -> DrawableCaptions:
    """Three SQL queries, one over every caption; of the videos only the shows are held."""
    shows: Counter[str] = Counter()
    for video, captions in DistinctCaptions(undrawn_captions(collection)).by_video():
        shows[show_of(video)] += captions
    return DrawableCaptions(
        descriptions=collection.descriptions.count(),
        captions=shows.total(),
        in_studies=len(asked_in_studies(collection)),
        shows=dict(sorted(shows.items(), key=lambda row: (-row[1], row[0]))[:MOST_SHOWS]),
    )


def standing_draw(collection: Collection) -> dict[str, Any] | None:
    """The draw that stands: {"val", "test", "seed", "stratify", "each_caption", "drawn_at", "training" queries
    left}; None: none."""
    draw = Draw.objects.filter(collection=collection).first()
    if draw is None:
        return None
    values = {name: getattr(draw, name) for name in ("val", "test", "seed", "stratify", "each_caption", "drawn_at")}
    return {**values, "training": training_descriptions(collection).count()}


def sample_queries(collection: Collection) -> list[dict[str, str]]:
    """The first drawn queries of each split: {"split", "text"}."""
    queries = drawn_queries(collection).order_by("position").values_list("text", flat=True)
    return [{"split": split, "text": text} for split in Split.values for text in queries.filter(split=split)[:SAMPLES]]


def why_fixed(collection: Collection) -> str:
    """Why the queries can't be drawn (again), in a sentence; empty if they can."""
    if not drawn_queries(collection).exists():
        return ""
    if not Draw.objects.filter(collection=collection).exists():
        return _("The queries came with imported judgments, so they can't be drawn again.")
    if PoolRun.objects.filter(collection=collection).exists():
        return _("Runs were added for these queries, so they can't be drawn again before the runs are removed.")
    if reason := reason_to_stay(collection):
        return reason
    # The first with candidates: opening begins with it, and then something points to it that may not go.
    first = (
        Candidate.objects.filter(query__in=drawn_queries(collection))
        .order_by("query__split", "query__position")
        .first()
    )
    if first is None:
        return ""
    try:
        Collector(using=DEFAULT_DB_ALIAS).collect([first])
    except ProtectedError:
        return _("Judging of these queries is open, so they can't be drawn again.")
    return ""
