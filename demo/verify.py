"""Checks of the finished main job; each raises CheckFailed where something does not hold."""

import hashlib
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

from django.db.models import Count

from annotation.consensus import decide
from annotation.models import Batch, Exam, ExamAnswer, Judgment, Pair, Seat
from demo.build import run
from demo.faults import CheckFailed
from foundation.models import Collection, Membership
from queries.models import Caption


def every_description_is_captioned(collection: Collection) -> None:
    """Check that every description has a caption."""
    pending = collection.descriptions.filter(caption__isnull=True).count()
    if pending:
        raise CheckFailed(f"{pending:,} descriptions have no caption after rewriting")


def every_pair_is_judged_right(collection: Collection) -> None:
    """Check that pairs have two judgments, or four after a dispute, by different people, and grades by the rule."""
    pairs = Pair.objects.filter(batch__query__collection=collection).exclude(status=Pair.Status.WITHDRAWN)
    for pair in pairs.prefetch_related("judgments").iterator(chunk_size=2000):
        counted = sorted(
            (judgment for judgment in pair.judgments.all() if judgment.counted), key=lambda judgment: judgment.pk
        )
        grades = [judgment.grade for judgment in counted]
        people = {judgment.annotator_id for judgment in counted}
        if len(people) != len(counted):
            raise CheckFailed(f"somebody judged pair {pair.pk} twice")
        if len(grades) not in (2, 4):
            raise CheckFailed(f"pair {pair.pk} has {len(grades)} counted judgments")
        first = decide(grades[:2])
        if (first.status == "escalate") != (len(grades) == 4):
            raise CheckFailed(f"pair {pair.pk} has {len(grades)} judgments, but its first two are {grades[:2]}")
        decision = first if len(grades) == 2 else decide(grades)
        if (decision.status, decision.grade) != (pair.status, pair.grade):
            raise CheckFailed(f"pair {pair.pk} is {pair.status} {pair.grade}, but {grades} give {decision}")


def exam_left_judging_alone(collection: Collection) -> None:
    """Check, before judging begins, that practice and exam made no judgments, decided no pairs, took no seats."""
    judgments = Judgment.objects.filter(pair__batch__query__collection=collection).count()
    decided = Pair.objects.filter(batch__query__collection=collection, grade__isnull=False).count()
    seats = Seat.objects.filter(batch__query__collection=collection).count()
    if judgments or decided or seats:
        raise CheckFailed(f"the exam left {judgments} judgments, {decided} decided pairs and {seats} seats, not 0")


def truth_is_the_median(collection: Collection, *, cohort: int, later: int) -> None:
    """Check that exam truths are medians of the cohort's independent grades, and that all agree in the end."""
    exam = Exam.objects.get(collection=collection)
    sat = sorted(exam.sittings.values_list("cohort", flat=True))
    if sat != [False] * later + [True] * cohort:
        raise CheckFailed(
            f"{sum(sat)} sat in the first cohort and {len(sat) - sum(sat)} later, not {cohort} and {later}"
        )
    standing = ExamAnswer.objects.filter(sitting__exam=exam, taken_back_at__isnull=True)
    for item in exam.items.all():
        first = list(standing.filter(item=item, turn=1, sitting__cohort=True).values_list("grade", flat=True))
        if len(first) != cohort or item.truth != statistics.median(first):
            raise CheckFailed(f"exam item {item.pk} has the truth {item.truth}, but the cohort's grades are {first}")
        newest = dict(standing.filter(item=item).order_by("turn").values_list("sitting", "grade"))
        far = [grade for grade in newest.values() if abs(grade - item.truth) > 1]
        if far or len(newest) != len(sat):
            raise CheckFailed(f"exam item {item.pk} with the truth {item.truth} ended with {sorted(newest.values())}")


def only_the_admitted_judged(collection: Collection) -> None:
    """Check that somebody was declined, and has neither judgments nor seats."""
    declined = collection.memberships.filter(status=Membership.Status.DECLINED)
    if not declined.exists():
        raise CheckFailed("nobody was declined, so it was not tried")
    others = collection.memberships.exclude(status=Membership.Status.ADMITTED, role=Membership.Role.ANNOTATOR)
    judged = Judgment.objects.filter(annotator__in=others).count()
    seated = Seat.objects.filter(annotator__in=others).count()
    if judged or seated:
        raise CheckFailed(f"who isn't admitted gave {judged} judgments and took {seated} seats, not 0")


def release_holds(folder: Path) -> None:
    """Check the files alone: grades follow from raw_annotations.csv, the splits don't overlap, every
    format says the same."""
    from evaluation.releases.check_release import check_release

    problems = check_release(folder)
    if problems:
        raise CheckFailed("the release does not hold:\n  " + "\n  ".join(problems[:20]))


def exports_the_same_again(name: str, folder: Path, release: str) -> None:
    """Check that a second export of the release has the same bytes."""
    scratch = Path(tempfile.mkdtemp(prefix="qreels-again-"))
    try:
        run("export_release", name, scratch / "release", release=release)
        if _digests(folder) != _digests(scratch / "release"):
            raise CheckFailed("exporting the release again gave other bytes")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _digests(folder: Path) -> dict[str, str]:
    digests = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                digests[str(path.relative_to(folder))] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


MISHAPS = {
    "sent twice": "sent_twice",
    "hung up on": "hung_up",
    "silences": "fell_silent",
    "left in between": "left",
    "flagged": "flagged",
}


def mishaps(tallies: list[Any]) -> dict[str, int]:
    """Counts of each mishap; fails if one never happened."""
    counts = {name: sum(getattr(tally, field) for tally in tallies) for name, field in MISHAPS.items()}
    never = [name for name, count in counts.items() if not count]
    if never:
        raise CheckFailed(f"these mishaps were to be tried and never happened: {', '.join(never)}")
    return counts


def figures(collection: Collection) -> dict[str, Any]:
    """Figures for the summary."""
    pairs = Pair.objects.filter(batch__query__collection=collection)
    judgments = Judgment.objects.filter(pair__in=pairs)
    by_length = pairs.filter(status="consensus", judgments__counted=True).annotate(given=Count("judgments"))
    captions = dict(
        Caption.objects.filter(description__collection=collection).values_list("status").annotate(Count("pk"))
    )
    return {
        "descriptions": collection.descriptions.count(),
        "captions accepted": captions.get("accepted", 0),
        "captions refused": captions.get("refused", 0),
        "queries": collection.queries.count(),
        "pairs": pairs.count(),
        "judgments": judgments.filter(counted=True).count(),
        "taken back": judgments.filter(uncounted_because="taken-back").count(),
        "too late": judgments.filter(uncounted_because="late").count(),
        "consensus in round one": by_length.filter(given=2).count(),
        "consensus in round two": by_length.filter(given=4).count(),
        "discarded": pairs.filter(status="discarded").count(),
        "withdrawn": pairs.filter(status="withdrawn").count(),
        "second batches": Batch.objects.filter(query__collection=collection, number=2).count(),
    }
