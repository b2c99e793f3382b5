"""From descriptions to captions: rewrite, check, rewrite again what failed, and ask a person where rule 2 says so."""

from collections.abc import Sequence

from django.db import transaction

from corpus.models import Collection, Description, ReviewPolicy
from corpus.text import normalise
from queries.checking import Checked, build_attempt, check_captions, collection_lexicon
from queries.checks import Lexicon
from queries.models import Attempt, Caption
from queries.rewriters import Rewriter, Rewritten, Source, make_rewriter

FIRST_TEMPERATURE = 0.0
AGAIN_TEMPERATURE = 0.2
SEED = 20240700


def rewrite_descriptions(*, collection: Collection, description_ids: Sequence[int]) -> int:
    """Caption the descriptions among these that have none. Returns how many captions were made.

    A description is done when its caption row stands, in one transaction with its attempts: work that is cut off
    leaves no half of it, and a second worker on the same ids adds nothing.

    Raises: RewriterError when the rewriter can't go on at all (wrong key, unknown model).
    """
    pending = list(
        Description.objects.filter(pk__in=description_ids, caption__isnull=True, collection=collection).order_by("pk")
    )
    if not pending:
        return 0
    lexicon = collection_lexicon(collection)
    rewriter = make_rewriter(lexicon=lexicon)
    attempts: dict[int, list[Attempt]] = {description.pk: [] for description in pending}
    failing = pending
    for number in range(1, collection.max_attempts + 1):
        made = _attempt(collection, rewriter, lexicon, failing, number)
        for attempt in made:
            attempts[attempt.description_id].append(attempt)
        failing = [description for description in failing if not attempts[description.pk][-1].passed]
        if not failing:
            break
    return _store(collection, pending, attempts)


def _attempt(
    collection: Collection, rewriter: Rewriter, lexicon: Lexicon, descriptions: list[Description], number: int
) -> list[Attempt]:
    # Identical descriptions share one request; each keeps its own attempt.
    temperature = FIRST_TEMPERATURE if number == 1 else AGAIN_TEMPERATURE
    seed = SEED + number
    texts = dict.fromkeys(description.text for description in descriptions)
    sources = [Source(id=str(place), text=text) for place, text in enumerate(texts)]
    answers: dict[str, Rewritten] = dict(
        zip(texts, rewriter.rewrite(sources, temperature=temperature, seed=seed), strict=True)
    )
    checks = check_captions(collection, lexicon, {text: answer.text for text, answer in answers.items() if answer.text})
    made = []
    for description in descriptions:
        answer = answers[description.text]
        checked = checks.get(description.text, Checked())
        attempt = build_attempt(description, number, checked)
        attempt.text, attempt.error = answer.text or "", answer.error
        attempt.rewriter, attempt.model = rewriter.name, rewriter.model
        attempt.prompt_version = rewriter.prompt_version
        attempt.temperature, attempt.seed = temperature, seed
        made.append(attempt)
    return made


@transaction.atomic
def _store(collection: Collection, descriptions: list[Description], attempts: dict[int, list[Attempt]]) -> int:
    ids = [description.pk for description in descriptions]
    # The lock makes a second worker on the same descriptions wait, and then find their captions there.
    list(Description.objects.select_for_update().filter(pk__in=ids).order_by("pk").values_list("pk", flat=True))
    done = set(Caption.objects.filter(description__in=ids).values_list("description_id", flat=True))
    fresh = {pk: tries for pk, tries in attempts.items() if pk not in done}
    Attempt.objects.bulk_create(attempt for tries in fresh.values() for attempt in tries)
    Caption.objects.bulk_create(
        Caption(
            description_id=pk,
            attempt=tries[-1],
            text=tries[-1].text,
            normalised=normalise(tries[-1].text),
            status=_status(collection, tries),
        )
        for pk, tries in fresh.items()
    )
    return len(fresh)


def _status(collection: Collection, tries: list[Attempt]) -> str:
    if not tries[-1].passed:
        return Caption.Status.REVIEW
    reprocessed = len(tries) > 1
    if reprocessed and collection.review_policy == ReviewPolicy.REPROCESSED:
        return Caption.Status.REVIEW
    return Caption.Status.ACCEPTED
