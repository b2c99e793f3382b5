"""From descriptions to captions: rewrite, check, rewrite again what failed, and ask a person where rule 2 says so."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from django.db import transaction
from django.utils import timezone

from corpus.models import Collection, Description, Membership, ReviewPolicy
from corpus.text import normalise
from queries.checks import Lexicon, build_lexicon, leftover_names, names_pass, similarity_passes
from queries.embeddings import keep
from queries.encoder import load_encoder
from queries.models import Attempt, Caption
from queries.rewriters import Rewriter, Rewritten, Source, make_rewriter
from queries.tagger import load_tagger

FIRST_TEMPERATURE = 0.0
AGAIN_TEMPERATURE = 0.2
SEED = 20240700
MAX_ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks say of one caption."""

    similarity: float | None
    name_score: float
    names: list[str]
    similarity_passed: bool
    names_passed: bool


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
    for number in range(1, MAX_ATTEMPTS + 1):
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
        checked = checks.get(description.text, Checked(None, 0.0, [], similarity_passed=False, names_passed=True))
        attempt = _build_attempt(description, number, checked)
        attempt.text, attempt.error = answer.text or "", answer.error
        attempt.rewriter, attempt.model = rewriter.name, rewriter.model
        attempt.prompt_version = rewriter.prompt_version
        attempt.temperature, attempt.seed = temperature, seed
        made.append(attempt)
    return made


def _build_attempt(description: Description, number: int, checked: Checked) -> Attempt:
    return Attempt(
        description=description,
        number=number,
        encoder=load_encoder().model_name,
        tagger=load_tagger().model_name,
        similarity=checked.similarity,
        name_score=checked.name_score,
        names=checked.names,
        similarity_passed=checked.similarity_passed,
        names_passed=checked.names_passed,
    )


def check_captions(collection: Collection, lexicon: Lexicon, captions: dict[str, str]) -> dict[str, Checked]:
    """Both checks for each `description text -> caption text`, with the collection's thresholds."""
    if not captions:
        return {}
    before, after = list(captions), list(captions.values())
    vectors = load_encoder().encode([*before, *after])
    # Candidates are fetched by the captions' vectors later: nothing is encoded twice.
    keep(after, vectors[len(before) :])
    similarities = np.einsum("ij,ij->i", vectors[: len(before)], vectors[len(before) :])
    checked = {}
    for text, caption, similarity, spans in zip(
        before, after, similarities, load_tagger().find_names(after), strict=True
    ):
        left = leftover_names(caption, lexicon)
        found = [span.text for span in spans if span.score > collection.name_threshold]
        checked[text] = Checked(
            similarity=float(similarity),
            name_score=max((span.score for span in spans), default=0.0),
            names=list(dict.fromkeys([*found, *left])),
            similarity_passed=similarity_passes(float(similarity), collection.similarity_threshold),
            names_passed=names_pass(spans, collection.name_threshold) and not left,
        )
    return checked


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


def collection_lexicon(collection: Collection) -> Lexicon:
    """What the collection's descriptions betray about its cast; learned once a process and import."""
    newest = collection.descriptions.order_by("-pk").values_list("pk", flat=True).first() or 0
    return _lexicon(collection.pk, newest)


@lru_cache(maxsize=8)
def _lexicon(collection_id: int, newest: int) -> Lexicon:
    texts = Description.objects.filter(collection_id=collection_id, pk__lte=newest)
    return build_lexicon(texts.order_by("pk").values_list("text", flat=True))


class NotInReview(Exception):
    """The caption was decided already, or has no text to accept."""


@transaction.atomic
def decide_caption(*, caption_id: int, member: Membership, accept: bool, reason: str = "") -> Caption:
    """Accept or refuse a caption that waits for review. Deciding it the same way again changes nothing.

    Raises: NotInReview if it was decided the other way, or is to be accepted without a text.
    """
    caption = Caption.objects.select_for_update().get(pk=caption_id, description__collection=member.collection)
    status = Caption.Status.ACCEPTED if accept else Caption.Status.REFUSED
    if caption.status == status:
        return caption
    if caption.status != Caption.Status.REVIEW:
        raise NotInReview(f"This caption was {caption.get_status_display()} already.")
    if accept and not caption.text:
        raise NotInReview("There is no text to accept: write one first.")
    caption.status = status
    caption.decided_by, caption.decided_at, caption.reason = member, timezone.now(), reason
    caption.save(update_fields=["status", "decided_by", "decided_at", "reason"])
    return caption


def edit_caption(*, caption_id: int, member_id: int, text: str) -> Caption:
    """A person's text in the caption's place, with both checks; it goes on waiting for their decision.

    Loads the models: call it in a worker. Raises: NotInReview if the caption was decided meanwhile.
    """
    member = Membership.objects.select_related("collection").get(pk=member_id)
    collection = member.collection
    caption = Caption.objects.select_related("description").get(pk=caption_id, description__collection=collection)
    text = " ".join(text.split())
    checked = check_captions(collection, collection_lexicon(collection), {caption.description.text: text})
    with transaction.atomic():
        caption = Caption.objects.select_for_update().select_related("description").get(pk=caption_id)
        if caption.status != Caption.Status.REVIEW:
            raise NotInReview(f"This caption was {caption.get_status_display()} already.")
        number = caption.description.attempts.order_by("-number").values_list("number", flat=True)[0] + 1
        attempt = _build_attempt(caption.description, number, checked[caption.description.text])
        attempt.text, attempt.rewriter, attempt.model = text, "person", member.worker
        attempt.save()
        caption.attempt, caption.text, caption.normalised = attempt, text, normalise(text)
        caption.save(update_fields=["attempt", "text", "normalised"])
    return caption
