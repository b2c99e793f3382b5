"""Check a rewriter's answers and store them as attempts and captions."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from django.db import transaction
from django.db.models import Count

from corpus.models import Description
from foundation.models import CaptionReviewPolicy, Collection
from foundation.text import normalise
from queries.checks.run_checks import CheckedCaption, build_attempt, check_captions, collection_lexicon
from queries.language.lexicon import Lexicon
from queries.language.spoken import languages_of
from queries.models import Answer, Attempt, Caption, RewriteJob
from queries.rewriting.decoding import ModelAndPrompt
from queries.rewriting.rewriters.as_they_are import NAME as AS_THEY_ARE
from queries.rewriting.work_left import settled_answers


@dataclass(frozen=True, slots=True)
class UncheckedAttempt:
    """What a rewriter made of a text, not checked yet: a caption or an error, and the recipe it was made by."""

    text: str
    error: str
    rewriter: str
    model: str
    prompt_version: str
    temperature: float | None
    seed: int | None
    answer_id: int | None = None


def check_answers(*, job: RewriteJob, description_ids: Sequence[int]) -> int:
    """Check what the job's model answered for these descriptions. Returns how many captions that made.

    Only stored answers are read: nothing is asked, and nothing is checked twice.
    """
    collection, recipe = job.collection, ModelAndPrompt(job.model, job.prompt_version)
    captioned = 0
    for number, descriptions in without_caption(collection, description_ids).items():
        answers = settled_answers(
            collection=collection,
            recipe=recipe,
            number=number,
            texts={description.text for description in descriptions},
        )
        unchecked = {text: made_by(answer, job) for text, answer in answers.items()}
        answered = [description for description in descriptions if description.text in unchecked]
        if answered:
            captioned += check_and_store(collection, collection_lexicon(collection), answered, number, unchecked)
    return captioned


def made_by(answer: Answer, job: RewriteJob) -> UncheckedAttempt:
    """What a stored answer of the job's model comes to, not checked yet."""
    exchange = answer.exchange
    return UncheckedAttempt(
        answer.caption,
        answer.error,
        job.rewriter,
        job.model,
        job.prompt_version,
        exchange.temperature,
        exchange.seed,
        answer.pk,
    )


def without_caption(collection: Collection, description_ids: Sequence[int]) -> dict[int, list[Description]]:
    """Those without a caption, by the number of their next attempt."""
    rows = Description.objects.filter(pk__in=description_ids, caption__isnull=True, collection=collection)
    rows = rows.select_related("collection")
    by_number: dict[int, list[Description]] = {}
    for description in rows.annotate(tries=Count("attempts")).order_by("tries", "pk"):
        by_number.setdefault(description.tries + 1, []).append(description)
    return by_number


def check_and_store(
    collection: Collection,
    lexicon: Lexicon,
    descriptions: list[Description],
    number: int,
    unchecked: dict[str, UncheckedAttempt],
) -> int:
    """Check and store what was `made` of the descriptions' texts, as attempt `number` of each. Returns new captions."""
    texts = {text: answer.text for text, answer in unchecked.items() if answer.text}
    checks = check_captions(collection, lexicon, texts, languages_of(descriptions))
    attempts = []
    for description in descriptions:
        answer = unchecked[description.text]
        checked = checks.get(description.text, CheckedCaption())
        if answer.rewriter == AS_THEY_ARE:
            checked = as_it_is(checked)
        attempt = build_attempt(description, number, checked)
        note_maker(attempt, answer)
        attempts.append(attempt)
    return _store(collection, attempts)


def as_it_is(checked: CheckedCaption) -> CheckedCaption:
    """Whoever uses descriptions as they are vouches that they name nobody: the name check fails only by a tagger."""
    return replace(checked, similarity_passed=True, names_passed=checked.names_passed or not checked.tagger)


def note_maker(attempt: Attempt, unchecked: UncheckedAttempt) -> None:
    """Copy the text, and what made it, into an attempt: the fields have the same names."""
    for field in fields(unchecked):
        setattr(attempt, field.name, getattr(unchecked, field.name))


@transaction.atomic
def _store(collection: Collection, attempts: list[Attempt]) -> int:
    """Keep these attempts, and as captions those that passed or were the last. Returns how many captions."""
    ids = [attempt.description_id for attempt in attempts]
    # The lock makes a second worker on the same descriptions wait, and then find their attempts there.
    list(
        Description.objects.select_for_update(no_key=True)
        .filter(pk__in=ids)
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    done = set(Caption.objects.filter(description__in=ids).values_list("description_id", flat=True))
    earlier: dict[int, list[Attempt]] = {}
    for attempt in Attempt.objects.filter(description__in=ids).order_by("number"):
        earlier.setdefault(attempt.description_id, []).append(attempt)
    fresh = [
        attempt
        for attempt in attempts
        if attempt.description_id not in done and attempt.number == len(earlier.get(attempt.description_id, ())) + 1
    ]
    Attempt.objects.bulk_create(fresh)
    captions = [
        Caption(
            description_id=attempt.description_id,
            attempt=attempt,
            text=attempt.text,
            normalised=normalise(attempt.text),
            status=caption_status(collection, [*earlier.get(attempt.description_id, ()), attempt]),
        )
        for attempt in fresh
        if attempt.passed or attempt.number >= collection.max_attempts or cannot_improve(attempt)
    ]
    Caption.objects.bulk_create(captions)
    return len(captions)


def cannot_improve(attempt: Attempt) -> bool:
    """Whether another attempt would come to the same: a person looks at this one."""
    return attempt.language_unknown or attempt.rewriter == AS_THEY_ARE


def caption_status(collection: Collection, tries: list[Attempt]) -> str:
    """Accepted or left to a person, by the last of a description's attempts and the caption review policy."""
    if not tries[-1].passed:
        return Caption.Status.REVIEW
    reprocessed = len(tries) > 1
    if reprocessed and collection.review_policy == CaptionReviewPolicy.REPROCESSED:
        return Caption.Status.REVIEW
    return Caption.Status.ACCEPTED
