"""Data of the review pages: queue, one batch, decisions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Count, F, Prefetch, Q, QuerySet

from annotation.batches.transitions import is_last
from annotation.factors.declared import said_in
from annotation.models import Batch, FormerReview, Judgment, Pair, Review, SpanRuling
from annotation.review.decisions import POLICY, by_whom
from annotation.review.extend_rule import LAST, Recommendation, recommend
from annotation.review.pair_spans import agreed_span, has_spans, marked_in, standing_rulings
from annotation.shown_pair import ShownPair
from annotation.span_consensus import Marked, Span
from foundation.infra.list_pages import Order
from foundation.models import Collection
from queries.pooling.query_columns import query_source_id

AHEAD = 100
"""Batches of the queue on the page, before its script asks for more."""


@dataclass(frozen=True, slots=True)
class WaitingBatch:
    """A batch of the queue: `mean` of its last five grades, None without one, and what the rule recommends."""

    batch: int
    query: str
    number: int
    mean: float | None
    extend: bool
    postponed: bool


def waiting_figures(collection: Collection, batches: Sequence[int] | None = None) -> dict[int, Recommendation]:
    """The rule's verdict on every decided batch of a collection, or on those of these ids, in one SQL query."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT b.id, array_agg(last.rank), array_agg(last.grade)
              FROM annotation_batch b
              LEFT JOIN LATERAL (SELECT k.rank, p.grade
                                   FROM annotation_pair p JOIN queries_candidate k ON k.id = p.candidate_id
                                  WHERE p.batch_id = b.id AND p.grade IS NOT NULL
                                  ORDER BY k.rank DESC LIMIT %s) AS last ON true
             WHERE b.collection_id = %s AND b.status = 'decided' AND (%s::bigint[] IS NULL OR b.id = ANY(%s))
             GROUP BY b.id""",
            [LAST, collection.pk, *[None if batches is None else list(batches)] * 2],
        )
        rows = cursor.fetchall()
    threshold = collection.extend_threshold
    return {
        batch: recommend(list(zip(ranks, grades, strict=True)), threshold=threshold) for batch, ranks, grades in rows
    }


def means_beyond(collection: Collection, *, low: float | None, high: float | None) -> dict[int, float]:
    """Decided batches whose last five grades average `low` at most or `high` at least, with that mean. One SQL query.

    Args: low, high: 0-4; None: no such bound.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT b.id, last.mean
              FROM annotation_batch b
             CROSS JOIN LATERAL (SELECT sum(grade)::float8 / count(*) AS mean
                                   FROM (SELECT p.grade
                                           FROM annotation_pair p JOIN queries_candidate k ON k.id = p.candidate_id
                                          WHERE p.batch_id = b.id AND p.grade IS NOT NULL
                                          ORDER BY k.rank DESC LIMIT %s) AS graded
                                 HAVING count(*) > 0) AS last
             WHERE b.collection_id = %s AND b.status = 'decided'
               AND (last.mean <= %s::float8 OR last.mean >= %s::float8)""",
            [LAST, collection.pk, low, high],
        )
        return dict(cursor.fetchall())


def waiting_batches(collection: Collection, limit: int = AHEAD) -> list[WaitingBatch]:
    """The first batches of the lead's queue, with figures. Two SQL queries."""
    batches = list(review_queue(collection)[:limit])
    figures = waiting_figures(collection, [batch.pk for batch in batches])
    return [
        WaitingBatch(
            batch=batch.pk,
            query=batch.query.text,
            number=batch.number,
            mean=figures[batch.pk].mean,
            extend=figures[batch.pk].extend,
            postponed=batch.postponed_at is not None,
        )
        for batch in batches
        if batch.pk in figures
    ]


@dataclass(frozen=True, slots=True)
class RawGrade:
    """One counted judgment: who gave which grade in which round."""

    worker: str
    grade: int
    round: int
    bar: "Bar | None" = None


@dataclass(frozen=True, slots=True)
class Bar:
    """A span within its moment: start and end in seconds from the moment's start; left and width in percent of it."""

    start: float
    end: float
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class SpanShown:
    """The span of a graded pair: as agreed on, as the lead has set it, or the moment's own; `status` of `PairSpan`."""

    status: str
    bar: Bar
    mean_iou: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedPair(ShownPair):
    """One of a batch's candidates as the lead sees it."""

    caption: str | None
    rank: int
    similarity: float | None
    grade: int | None
    status: str
    answered: list[tuple[RawGrade, list[tuple[str, str]]]]
    """Each raw grade with what was answered beside it: factors' names and answers."""
    in_tail: bool
    span: SpanShown | None = None

    @property
    def judgments(self) -> list[int]:
        """The raw grades alone, in the order given."""
        return [given.grade for given in self.raw]

    @property
    def raw(self) -> list[RawGrade]:
        return [given for given, _ in self.answered]


