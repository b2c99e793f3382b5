"""Precomputed results of the annotator model, and the pairs it doubts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet

from annotation.batches.transitions import rule_of
from annotation.models import Judgment, Pair
from annotation.people.people_figures import judged_columns
from foundation.models import Collection

NAME = "model"


def compute_model(collection: Collection) -> Any:
    """Compute a collection's `annotator_model.ModelView`, as JSON."""
    from annotation.people.annotator_model import model_view

    judged = judged_columns(collection)
    decided = dict(_decided(collection).values_list("pk", "grade"))
    return model_view(judged.pair, judged.person, judged.grade, decided, rule_of(collection))


def decided_pairs(collection: Collection) -> int:
    """The number of decided pairs."""
    return _decided(collection).count()


def _decided(collection: Collection) -> QuerySet[Pair]:
    return Pair.objects.filter(batch__collection=collection, status__in=[Pair.Status.CONSENSUS, Pair.Status.DISCARDED])


@dataclass(frozen=True, slots=True)
class PointedAt:
    """A pair on which model and consensus differ, as the lead sees it; `grades` are (worker, grade, round)."""

    pair: int
    batch: int
    query: str
    caption: str | None
    rank: int
    grade: int | None
    status: str
    model: int
    probability: float
    expected: float
    far: float
    grades: list[tuple[str, int, int]]


def pointed_at(collection: Collection, views: Sequence[Mapping[str, Any]]) -> list[PointedAt]:
    """The pairs with their query and judgments, in the order given; what was decided otherwise since says so by its
    status. Two SQL queries."""
    counted = Prefetch(
        "judgments", Judgment.objects.filter(counted=True).select_related("annotator").order_by("pk"), to_attr="given"
    )
    pairs = {
        pair.pk: pair
        for pair in Pair.objects.filter(batch__collection=collection, pk__in=[view["pair"] for view in views])
        .select_related("batch__query", "candidate")
        .prefetch_related(counted)
    }
    return [
        PointedAt(
            pair=pair.pk,
            batch=pair.batch_id,
            query=pair.batch.query.text,
            caption=pair.candidate.caption_text or None,
            rank=pair.candidate.rank,
            grade=pair.grade,
            status=pair.status,
            model=view["model"],
            probability=view["probability"],
            expected=view["expected"],
            far=view["far"],
            grades=[(judgment.annotator.worker, judgment.grade, judgment.round) for judgment in pair.given],
        )
        for view in views
        if (pair := pairs.get(view["pair"])) is not None
    ]
