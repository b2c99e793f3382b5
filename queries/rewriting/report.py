"""Report of a collection's rewriting, for the page and `rewrite --report`."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from django.db import connection
from django.db.models import Count, Max, Min
from django.utils import timezone
from django.utils.translation import gettext as _

from corpus.models import Description
from foundation.counted import counted
from foundation.models import Collection, NoName
from queries.checks.run_checks import limits_of
from queries.checks.thresholds import Limits
from queries.language.person_phrases import gender_of_word
from queries.models import CHECKS, Attempt, Caption, Decision, RewriteJob
from queries.rewriting.caption_samples import AcceptedSample

BINS = 20
"""Of the histogram, over similarities from 0 to 1."""
PAPER_WORDS_REPLACED = 2.21
"""160,701 words in 72,842 descriptions; the twelve of its Table 3, without articles, are 121,077 of them."""
RECENT = timedelta(minutes=5)
MOST_REPLACEMENTS = 12
MOST_FAILURES = 5
MOST_JOBS = 10
BY_MODELS = ("names", "similarity")
"""Checks that any text goes through; the others compare words, in the languages that Qreels knows."""


@dataclass(frozen=True, slots=True)
class CheckRate:
    """One check's pass counts: among first attempts, and among the attempts that captions came from."""

    key: str
    check: str
    threshold: str
    first_passed: int
    first: int
    now_passed: int
    now: int

    @property
    def now_failed(self) -> int:
        return self.now - self.now_passed

    @property
    def first_percent(self) -> str:
        return _percent(self.first_passed, self.first)

    @property
    def now_percent(self) -> str:
        return _percent(self.now_passed, self.now)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A word that stands in the place of a name: how often, its share of all such words, and the gender it tells."""

    word: str
    times: int
    share: float
    gender: str

    @property
    def gender_word(self) -> str:
        return {"man": _("male"), "woman": _("female")}.get(self.gender, _("either"))

    @property
    def letter(self) -> str:
        """The gender as Table 3 of the paper writes it: M, F or N."""
        return {"man": "M", "woman": "F"}.get(self.gender, "N")

    @property
    def percent(self) -> str:
        return _percent(self.share, 1)


@dataclass(frozen=True, slots=True)
class Doubted:
    """How many names that the tagger is sure of may be none for a reason, by whether they count here."""

    reason: str
    discarded: int
    counted: int

    @property
    def words(self) -> str:
        """The reason in words."""
        return str(NoName(self.reason).label)


@dataclass(frozen=True, slots=True)
class Report:
    """A collection's rewriting. Shares are in [0, 1]; what can't be told yet is None."""

    at: datetime
    descriptions: int
    accepted: int
    review: int
    refused: int
    pending: int
    per_minute: float | None
    """Descriptions tried for the first time, over the last five minutes, while a job runs."""
    minutes_left: float | None
    checks: list[CheckRate]
    limits: Limits
    """The thresholds that hold now."""
    passed_at_once: float | None
    """Share of descriptions whose first attempt passed every check."""
    asked_again: int
    failures: list[tuple[str, int]]
    """Why attempts have no text, the most frequent first."""
    without_text: int
    doubted: list["Doubted"]
    replacements: list[Replacement]
    replacement_words: float | None
    """Words in the names' place, articles left out, a caption."""
    words_replaced: float | None
    """Words of a description that its caption hasn't any more, on average."""
    similarities: list[int]
    """Captions by similarity, in `BINS` equal bins from 0 to 1; below 0 counts in the first."""
    similarity_mean: float | None
    decided: dict[str, int]
    """What people decided, by kind, without what they took back."""

    @property
    def done(self) -> int:
        return self.accepted + self.review + self.refused


def rewriting_report(collection: Collection) -> Report:
    """Compute the report, in a few SQL queries that read no text."""
    now = timezone.now()
    tallies = _tallies(collection)
    limits = limits_of(collection)
    by_status = {
        status: sum(tally.attempts for tally in tallies if tally.status == status) for status in Caption.Status.values
    }
    descriptions = Description.objects.filter(collection=collection).count()
    pending = descriptions - sum(by_status.values())
    first = _passed([tally for tally in tallies if tally.number == 1])
    standing = _passed([tally for tally in tallies if tally.status])
    at_work = pending and collection.rewrite_jobs.filter(state=RewriteJob.State.RUNNING).exists()
    per_minute = _rate(collection, now) if at_work else None
    without_text = sum(tally.attempts for tally in tallies if not tally.with_text)
    failures = _failures(collection) if without_text else []
    decisions = Decision.objects.filter(caption__description__collection=collection, taken_back_at=None)
    replacements, all_replacements = _replacements(collection)
    captions = by_status.get(Caption.Status.ACCEPTED, 0) + by_status.get(Caption.Status.REVIEW, 0)
    return Report(
        at=now,
        descriptions=descriptions,
        accepted=by_status.get(Caption.Status.ACCEPTED, 0),
        review=by_status.get(Caption.Status.REVIEW, 0),
        refused=by_status.get(Caption.Status.REFUSED, 0),
        pending=pending,
        per_minute=per_minute,
        minutes_left=pending / per_minute if per_minute else None,
        checks=_check_rates(limits, first, standing),
        limits=limits,
        passed_at_once=first["passed"] / first["all"] if first["all"] else None,
        asked_again=sum(tally.attempts for tally in tallies if tally.number == 2),
        failures=failures[:MOST_FAILURES],
        without_text=without_text,
        doubted=_doubted(collection),
        replacements=replacements,
        replacement_words=all_replacements / captions if captions else None,
        words_replaced=standing["mean_words_replaced"],
        similarities=_histogram(tallies),
        similarity_mean=standing["mean_similarity"],
        decided=dict(decisions.values_list("kind").annotate(Count("pk")).order_by()),
    )


