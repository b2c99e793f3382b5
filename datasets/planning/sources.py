"""What a plan's variance is taken from: a release's systems, a study's grades, or nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Judgment, Pair, Study
from annotation.people.time_taken import judgments_a_pair, time_taken
from datasets.certificates.systems import FEWEST, enough, read_systems, systems_counted, systems_of
from datasets.content.splits import SPLITS
from datasets.models import Release
from datasets.releases.file_cache import NoSuchFile, file_on_disk
from evaluation import GroundTruth, JudgedMoment
from evaluation import Run as RunRead
from evaluation.guarantees.plans import IMITATED, imitated_runs
from evaluation.moments.run import Prediction
from evaluation.reading import read_ground_truth
from evaluation.reading.judgments import read_judgments
from foundation.models import Collection, Membership
from foundation.refused import Refused

ASSUMED = "assumed"
LEADS = Membership.Role.OWNER, Membership.Role.LEAD
BARRED = Membership.Status.BARRED
MOST = 30
"""Releases, and studies, that a list has."""
RAW = "raw_annotations.csv"
_KEY = re.compile(r"release-([1-9][0-9]{0,17})-(val|test)|study-([1-9][0-9]{0,17})")


@dataclass(frozen=True, slots=True)
class Source:
    """Where variance may come from: its key in forms and the API, and in words."""

    key: str
    words: str


@dataclass(frozen=True, slots=True)
class Material:
    """A source as it was read. `single`: the truth by the first judgment of each pair; None where that isn't known, or
    each pair has one. `judgments` a pair, `seconds` a judgment: what it took there, None if that isn't known.
    `imitated`: whether its systems are."""

    truth: GroundTruth
    runs: list[RunRead]
    single: GroundTruth | None
    judgments: float | None
    seconds: float | None
    imitated: bool


def led_with(member: Membership, *, here_alone: bool = False) -> QuerySet[Collection]:
    """The collections whose releases and studies a plan of the member may use: this one, and those that they lead.

    Args: here_alone: for a token that is good for one collection.
    """
    here = Q(pk=member.collection_id)
    if here_alone or member.account_id is None:
        return Collection.objects.filter(here)
    places = Membership.objects.filter(account=member.account_id, role__in=LEADS).exclude(status=BARRED)
    return Collection.objects.filter(here | Q(pk__in=places.values("collection")))


def sources_of(collections: QuerySet[Collection]) -> list[Source]:
    """What a plan can be made from, the newest first; `ASSUMED` is always there and comes last."""
    found = []
    releases = Release.objects.filter(collection__in=collections).select_related("collection").order_by("-pk")
    newest = list(releases[:MOST])
    counted = systems_counted(newest)
    for release in newest:
        for split in SPLITS:
            if (systems := counted.get((release.pk, split), 0)) < FEWEST:
                continue
            words = _("%(collection)s, release %(release)s, %(split)s: %(systems)s systems") % {
                "collection": release.collection.title,
                "release": release.name,
                "split": split,
                "systems": systems,
            }
            found.append(Source(f"release-{release.pk}-{split}", words))
    for study in _studies(collections)[:MOST]:
        words = _("%(study)s of %(collection)s, %(queries)s queries") % {
            "study": study,
            "collection": study.collection.title,
            "queries": study.queries,
        }
        found.append(Source(f"study-{study.pk}", words))
    return [*found, Source(ASSUMED, _("Nothing yet: what was seen elsewhere"))]


def _studies(collections: QuerySet[Collection]) -> QuerySet[Study]:
    return (
        Study.objects.filter(collection__in=collections)
        .exclude(made=None)
        .select_related("collection", "made")
        .order_by("-pk")
    )


def find_source(collections: QuerySet[Collection], key: str) -> Release | Study | None:
    """What a key names; None for `ASSUMED`. Raises: Refused where the collections have no such thing."""
    match = _KEY.fullmatch(key)
    if key == ASSUMED:
        return None
    found: Release | Study | None = None
    if match and match[1]:
        found = (
            Release.objects.filter(collection__in=collections, pk=int(match[1])).select_related("collection").first()
        )
    elif match:
        found = _studies(collections).filter(pk=int(match[3])).first()
    if found is None:
        raise Refused(
            _("Found the source %(found)s, expected one of this list.") % {"found": repr(key[:60])}, field="source"
        )
    return found


def read_source(source: Release | Study, split: str) -> Material:
    """Read a source whole. Raises: Refused, evaluation.EvaluationError."""
    return _of_release(source, split) if isinstance(source, Release) else _of_study(source)


def _of_release(release: Release, split: str) -> Material:
    systems = enough(systems_of(release)).get(split)
    if systems is None:
        raise Refused(_("The release has fewer than two systems on this split: upload runs to its leaderboard."))
    try:
        with file_on_disk(release, f"{split}.json") as path:
            truth = read_ground_truth(path)
        single, judgments = None, None
        if RAW in release.files:
            with file_on_disk(release, RAW) as path:
                single, judgments = _by_first(truth, path)
    except NoSuchFile as refusal:
        raise Refused(str(refusal)) from refusal
    taken = time_taken(release.collection)
    runs = list(read_systems(release, split, systems, truth))
    return Material(truth, runs, single, judgments, taken.seconds if taken else None, imitated=False)


def _by_first(truth: GroundTruth, path: Path) -> tuple[GroundTruth | None, float | None]:
    """The truth by each pair's first judgment, and judgments a pair."""
    raw = read_judgments(path)
    first = dict(zip(raw.pair_ids, raw.table[:, 0].tolist(), strict=True))
    grades = [first.get(pair or "", grade) for pair, grade in zip(truth.pair_ids, truth.grade.tolist(), strict=True)]
    judgments = len(raw) / len(raw.pair_ids)
    return (truth.with_grades(np.array(grades, dtype=np.float64)) if judgments > 1 else None), judgments


