"""Chosen queries of a run as a figure, the paper's Figure 7: ground truth, predictions, and the matches between."""

import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from django.core.files.storage import default_storage
from django.utils.translation import gettext

from annotation.scale import Scale
from corpus.models import Clip
from datasets.leaderboard.selectors import OVERLAPS, Drawing, draw_query, judged_moments
from datasets.models import Run, RunAnswer
from evaluation import GroundTruth, Prediction, evaluate
from evaluation import Run as RunRead
from evaluation.figures.svg import HAIR, INK, QUIET, SvgCanvas, ink_on, text_width
from foundation.refused import Refused

MOST, DEFAULT, DEPTHS = 6, 3, (10, 20, 40)
WIDTH, ROW, SMALL = 640.0, 24.0, 11
LEFT, GAP_FROM, GAP_TO = 8.0, 284.0, 356.0
"""Pixels: where the left column begins and ends, where the right one begins."""
PICTURE_ROW, PICTURE = 64.0, (104.0, 58.0)
"""Pixels: a row with a picture, and the picture, which is kept with twice as many each way."""
Pictures = Mapping[str, bytes]
"""JPEGs by the public names of clips."""


@dataclass(frozen=True, slots=True)
class ComparedQuery:
    """One query: its text, its NDCG, its best moments and first predictions with the matches between them."""

    text: str
    ndcg: float
    drawing: Drawing