def as_lines(report: Report, collection: Collection, samples: list[AcceptedSample]) -> list[str]:
    """The report for a terminal."""
    lines = [
        f"{report.done:,} of {report.descriptions:,} descriptions have a caption: {report.accepted:,} accepted, "
        f"{counted(report.review, 'waits', 'wait')} for review, {report.refused:,} refused.",
    ]
    if report.per_minute and report.minutes_left is not None:
        lines.append(f"{report.per_minute:,.0f} a minute; about {counted(round(report.minutes_left), 'minute')} left.")
    if report.passed_at_once is not None:
        lines.append(
            f"{_percent(report.passed_at_once, 1)} passed every check at once; {report.asked_again:,} were asked again."
        )
    lines += ["", f"{'check':<14}{'threshold':>10}{'first try':>22}{'standing':>22}"]
    for rate in report.checks:
        lines.append(
            f"{rate.check:<14}{rate.threshold:>10}{_share(rate.first_passed, rate.first):>22}"
            f"{_share(rate.now_passed, rate.now):>22}"
        )
    lines += [
        f"Words that may not be names ({row.reason}): {row.discarded:,} don't count here, {row.counted:,} do."
        for row in report.doubted
    ]
    lines += ["", f"{counted(report.without_text, 'attempt')} gave no text."]
    lines += [f"  {times:,} x {why}" for why, times in report.failures]
    if report.words_replaced is not None:
        lines += [
            "",
            f"{report.replacement_words or 0:.2f} replacement words a caption (the paper: {PAPER_WORDS_REPLACED}); "
            f"{report.words_replaced:.2f} words of a description are gone.",
        ]
        lines += [f"  {row.word:<14}{row.times:>10,}{row.percent:>10}  {row.letter}" for row in report.replacements]
    if sum(report.similarities):
        lines += [
            "",
            f"Similarity (threshold {report.limits.similarity_threshold:.2f}, n = {sum(report.similarities):,})",
        ]
        most = max(report.similarities)
        for place, number in enumerate(report.similarities):
            bar = "#" * round(40 * number / most)
            lines.append(f"  {place / BINS:.2f}-{(place + 1) / BINS:.2f}{number:>9,}  {bar}".rstrip())
    for sample in samples:
        lines += ["", f"  {sample.description}", f"  {sample.caption}"]
    return lines


def _share(passed: int, of: int) -> str:
    return f"{passed:,}/{of:,} {_percent(passed, of)}"


def _percent(passed: float, of: int) -> str:
    """A percentage; only all is 100 %, however many there are."""
    if not of:
        return "–"
    return f"{100 if passed == of else min(round(100 * passed / of, 2), 99.99):.2f} %"


@dataclass(frozen=True, slots=True)
class AttemptCount:
    """A number of attempts that are alike in everything the report counts by."""

    number: int
    """Which try it is; from 3 on all are 3."""
    status: str
    """Of the caption that stands on it; "" where none does."""
    with_text: bool
    measured: bool
    names: bool
    similarity: bool
    kept: bool
    persons: bool
    gender: bool
    roles: bool
    words: bool
    bucket: int | None
    """Of the histogram, as `width_bucket` counts; None without a similarity."""
    attempts: int
    words_replaced: int
    with_words_replaced: int
    similarity_sum: float


def _tallies(collection: Collection) -> list[AttemptCount]:
    """Count the collection's attempts by kind, in one pass."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT least(attempt.number, 3), coalesce(caption.status, ''),
                   attempt.text <> '', attempt.kept_ratio IS NOT NULL,
                   attempt.names_passed, attempt.similarity_passed, attempt.kept_passed, attempt.persons_passed,
                   attempt.gender_passed, attempt.roles_passed, attempt.words_passed,
                   width_bucket(attempt.similarity, 0.0, 1.0, %s) AS bucket,
                   count(*), coalesce(sum(attempt.words_replaced), 0), count(attempt.words_replaced),
                   coalesce(sum(attempt.similarity), 0)
            FROM queries_attempt attempt
            JOIN corpus_description description ON description.id = attempt.description_id
            LEFT JOIN queries_caption caption ON caption.attempt_id = attempt.id
            WHERE description.collection_id = %s
            GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
            """,
            [BINS, collection.pk],
        )
        return [AttemptCount(*row) for row in cursor.fetchall()]


