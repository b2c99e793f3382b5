"""Bring captions that were made elsewhere: a file is read whole or refused, its captions are checked as any others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q

from corpus.description_formats import BadRow
from corpus.description_formats.rows import shown
from corpus.description_import.row_files import ReadRows, RowChoices, read_whole
from corpus.models import Description
from foundation.counted import counted
from foundation.infra.advisory_lock import hold_descriptions
from foundation.models import Collection
from foundation.text import normalise
from queries.caption_import.caption_rows import CAPTIONS, SourceCaption
from queries.checks.run_checks import CheckedCaption, build_attempt, check_captions, collection_lexicon
from queries.language.spoken import languages_of
from queries.models import Attempt, BroughtCaption, Candidate, Caption, CaptionImport, Query
from queries.rewriting.attempts import UncheckedAttempt, note_maker

ELSEWHERE = "elsewhere"
"""The rewriter of captions that were made elsewhere; their attempt's model says by whom."""
AT_ONCE = 2000
BLOCK = 200
"""Captions that are checked and stored at once."""
NOT_DEPENDED_ON = "a description whose caption no person has decided, and no query or candidate was made of"


@dataclass(slots=True)
class CaptionReport:
    """What an import did, in captions; `remarks` say how the file was read."""

    accepted: int = 0
    waiting: int = 0
    """Those that failed a check, which a person looks at."""
    unchanged: int = 0
    left: int = 0
    """Those whose description's caption was decided or used between reading and storing."""
    remarks: list[str] = field(default_factory=list)

    def in_words(self) -> str:
        if not self.accepted + self.waiting + self.left:
            return f"{counted(self.unchanged, 'caption')} in the collection already: nothing changed."
        clauses = [f"{counted(self.accepted, 'caption')} accepted", f"{self.waiting:,} waiting for review"]
        clauses += [f"{self.unchanged:,} unchanged"] if self.unchanged else []
        clauses += [f"{self.left:,} left out: decided or used meanwhile"] if self.left else []
        return f"{', '.join(clauses)}."


class StandingCaptions:
    """The captions of a collection beside those of a file."""

    def __init__(self, collection: Collection, made_by: str) -> None:
        """Args: made_by: who or what made the captions that don't say it."""
        self._collection, self._made_by = collection, made_by
        self._standing: dict[str, dict[str, Any]] = {}

    def conflicts(self, rows: Sequence[SourceCaption]) -> Iterator[tuple[SourceCaption, BadRow]]:
        """The rows that won't do, and why; each row at most once."""
        self._read(rows)
        lines: dict[str, int] = {}
        for row in rows:
            bad = self._conflict(row, lines)
            if bad is not None:
                yield row, bad
            lines.setdefault(row.description, row.line)

    def _conflict(self, row: SourceCaption, lines: dict[str, int]) -> BadRow | None:
        if row.description in lines:
            repeated = f"{shown(row.description)} a second time"
            return BadRow.saying("id", repeated, f"each id once; the first is in line {lines[row.description]:,}")
        if row.description not in self._standing:
            return BadRow("id", row.description, f"the id of a description of {self._collection.name}")
        if not (row.made_by or self._made_by):
            return BadRow("made_by", None, "who or what made the caption, here or for the whole file")
        if self._standing[row.description]["fixed"] and not self._is_there(row):
            return BadRow("id", row.description, NOT_DEPENDED_ON)
        return None

    def fresh(self, rows: Iterable[SourceCaption]) -> dict[int, SourceCaption]:
        """The rows that bring something, by their description's key, with their maker filled in."""
        return {
            self._standing[row.description]["pk"]: row._replace(made_by=row.made_by or self._made_by)
            for row in rows
            if not self._is_there(row)
        }

    def replaced(self, rows: Iterable[SourceCaption]) -> int:
        """How many of the rows bring another caption to a description that has one."""
        return sum(
            not self._is_there(row) and self._standing[row.description]["caption__pk"] is not None for row in rows
        )

    def _read(self, rows: Sequence[SourceCaption]) -> None:
        for first in range(0, len(rows), AT_ONCE):
            ids = [row.description for row in rows[first : first + AT_ONCE]]
            some = with_dependence(Description.objects.filter(collection=self._collection, source_id__in=ids))
            self._standing |= {one["source_id"]: one for one in some}
        keys = {one["pk"]: name for name, one in self._standing.items()}
        brought = Attempt.objects.filter(description__in=list(keys), rewriter=ELSEWHERE)
        for pk, text, made_by in brought.values_list("description_id", "text", "model"):
            self._standing[keys[pk]].setdefault("brought", set()).add((text, made_by))

    def _is_there(self, row: SourceCaption) -> bool:
        """Whether the row's caption stands, or was brought before a person decided or something was made of it."""
        standing, made_by = self._standing[row.description], row.made_by or self._made_by
        now = (standing["caption__attempt__rewriter"], standing["caption__text"], standing["caption__attempt__model"])
        was_brought = (row.text, made_by) in standing.get("brought", set())
        return now == (ELSEWHERE, row.text, made_by) or (standing["fixed"] and was_brought)


def with_dependence(descriptions: Any) -> Iterator[dict[str, Any]]:
    """Descriptions with their captions; `fixed`: a person decided it, or a query or a candidate was made of it."""
    names = ("source_id", "pk", "caption__pk", "caption__text", "caption__attempt__rewriter", "caption__attempt__model")
    rows = descriptions.annotate(
        asked=Exists(Query.objects.filter(description=OuterRef("pk"))),
        listed=Exists(Candidate.objects.filter(caption__description=OuterRef("pk"))),
    ).values(*names, "caption__in_pool", "caption__decided_at", "asked", "listed")
    for row in rows:
        depends = (row.pop("asked"), row.pop("listed"), row.pop("caption__in_pool"), row.pop("caption__decided_at"))
        yield row | {"fixed": any(depends)}