@dataclass(frozen=True, slots=True)
class ReviewSheet:
    """Everything that the lead needs to decide a batch. `version` tells whether it is still as it was shown."""

    batch: Batch
    pairs: list[ReviewedPair]
    recommendation: Recommendation
    may_extend: bool
    version: int


def review_sheet(batch: Batch) -> ReviewSheet:
    """A batch's candidates in rank order, with grades, raw grades, captions and clips.

    Three SQL queries, two more where annotators mark spans and one where they answer factors, where the batch comes
    with its query and collection.
    """
    given = Judgment.objects.filter(counted=True).select_related("annotator").order_by("pk")
    counted = given.only("pair_id", "grade", "round", "annotator__worker")
    pairs = list(
        batch.pairs.select_related("candidate__moment__video", "candidate__moment__clip")
        .prefetch_related(Prefetch("judgments", counted))
        .order_by("candidate__rank")
    )
    collection, judgments = batch.query.collection, [given.pk for pair in pairs for given in pair.judgments.all()]
    marked, rulings = None, {}
    if has_spans(collection):
        marked, rulings = marked_in(judgments), standing_rulings(pairs)
    said, threshold = said_in(collection, judgments), collection.extend_threshold
    verdict = recommend([(pair.candidate.rank, pair.grade) for pair in pairs], threshold=threshold)
    return ReviewSheet(
        batch,
        [_reviewed(pair, verdict, marked, rulings.get(pair.pk), said) for pair in pairs],
        verdict,
        may_extend=not is_last(batch),
        version=sum(pair.version for pair in pairs),
    )


def _reviewed(
    pair: Pair,
    verdict: Recommendation,
    marked: dict[int, Span] | None,
    ruling: SpanRuling | None,
    said: dict[int, list[tuple[str, str]]],
) -> ReviewedPair:
    """`marked` and `said` by judgment; `marked` is None where nobody marks."""
    candidate, moment = pair.candidate, pair.candidate.moment
    own, spans = Span(moment.start, moment.end), marked or {}
    return ReviewedPair.of(
        pair,
        caption=candidate.caption_text or None,
        rank=candidate.rank,
        similarity=candidate.similarity,
        grade=pair.grade,
        status=pair.status,
        answered=[
            (raw, said.get(given.pk, []))
            for raw, given in zip(raw_grades(pair, own, spans), pair.judgments.all(), strict=True)
        ],
        in_tail=candidate.rank in verdict.ranks,
        span=_span(pair, own, spans, ruling) if marked is not None and pair.grade else None,
    )


def _span(pair: Pair, own: Span, spans: dict[int, Span], ruling: SpanRuling | None) -> SpanShown:
    given = [Marked(judgment.grade, spans.get(judgment.pk)) for judgment in pair.judgments.all()]
    agreed = agreed_span(pair.batch.query.collection, own, given)
    if ruling is not None and agreed.status == "apart":
        return SpanShown("lead", bar_of(Span(ruling.start, ruling.end), own), agreed.mean_iou)
    return SpanShown(agreed.status, bar_of(agreed.span, own), agreed.mean_iou)


def raw_grades(pair: Pair, own: Span, spans: dict[int, Span]) -> list[RawGrade]:
    """The pair's prefetched judgments, with the spans marked by judgment within the moment's `own`."""
    bars = {given.pk: bar_of(spans[given.pk], own) for given in pair.judgments.all() if given.pk in spans}
    return [
        RawGrade(given.annotator.worker, given.grade, given.round, bars.get(given.pk)) for given in pair.judgments.all()
    ]


def bar_of(span: Span, own: Span) -> Bar:
    length = own.end - own.start
    start, end = span.start - own.start, span.end - own.start
    return Bar(round(start, 3), round(end, 3), round(100 * start / length, 2), round(100 * (end - start) / length, 2))


@dataclass(frozen=True, slots=True)
class DecidedBatch:
    """A current or taken-back (`taken_back_at`) review, with the figures it was based on."""

    review: int
    batch: int
    query: str
    number: int
    decision: str
    by: str
    automatic: bool
    decided_at: datetime
    mean: float | None
    threshold: float
    grades: list[int | None]
    taken_back_by: str | None
    taken_back_at: datetime | None
    may_take_back: bool