def _passed(tallies: list[AttemptCount]) -> dict[str, Any]:
    """How many of these attempts pass each check, and all of them."""

    def count(*conditions: Callable[[AttemptCount], bool]) -> int:
        return sum(tally.attempts for tally in tallies if all(condition(tally) for condition in conditions))

    replaced = sum(tally.with_words_replaced for tally in tallies)
    similar = sum(tally.attempts for tally in tallies if tally.bucket is not None)
    needed = [attrgetter("with_text"), attrgetter("measured")]
    return {
        "all": count(),
        "with_text": count(needed[0]),
        "measured": count(*needed),
        **{f"{check}_ok": count(*needed[: 1 + (check not in BY_MODELS)], attrgetter(check)) for check in CHECKS},
        "passed": count(needed[0], *map(attrgetter, CHECKS)),
        "mean_words_replaced": float(sum(tally.words_replaced for tally in tallies) / replaced) if replaced else None,
        "mean_similarity": sum(tally.similarity_sum for tally in tallies) / similar if similar else None,
    }


def _check_rates(limits: Limits, first: dict[str, Any], standing: dict[str, Any]) -> list[CheckRate]:
    columns = (
        ("names", "no name", f"{limits.name_threshold:.2f}", "with_text"),
        ("similarity", "similarity", f"{limits.similarity_threshold:.2f}", "with_text"),
        ("kept", "words kept", f"{limits.kept_threshold:.2f}", "measured"),
        ("persons", "persons", "equal", "measured"),
        ("gender", "gender", "as known", "measured"),
        ("roles", "roles", "none other", "measured"),
        ("words", "other words", "none", "measured"),
    )
    return [
        CheckRate(key, words, threshold, first[f"{key}_ok"], first[of], standing[f"{key}_ok"], standing[of])
        for key, words, threshold, of in columns
    ]


def _rate(collection: Collection, now: datetime) -> float | None:
    recent = Attempt.objects.filter(description__collection=collection, number=1, made_at__gt=now - RECENT).aggregate(
        times=Count("pk"), first=Min("made_at"), last=Max("made_at")
    )
    if not recent["times"] or recent["first"] == recent["last"]:
        return None
    return float(recent["times"] / ((now - recent["first"]).total_seconds() / 60))


def _doubted(collection: Collection) -> list[Doubted]:
    """Of the captions that weren't refused, the most frequent reason first."""
    captions = Caption.objects.filter(description__collection=collection).exclude(status=Caption.Status.REFUSED)
    told = captions.exclude(attempt__doubted_names=[]).values_list("attempt__doubted_names", flat=True)
    times = Counter(
        (reason, name["discarded"]) for names in told.iterator() for name in names for reason in name["reasons"]
    )
    reasons = sorted({reason for reason, _ in times}, key=lambda reason: (-times[reason, True], -times[reason, False]))
    return [Doubted(reason, times[reason, True], times[reason, False]) for reason in reasons]


def _failures(collection: Collection) -> list[tuple[str, int]]:
    rows = Attempt.objects.filter(description__collection=collection, text="").values_list("error")
    return [(error or "No reason was given.", times) for error, times in rows.annotate(n=Count("pk")).order_by("-n")]


def _replacements(collection: Collection) -> tuple[list[Replacement], int]:
    """The most frequent replacement words of the captions that weren't refused, and how many there are in all."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT word, count(*) AS times, sum(count(*)) OVER () AS everything
            FROM queries_caption caption
            JOIN corpus_description description ON description.id = caption.description_id
            JOIN queries_attempt attempt ON attempt.id = caption.attempt_id
            CROSS JOIN LATERAL jsonb_array_elements_text(attempt.replacements) AS word
            WHERE description.collection_id = %s AND caption.status <> 'refused'
            GROUP BY word ORDER BY times DESC, word LIMIT %s
            """,
            [collection.pk, MOST_REPLACEMENTS],
        )
        rows = cursor.fetchall()
    listed = [Replacement(word, times, times / float(all_), gender_of_word(word)) for word, times, all_ in rows]
    return listed, int(rows[0][2]) if rows else 0


def _histogram(tallies: list[AttemptCount]) -> list[int]:
    bins = [0] * BINS
    for tally in tallies:
        if tally.status and tally.bucket is not None:
            # 0 is below the first bin, BINS + 1 is a similarity of exactly 1 or more.
            bins[min(max(tally.bucket, 1), BINS) - 1] += tally.attempts
    return bins


def caption_counts(collection: Collection) -> dict[str, int]:
    """Captions by status, and under "pending" the descriptions that have none yet."""
    counts = collection.descriptions.order_by().values_list("caption__status").annotate(Count("pk"))
    return {status or "pending": number for status, number in counts}