def _of_study(study: Study) -> Material:
    """A study has no systems: beside the similarity by which its moments were ranked some are imitated."""
    made = study.made
    assert made is not None, "only made studies are found"
    truth = GroundTruth.of(_judged(made), name=str(study))
    if not len(truth):
        raise Refused(_("No pair of the study is graded yet."))
    ranked = RunRead.of("similarity", _ranked(made))
    first = dict(
        Judgment.objects.filter(pair__batch__collection=made, counted=True)
        .order_by("pair_id", "pk")
        .distinct("pair_id")
        .values_list("pair_id", "grade")
    )
    grades = np.array(
        [first.get(int(pair or 0), grade) for pair, grade in zip(truth.pair_ids, truth.grade, strict=True)]
    )
    judgments = judgments_a_pair(made)
    taken = time_taken(made)
    return Material(
        truth,
        [ranked, *imitated_runs(truth, IMITATED, np.random.default_rng(0))],
        truth.with_grades(grades.astype(np.float64)) if judgments and judgments > 1 else None,
        judgments,
        taken.seconds if taken else None,
        imitated=True,
    )


_MOMENT = "candidate__moment__video__name", "candidate__moment__start", "candidate__moment__end"


def _by_query(collection: Collection) -> Iterator[tuple[str, list[tuple[str, float, float, int, int]]]]:
    """Each query's graded moments by rank: video, start, end, grade, pair."""
    rows = (
        Pair.objects.filter(batch__collection=collection, status=Pair.Status.CONSENSUS)
        .order_by("batch__query_id", "candidate__rank")
        .values_list("batch__query_id", *_MOMENT, "grade", "pk")
    )
    by_query: dict[int, list[tuple[str, float, float, int, int]]] = {}
    for query, video, start, end, grade, pair in rows:
        by_query.setdefault(query, []).append((video, start, end, grade or 0, pair))
    for query, moments in by_query.items():
        yield str(query), moments


def _judged(collection: Collection) -> Iterator[tuple[str, list[JudgedMoment]]]:
    for query, moments in _by_query(collection):
        yield query, [JudgedMoment(video, start, end, grade, str(pair)) for video, start, end, grade, pair in moments]


def _ranked(collection: Collection) -> Iterator[tuple[str, list[Prediction]]]:
    for query, moments in _by_query(collection):
        yield query, [Prediction(video, start, end, -rank) for rank, (video, start, end, *_rest) in enumerate(moments)]