def decided_batches(decisions: Iterable[Review | FormerReview]) -> list[DecidedBatch]:
    """Decisions of `decisions_of`, in their order. One SQL query."""
    rows = list(decisions)
    begun = _begun_after([row for row in rows if isinstance(row, Review)])
    return [_decided(row, row.batch_id in begun) for row in rows]


def decisions_of(collection: Collection, kind: str) -> tuple[QuerySet[Any], Order]:
    """Decisions with what `decided_batches` tells of them, unordered, and their order: the newest first.

    Args: kind: "automatic", "lead", "taken-back" or "" (all current ones).
    """
    if kind == "taken-back":
        former = FormerReview.objects.filter(batch__collection=collection)
        return former.select_related("batch__query", "decided_by", "taken_back_by"), Order(("-taken_back_at", "-pk"))
    reviews = Review.objects.filter(batch__collection=collection).select_related("batch__query", "decided_by")
    if kind in ("automatic", "lead"):
        reviews = reviews.filter(decided_by__isnull=kind == "automatic")
    return reviews, Order(("-decided_at", "-pk"))


DECISION_COLUMNS = (
    *("decided_at", "query_id", "query", "batch", "decision", "mean", "threshold", "grades", "by"),
    *("taken_back_by", "taken_back_at"),
)


def decision_rows(collection: Collection, *, kind: str) -> Iterator[list[Any]]:
    """What `decisions_of` has, as `DECISION_COLUMNS`: times in ISO, grades in rank order with spaces
    between and "-" for none, "" where there is nothing to say. One SQL query, bounded memory."""
    former = kind == "taken-back"
    decisions, order = decisions_of(collection, kind)
    rows = decisions.order_by(*order.expressions()).values_list(
        *("decided_at", query_source_id("batch__query__"), "batch__query__text", "batch__number", "decision"),
        *("mean", "threshold", "grades", "decided_by__worker"),
        *(("taken_back_by__worker", "taken_back_at") if former else ()),
    )
    for decided_at, source_id, query, number, decision, mean, threshold, grades, by, *taken in rows.iterator(2000):
        in_order = " ".join("-" if grade is None else str(grade) for grade in grades)
        figures = ["" if mean is None else mean, threshold, in_order]
        back = [taken[0], taken[1].isoformat()] if former else ["", ""]
        yield [decided_at.isoformat(), source_id, query, number, decision, *figures, by or POLICY, *back]


def decision_of(batch: Batch) -> DecidedBatch | None:
    """The current decision about a batch, if any. One SQL query more than the batch's."""
    review = getattr(batch, "review", None)
    return None if review is None else _decided(review, batch.pk in _begun_after([review]))


def _decided(row: Any, begun: bool) -> DecidedBatch:
    former = isinstance(row, FormerReview)
    return DecidedBatch(
        review=row.review if former else row.pk,
        batch=row.batch_id,
        query=row.batch.query.text,
        number=row.batch.number,
        decision=row.decision,
        by=by_whom(row),
        automatic=row.automatic,
        decided_at=row.decided_at,
        mean=row.mean,
        threshold=row.threshold,
        grades=row.grades,
        taken_back_by=row.taken_back_by.worker if former else None,
        taken_back_at=row.taken_back_at if former else None,
        may_take_back=not former and not (begun and row.decision == Review.Decision.EXTEND),
    )


def _begun_after(rows: Sequence[Any]) -> set[int]:
    """The batches among these whose next batch is being judged: their decision can't be taken back."""
    following = Batch.objects.filter(query__in=[row.batch.query_id for row in rows], begun_at__isnull=False)
    begun = set(following.values_list("query_id", "number"))
    return {row.batch_id for row in rows if (row.batch.query_id, row.batch.number + 1) in begun}


def decision_counts(collection: Collection) -> dict[str, int]:
    """Numbers of current decisions, of those by the policy, and of taken-back ones. Two SQL queries."""
    standing = Review.objects.filter(batch__collection=collection).aggregate(
        standing=Count("pk"), automatic=Count("pk", filter=Q(decided_by__isnull=True))
    )
    taken_back = FormerReview.objects.filter(batch__collection=collection).count()
    return {**standing, "lead": standing["standing"] - standing["automatic"], "taken_back": taken_back}


def review_queue(collection: Collection) -> QuerySet[Batch]:
    """Decided batches that wait for the lead, oldest first, postponed ones last."""
    return (
        Batch.objects.filter(query__collection=collection, status=Batch.Status.DECIDED)
        .select_related("query__collection")
        .order_by(F("postponed_at").asc(nulls_first=True), "pk")
    )
