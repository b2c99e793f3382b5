"""From descriptions to captions: rewrite, check, rewrite again what failed, and ask a person where rule 2 says so."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from corpus.cast import parse_cast
from corpus.models import Collection, Description, Membership, ReviewPolicy
from corpus.text import normalise
from queries.checks import Lexicon, build_lexicon, leftover_names, names_pass, similarity_passes
from queries.embeddings import keep
from queries.encoder import load_encoder
from queries.models import Answer, Attempt, Caption, RewriteJob
from queries.pending import settled_answers
from queries.recipes import MAX_ATTEMPTS, Recipe, seed_of, temperature_of
from queries.rewriters import Rewriter, Source, is_remote, make_rewriter
from queries.tagger import load_tagger


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks say of one caption."""

    similarity: float | None
    name_score: float
    names: list[str]
    similarity_passed: bool
    names_passed: bool


@dataclass(frozen=True, slots=True)
class Made:
    """One caption, or why there is none, and everything that made it."""

    text: str
    error: str
    rewriter: str
    model: str
    prompt_version: str
    temperature: float
    seed: int | None
    answer_id: int | None = None


def rewrite_descriptions(*, collection: Collection, description_ids: Sequence[int]) -> int:
    """Caption the descriptions among these that have none. Returns how many captions were made.

    With rules they are rewritten here, attempt by attempt; with an LLM a job of their own asks for them. Work that is
    cut off goes on with the next attempt, and a second worker on the same ids adds nothing.

    Raises: RewriterError when the rewriter can't go on at all (wrong key, unknown model); JobRuns while another
        process has the LLM asked for this collection.
    """
    if is_remote():
        # The job's parts import the openai client's neighbours: only where there is one to be asked.
        from queries.pipeline import rewrite_remotely

        return rewrite_remotely(collection=collection, description_ids=description_ids)
    captioned = 0
    rewriter: Rewriter | None = None
    for _ in range(MAX_ATTEMPTS):
        by_number = _without_caption(collection, description_ids)
        if not by_number:
            break
        lexicon = collection_lexicon(collection)
        rewriter = rewriter or make_rewriter(lexicon=lexicon)
        for number, descriptions in by_number.items():
            made = _rewrite_here(rewriter, [description.text for description in descriptions], number)
            captioned += _check_and_store(collection, lexicon, descriptions, number, made)
    return captioned


def check_answers(*, job: RewriteJob, description_ids: Sequence[int]) -> int:
    """Check what the job's model answered for these descriptions. Returns how many captions that made.

    Only stored answers are read: nothing is asked, and nothing is checked twice.
    """
    collection, recipe = job.collection, Recipe(job.model, job.prompt_version)
    captioned = 0
    for number, descriptions in _without_caption(collection, description_ids).items():
        answers = settled_answers(
            collection=collection,
            recipe=recipe,
            number=number,
            texts={description.text for description in descriptions},
        )
        made = {text: _made_by(answer, job) for text, answer in answers.items()}
        answered = [description for description in descriptions if description.text in made]
        if answered:
            captioned += _check_and_store(collection, collection_lexicon(collection), answered, number, made)
    return captioned


def rewrite_once(*, collection: Collection, text: str, number: int) -> Made:
    """One more attempt at a description, for a person who waits, by whatever rewriter there is; not checked yet.

    May cost money, which is counted like any other. Raises: RewriterError when the rewriter can't be used at all.
    """
    if is_remote():
        from queries.pipeline import ask_once

        answer = ask_once(collection=collection, text=text, number=number)
        return _made_by(answer, answer.exchange.job)
    return _rewrite_here(make_rewriter(lexicon=collection_lexicon(collection)), [text], number)[text]


def _made_by(answer: Answer, job: RewriteJob) -> Made:
    exchange = answer.exchange
    return Made(
        answer.caption,
        answer.error,
        job.rewriter,
        job.model,
        job.prompt_version,
        exchange.temperature,
        exchange.seed,
        answer.pk,
    )


def _without_caption(collection: Collection, description_ids: Sequence[int]) -> dict[int, list[Description]]:
    """Those without a caption, by the number of their next attempt."""
    rows = Description.objects.filter(pk__in=description_ids, caption__isnull=True, collection=collection)
    found: dict[int, list[Description]] = {}
    for description in rows.annotate(tries=Count("attempts")).order_by("tries", "pk"):
        found.setdefault(description.tries + 1, []).append(description)
    return found


def _rewrite_here(rewriter: Rewriter, texts: Sequence[str], number: int) -> dict[str, Made]:
    """Attempts by text. Identical descriptions are rewritten once; each keeps its own attempt."""
    sources = [Source(id=str(place), text=text) for place, text in enumerate(dict.fromkeys(texts))]
    temperature, seed = temperature_of(number), seed_of(number)
    answers = rewriter.rewrite(sources, temperature=temperature, seed=seed)
    return {
        source.text: Made(
            answer.text or "",
            answer.error,
            rewriter.name,
            rewriter.model,
            rewriter.prompt_version,
            temperature,
            seed,
        )
        for source, answer in zip(sources, answers, strict=True)
    }


def _check_and_store(
    collection: Collection, lexicon: Lexicon, descriptions: list[Description], number: int, made: dict[str, Made]
) -> int:
    checks = check_captions(collection, lexicon, {text: one.text for text, one in made.items() if one.text})
    attempts = []
    for description in descriptions:
        one = made[description.text]
        checked = checks.get(description.text, Checked(None, 0.0, [], similarity_passed=False, names_passed=True))
        attempt = _build_attempt(description, number, checked)
        attempt.text, attempt.error = one.text, one.error
        attempt.rewriter, attempt.model, attempt.prompt_version = one.rewriter, one.model, one.prompt_version
        attempt.temperature, attempt.seed, attempt.answer_id = one.temperature, one.seed, one.answer_id
        attempts.append(attempt)
    return _store(collection, attempts)


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
def _store(collection: Collection, attempts: list[Attempt]) -> int:
    """Keep these attempts, and as captions those that passed or were the last. Returns how many captions."""
    ids = [attempt.description_id for attempt in attempts]
    # The lock makes a second worker on the same descriptions wait, and then find their attempts there.
    list(Description.objects.select_for_update().filter(pk__in=ids).order_by("pk").values_list("pk", flat=True))
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
            status=_status(collection, [*earlier.get(attempt.description_id, ()), attempt]),
        )
        for attempt in fresh
        if attempt.passed or attempt.number >= MAX_ATTEMPTS
    ]
    Caption.objects.bulk_create(captions)
    return len(captions)


def _status(collection: Collection, tries: list[Attempt]) -> str:
    if not tries[-1].passed:
        return Caption.Status.REVIEW
    reprocessed = len(tries) > 1
    if reprocessed and collection.review_policy == ReviewPolicy.REPROCESSED:
        return Caption.Status.REVIEW
    return Caption.Status.ACCEPTED


def collection_lexicon(collection: Collection) -> Lexicon:
    """What the collection's descriptions and its cast list say about its cast; learned once a process and import."""
    newest = collection.descriptions.order_by("-pk").values_list("pk", flat=True).first() or 0
    return _lexicon(collection.pk, newest, collection.cast)


@lru_cache(maxsize=8)
def _lexicon(collection_id: int, newest: int, cast: str) -> Lexicon:
    texts = Description.objects.filter(collection_id=collection_id, pk__lte=newest)
    names = [member.name for member in parse_cast(cast)]
    return build_lexicon(texts.order_by("pk").values_list("text", flat=True), names)


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