def read_captions(
    *,
    collection: Collection,
    file: BinaryIO,
    name: str,
    choices: RowChoices,
    made_by: str,
    progress: Callable[[int], object] = lambda rows: None,
) -> tuple[ReadRows[SourceCaption], StandingCaptions]:
    """Read a file of captions and compare it with the collection; nothing is stored.

    Args: file: seekable, at its beginning; name: the file's, for messages; made_by: who or what made the captions that
        don't say it; progress: called with the number of rows read since the last call.
    """
    standing = StandingCaptions(collection, made_by)
    return read_whole(file, name, choices, CAPTIONS, conflicts=standing.conflicts, progress=progress), standing


def bring_captions(
    *,
    job: CaptionImport,
    read: ReadRows[SourceCaption],
    standing: StandingCaptions,
    progress: Callable[[int], object] = lambda captions: None,
) -> CaptionReport:
    """Check and store the captions of a file, block by block, each kept for itself: repeating it goes on.

    What passes is accepted, what fails waits for a person; a caption that stood before gives way.

    Raises: BadFile, before anything is stored; Busy while descriptions are imported, or queries are drawn.
    """
    read.refuse()
    fresh = standing.fresh(read.rows)
    report = CaptionReport(remarks=read.remarks)
    lexicon = collection_lexicon(job.collection)
    pks = sorted(fresh)
    for first in range(0, len(pks), BLOCK):
        some = pks[first : first + BLOCK]
        descriptions = list(Description.objects.filter(pk__in=some).select_related("collection").order_by("pk"))
        checked: dict[int, CheckedCaption] = {}
        for part in _of_different_texts(descriptions):
            captions = {description.text: fresh[description.pk].text for description in part}
            checks = check_captions(job.collection, lexicon, captions, languages_of(part))
            checked |= {description.pk: checks[description.text] for description in part}
        attempts = [_attempt(description, fresh[description.pk], checked) for description in descriptions]
        report.left += len(some) - _store(job, attempts)
        progress(len(some))
    # Of all that the job brought: it may have gone on after a stop.
    accepted = Q(attempt__description__caption__status=Caption.Status.ACCEPTED)
    report.accepted = job.brought.filter(accepted).count()
    report.waiting = job.brought.exclude(accepted).count()
    report.unchanged = len(read.rows) - report.accepted - report.waiting - report.left
    return report


def _of_different_texts(descriptions: Sequence[Description]) -> list[list[Description]]:
    """Descriptions in parts without a text twice: checks are made by text, and each has a caption of its own."""
    parts: list[dict[str, Description]] = []
    for description in descriptions:
        part = next((part for part in parts if description.text not in part), None)
        if part is None:
            parts.append(part := {})
        part[description.text] = description
    return [list(part.values()) for part in parts]


def _attempt(description: Description, row: SourceCaption, checked: dict[int, CheckedCaption]) -> Attempt:
    attempt = build_attempt(description, 0, checked[description.pk])
    note_maker(attempt, UncheckedAttempt(row.text, "", ELSEWHERE, row.made_by, "", None, None))
    return attempt


@transaction.atomic
def _store(job: CaptionImport, attempts: list[Attempt]) -> int:
    """Keep attempts as their descriptions' captions, but where one is decided or used by now. Returns how many."""
    hold_descriptions(job.collection)
    ids = [attempt.description_id for attempt in attempts]
    # The same lock as rewriting's, which then finds the captions there.
    locked = Description.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    list(locked.values_list("pk", flat=True))
    standing = {
        caption.description_id: caption
        for caption in Caption.objects.select_for_update(no_key=True).filter(description__in=ids).order_by("pk")
    }
    fixed = {row["pk"] for row in with_dependence(Description.objects.filter(pk__in=ids)) if row["fixed"]}
    numbers = dict(
        Attempt.objects.filter(description__in=ids)
        .order_by()
        .values_list("description_id")
        .annotate(last=Max("number"))
    )
    fresh = [attempt for attempt in attempts if attempt.description_id not in fixed]
    brought = []
    for attempt in fresh:
        attempt.number = numbers.get(attempt.description_id, 0) + 1
        before = standing.get(attempt.description_id)
        brought.append(
            BroughtCaption(
                brought_by=job,
                attempt=attempt,
                before_id=before.attempt_id if before else None,
                before_status=before.status if before else "",
            )
        )
    Attempt.objects.bulk_create(fresh)
    BroughtCaption.objects.bulk_create(brought)
    captions = [_caption(attempt, standing.get(attempt.description_id)) for attempt in fresh]
    Caption.objects.bulk_create([caption for caption in captions if caption.pk is None])
    changed = [caption for caption in captions if caption.description_id in standing]
    Caption.objects.bulk_update(changed, ["attempt", "text", "normalised", "status", "asked_again_at"])
    return len(fresh)


def _caption(attempt: Attempt, standing: Caption | None) -> Caption:
    caption = standing or Caption(description_id=attempt.description_id)
    caption.attempt, caption.text, caption.normalised = attempt, attempt.text, normalise(attempt.text)
    caption.status = Caption.Status.ACCEPTED if attempt.passed else Caption.Status.REVIEW
    caption.asked_again_at = None
    return caption
