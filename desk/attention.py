"""Tasks that wait for the lead, most urgent first."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from annotation.models import ExamSitting, Flag, Question
from corpus.models import Collection, Membership
from queries.pooling.selectors import PoolChange


@dataclass(frozen=True, slots=True)
class Need:
    """A task for the lead: how many, in words, and the page (URL name) where it is done."""

    kind: str
    count: int
    words: str
    page: str


def needs(
    collection: Collection,
    batches: dict[str, int],
    *,
    waiting_for_clip: int = 0,
    captions_in_review: int = 0,
    failed_clips: int = 0,
    pool: PoolChange | None = None,
    next_step: tuple[str, str] | None = None,
) -> list[Need]:
    """The lead's tasks, most urgent first. Five SQL queries at most. Counts not computed yet are left out.

    `next_step`: what leads to the first batch, in words, and its page; where none was opened yet.
    """
    found: list[Need] = []

    def add(kind: str, count: int, one: str, several: str, page: str) -> None:
        if count:
            found.append(Need(kind, count, f"{count:,} {one if count == 1 else several}", page))

    job = collection.rewrite_jobs.order_by("-pk").values_list("state", "problem").first()
    if job is not None and job[0] == "stopped":
        why = " ".join(job[1].split())[:160]
        found.append(Need("rewriting", 1, f"Rewriting stopped{': ' + why if why else ''}", "rewriting"))
    upload = collection.imports.order_by("-pk").values_list("state", "file_name").first()
    if upload is not None and upload[0] == "refused":
        found.append(Need("import", 1, f"Nothing was imported from {upload[1]}", "imports"))
    judging = batches["open"] + batches["judging"] + batches["second"]
    if batches["decided"] and not judging:
        found.append(
            Need("stalled", batches["decided"], "Judging can't go on until you have reviewed a batch", "review")
        )
    flags = Flag.objects.filter(pair__batch__collection=collection, answered_at__isnull=True)
    flagged = flags.values("pair").distinct().count()
    add("flags", flagged, "flagged pair waits", "flagged pairs wait", "flags")
    asked = Question.objects.filter(annotator__collection=collection, answered_at__isnull=True).count()
    add("questions", asked, "open question", "open questions", "notices")
    if collection.has_clips:
        words = "opened pair waits for its clip", "opened pairs wait for their clips"
        add("clips", waiting_for_clip, *words, "work" if collection.is_study else "videos")
    add("candidates", _to_admit(collection), "candidate to decide about", "candidates to decide about", "candidates")
    add("review", batches["decided"], "decided batch to review", "decided batches to review", "review")
    add("captions", captions_in_review, "caption to review", "captions to review", "captions")
    if pool is not None and pool.count:
        found.append(Need("pool", pool.count, f"{pool.words}: fetch candidates", "pool"))
    if failed_clips and not waiting_for_clip:
        add("failed-clips", failed_clips, "clip could not be cut", "clips could not be cut", "videos")
    if not any(batches.values()):
        step, page = next_step or ("", "imports")
        found.append(Need("nothing", 0, f"Nothing is open for judging yet{': ' if step else ''}{step}", page))
    return found


def _to_admit(collection: Collection) -> int:
    """Candidates who have handed in the newest exam and wait for the lead."""
    handed_in = ExamSitting.objects.filter(candidate=OuterRef("pk"), handed_in_at__isnull=False)
    return (
        collection.memberships.filter(role=Membership.Role.ANNOTATOR, status=Membership.Status.CANDIDATE)
        .filter(Exists(handed_in))
        .count()
    )
