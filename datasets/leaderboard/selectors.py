"""Data of the leaderboard pages: table, a run's queries, one query's matches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F, QuerySet

from corpus.models import Clip, clip_ready
from datasets.leaderboard.scoring import standing_runs
from datasets.models import Board, Run, RunAnswer
from evaluation import GroundTruth, JudgedMoment, Prediction, Threshold, matches_of_query
from evaluation import Run as RunRead
from foundation.infra.list_pages import Order
from foundation.models import Collection

PRIMARY = "NDCG@20,IoU>=0.5"
"""The measure that a board is sorted by unless asked otherwise, where it has it."""
SIGNIFICANT = 0.05
OVERLAPS = ("0.3", "0.5", "0.7")
ROW = 96
"""Pixels of a row in the drawing, on both sides."""
GAP = 8


@dataclass(frozen=True, slots=True)
class Cell:
    """A run's value on a measure; against the best: the corrected p-value, None for the best itself."""

    measure: str
    value: float | None
    best: bool
    difference: float | None
    p_value: float | None

    @property
    def worse(self) -> bool:
        """Whether it is significantly below the best."""
        return self.p_value is not None and self.p_value < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A run on the board."""

    id: int
    name: str
    version: int
    worker: str
    uploaded_at: Any
    unanswered: int
    unknown: int
    cells: list[Cell]


def board_rows(board: Board, *, sort: str) -> list[BoardRow]:
    """The scored runs, best first by one measure, ties in the order of upload."""
    runs = standing_runs(board)
    workers = dict(Run.objects.filter(pk__in=[run.pk for run in runs]).values_list("pk", "member__worker"))
    # Said by those that were held against it: a run that was scored this moment isn't compared yet.
    best = {measure: against["best"] for run in runs for measure, against in run.against_best.items()}
    if len(runs) == 1:
        best = dict.fromkeys(board.measures, runs[0].pk)
    runs.sort(key=lambda run: (-(run.values.get(sort) or 0.0), run.pk))
    return [
        BoardRow(
            run.pk,
            run.name,
            run.version,
            workers[run.pk] or "",
            run.asked_at,
            run.unanswered,
            run.unknown,
            [_cell(run, measure, best=best.get(measure)) for measure in board.measures],
        )
        for run in runs
    ]


def _cell(run: Run, measure: str, *, best: int | None) -> Cell:
    against = run.against_best.get(measure)
    return Cell(
        measure,
        run.values.get(measure),
        run.pk == best,
        against["difference"] if against else None,
        against["corrected"] if against else None,
    )


def sort_measure(board: Board, asked: str) -> str:
    """The measure to sort by: the one asked for, the primary one, or the first."""
    for measure in (asked, PRIMARY):
        if measure in board.measures:
            return measure
    return board.measures[0] if board.measures else ""


ANSWER_ORDERS = {
    "worst": Order(("value", "query__position"), frozenset({"value"})),
    "best": Order(("-value", "query__position"), frozenset({"value"})),
    "split": Order(("query__position",)),
}


def answers_of(run: Run, *, measure: str) -> QuerySet[RunAnswer]:
    """A run's queries with `value` on one measure, unordered."""
    place = run.board.measures.index(measure)
    return RunAnswer.objects.filter(run=run).select_related("query").annotate(value=F(f"values__{place}"))


@dataclass(slots=True)
class DrawnSpan:
    """A moment or prediction in the drawing: its row, video and times, and a clip if there is one of the same span."""

    row: int
    video_name: str
    start: float
    end: float
    grade: int | None = None
    caption: str = ""
    score: float | None = None
    iou: float = 0.0
    matched: bool = False
    clip: str = ""


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A line from a moment to the prediction that matched it; heights in pixels."""

    y1: int
    y2: int
    grade: int
    iou: float
    moment: int
    prediction: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """Ground truth on the left, predictions on the right, matches between them (as the paper's Figure 7)."""

    moments: list[DrawnSpan]
    predictions: list[DrawnSpan]
    lines: list[MatchLine] = field(default_factory=list)

    @property
    def height(self) -> int:
        """Pixels of the longer side."""
        return max(1, len(self.moments), len(self.predictions)) * (ROW + GAP) - GAP


def draw_query(answer: RunAnswer, collection: Collection, *, overlap: str, depth: int | None = None) -> Drawing:
    """Match a query's kept predictions to its moments at one overlap, the way NDCG does, and lay it out."""
    graded = sorted(answer.query.moments, key=lambda moment: -moment["relevance"])
    truth = GroundTruth.of([("q", judged_moments(graded))])
    run = RunRead.of("run", [("q", [Prediction(*given) for given in answer.predictions])])
    matches = matches_of_query(truth, run, "q", Threshold(float(overlap), strict=False), depth=depth)
    moments = []
    for row, moment in enumerate(graded):
        start, end = moment["timestamp"]
        grade, caption = int(moment["relevance"]), moment.get("caption") or ""
        moments.append(DrawnSpan(row, moment["video_name"], start, end, grade=grade, caption=caption))
    predictions, lines = [], []
    for row, match in enumerate(matches):
        given = match.prediction
        drawn = DrawnSpan(row, given.video_name, given.start, given.end, score=given.score, iou=match.iou)
        if match.moment is not None and match.moment.pair_id is not None:
            place = int(match.moment.pair_id)
            drawn.matched, drawn.grade = True, moments[place].grade
            moments[place].matched = True
            lines.append(MatchLine(_middle(place), _middle(row), moments[place].grade or 0, match.iou, place, row))
        predictions.append(drawn)
    _find_clips(collection, [*moments, *predictions])
    return Drawing(moments, predictions, lines)


def judged_moments(moments: Sequence[Mapping[str, Any]]) -> list[JudgedMoment]:
    """Moments of a `BoardQuery` as measures take them; the place is the pair id, whatever the file calls the pair."""
    judged = []
    for place, moment in enumerate(moments):
        start, end = moment["timestamp"]
        judged.append(JudgedMoment(moment["video_name"], start, end, moment["relevance"], str(place)))
    return judged


def _middle(row: int) -> int:
    return row * (ROW + GAP) + ROW // 2


def _find_clips(collection: Collection, drawn: list[DrawnSpan]) -> None:
    videos = {span.video_name for span in drawn}
    clips = Clip.objects.filter(
        clip_ready(), moment__video__collection=collection, moment__video__name__in=videos
    ).values_list("moment__video__name", "moment__start", "moment__end", "public_name")
    public_names = {(name, start, end): public_name for name, start, end, public_name in clips}
    for span in drawn:
        span.clip = public_names.get((span.video_name, span.start, span.end), "")