def compared_queries(
    run: Run, *, queries: str = "", depth: str = "", overlap: str = ""
) -> tuple[str, list[ComparedQuery]]:
    """A measure's name and the queries compared by it.

    Args:
        queries: ids with commas; empty: the best, the middle and the worst by that measure, as far as there are.
        depth: K of NDCG@K, how many moments and predictions are drawn: 10, 20 or 40; empty: 10.
        overlap: mu of IoU >= mu: 0.3, 0.5 or 0.7; empty: 0.3.
    Raises: Refused.
    """
    if overlap not in ("", *OVERLAPS) or depth not in ("", *map(str, DEPTHS)):
        raise Refused(
            gettext("found K %(depth)s and IoU %(overlap)s, expected K of 10, 20 or 40 and IoU of 0.3, 0.5 or 0.7")
            % {"depth": repr(depth), "overlap": repr(overlap)}
        )
    k, mu = int(depth or DEPTHS[0]), overlap or OVERLAPS[0]
    answers = RunAnswer.objects.filter(run=run).select_related("query").order_by("query__position")
    measure = f"NDCG@{k},IoU>={mu}"
    if measure in run.board.measures:
        # As scored: what all queries predicted isn't read.
        place = run.board.measures.index(measure)
        listed = list(answers.defer("predictions", "query__moments"))
        values = {answer.pk: answer.values[place] or 0.0 for answer in listed}
    else:
        listed = list(answers)
        values = dict(zip((answer.pk for answer in listed), _ndcg(listed, measure), strict=True))
    ids = list(dict.fromkeys(part.strip() for part in queries.split(",") if part.strip()))
    if len(ids) > MOST:
        raise Refused(
            gettext("found %(count)s queries, expected at most %(value)s") % {"count": len(ids), "value": MOST}
        )
    by_id = {answer.query.query_id: answer.pk for answer in listed}
    missing = [query_id for query_id in ids if query_id not in by_id]
    if missing:
        raise Refused(
            gettext("found the query id %(missing)s, expected one of the split's") % {"missing": repr(missing[0])}
        )
    if not ids:
        order = sorted(listed, key=lambda answer: (-values[answer.pk], answer.query.position))
        places = dict.fromkeys((0, len(order) // 2, len(order) - 1)) if order else {}
        ids = [order[place].query.query_id for place in places][:DEFAULT]
    collection = run.board.release.collection
    chosen = answers.in_bulk([by_id[query_id] for query_id in ids])
    return f"NDCG@{k}, IoU ≥ {mu}", [
        ComparedQuery(answer.query.text, values[answer.pk], draw_query(answer, collection, overlap=mu, depth=k))
        for answer in (chosen[by_id[query_id]] for query_id in ids)
    ]


def _ndcg(answers: Sequence[RunAnswer], measure: str) -> list[float]:
    if not answers:
        return []
    truth = GroundTruth.of([(answer.query.query_id, judged_moments(answer.query.moments)) for answer in answers])
    predictions = [(answer.query.query_id, [Prediction(*given) for given in answer.predictions]) for answer in answers]
    (record,) = evaluate(truth, [RunRead.of("run", predictions)], [measure])
    assert record.per_query is not None
    return [float(value) for value in record.per_query]


def pictures_of(compared: Sequence[ComparedQuery], *, depth: int) -> Pictures:
    """The posters of what is drawn, made small. A moment without a clip of exactly its span, or whose poster is lost,
    has none."""
    from PIL import Image

    drawings = [query.drawing for query in compared]
    clips = {span.clip for drawn in drawings for span in (*drawn.moments[:depth], *drawn.predictions) if span.clip}
    pictures = {}
    for name, poster in (
        Clip.objects.filter(public_name__in=clips).exclude(poster_file="").values_list("public_name", "poster_file")
    ):
        # Of a poster that is lost, `corpus/clips/lost_files.py` tells.
        with suppress(OSError), default_storage.open(poster) as file, Image.open(file) as image:
            image.thumbnail((int(2 * PICTURE[0]), int(2 * PICTURE[1])))
            small = io.BytesIO()
            image.save(small, "JPEG", quality=82)
            pictures[name] = small.getvalue()
    return pictures


def draw_comparison(
    measure: str,
    compared: Sequence[ComparedQuery],
    *,
    scale: Scale,
    depth: int,
    title: str,
    pictures: Pictures | None = None,
) -> str:
    """The SVG. A moment that no prediction took, and a prediction that took none, are masked in grey.

    Args: pictures: in place of names and times, where a moment has one; None: none is wanted.
    """
    row = ROW if pictures is None else PICTURE_ROW
    rows = [max(1, min(depth, len(query.drawing.moments)), len(query.drawing.predictions)) for query in compared]
    sheet = SvgCanvas(WIDTH, max(40.0, sum(72 + row * count for count in rows)), title=title)
    y = 0.0
    for query, count in zip(compared, rows, strict=True):
        sheet.words(LEFT, y + 18, _cut(query.text, WIDTH - 16, 12), bold=True)
        sheet.words(LEFT, y + 36, f"{measure}: {query.ndcg:.4f}", size=SMALL, colour=QUIET)
        sheet.words(LEFT, y + 54, "ground truth", size=SMALL, colour=QUIET)
        sheet.words(GAP_TO, y + 54, "predictions", size=SMALL, colour=QUIET)
        _draw_matches(sheet, query.drawing, scale, top=y + 60, depth=depth, row=row, pictures=pictures or {})
        y += 72 + row * count
    return sheet.text()


def _draw_matches(
    sheet: SvgCanvas, drawing: Drawing, scale: Scale, *, top: float, depth: int, row: float, pictures: Pictures
) -> None:
    for line in drawing.lines:
        if line.moment < depth:
            ends = [(GAP_FROM, top + row * (line.moment + 0.5)), (GAP_TO, top + row * (line.prediction + 0.5))]
            sheet.path(ends, colour=scale.colour(line.grade)[0] if line.grade else HAIR, width=2)
    lower = (row - ROW) / 2  # what stands in the middle of a row
    for moment in drawing.moments[:depth]:
        y = top + row * moment.row
        found = scale.colour(moment.grade or 0)[0] if moment.matched else ""
        _chip(sheet, GAP_FROM - 22, y + lower, str(moment.grade), found)
        if moment.clip in pictures:
            place = (GAP_FROM - 30 - PICTURE[0], y + (row - PICTURE[1]) / 2)
            sheet.picture(*place, *PICTURE, jpeg=pictures[moment.clip], faded=not moment.matched)
            continue
        words = _cut(f"{moment.video_name} {moment.start:.2f}–{moment.end:.2f} s", GAP_FROM - 30 - LEFT, SMALL)
        sheet.words(LEFT, y + lower + 16, words, size=SMALL, colour=INK if moment.matched else QUIET)
    for given in drawing.predictions:
        y = top + row * given.row
        grade = str(given.grade) if given.matched else "–"
        _chip(sheet, GAP_TO, y + lower, grade, scale.colour(given.grade or 0)[0] if given.matched else "")
        colour = INK if given.matched else QUIET
        if given.clip in pictures:
            sheet.words(GAP_TO + 30, y + lower + 16, f"{given.row + 1}.", size=SMALL, colour=colour)
            place = (GAP_TO + 54, y + (row - PICTURE[1]) / 2)
            sheet.picture(*place, *PICTURE, jpeg=pictures[given.clip], faded=not given.matched)
            continue
        words = f"{given.row + 1}. {given.video_name} {given.start:.2f}–{given.end:.2f} s"
        fits = _cut(words, WIDTH - GAP_TO - 34, SMALL)
        sheet.words(GAP_TO + 30, y + lower + 16, fits, size=SMALL, colour=colour)


def _chip(sheet: SvgCanvas, x: float, y: float, text: str, colour: str) -> None:
    """A grade on its colour; "" where it is masked."""
    sheet.box(x, y + 2, 22, ROW - 4, colour=colour or "#efedea")
    ink = ink_on(colour) if colour else QUIET
    sheet.words(x + 11, y + 16, text, size=SMALL, colour=ink, anchor="middle", bold=True)


def _cut(text: str, width: float, size: float) -> str:
    most = int(width / text_width("m", size))
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
