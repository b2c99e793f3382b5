"""Rewrite a caption once more on a person's request: temperature 0.2, another seed."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foundation.infra.advisory_lock import alone_at, somebody_is_at
from foundation.infra.task_queue import send
from foundation.models import Membership, RewritingStyle
from foundation.refused import Refused
from foundation.text import normalise
from queries.checks.run_checks import CheckedCaption, build_attempt, check_captions, collection_lexicon
from queries.language.spoken import languages_of
from queries.models import Attempt, Caption
from queries.review.decisions import next_number
from queries.rewriting.attempts import UncheckedAttempt, note_maker
from queries.rewriting.llm_settings import llm_settings
from queries.rewriting.make_captions import rewrite_once
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.rules import DIVERSE_MODEL, MODEL

TASK = "queries.tasks.ask_again"
LOCK = "queries.ask_again"
GRACE = timedelta(seconds=10)
"""For so long its message may still be on the way to a worker."""
AT_ONCE = 200
SAME_ANSWER = _("Rules would write the same again. Change the cast or the style, or write the caption yourself.")
PATIENCE = timedelta(minutes=10)
"""A caption without an answer for so long is shown again: its worker may be gone."""


def shown_in_review() -> Q:
    """Captions in review that don't wait for the rewriter."""
    return Q(status=Caption.Status.REVIEW) & (Q(asked_again_at=None) | Q(asked_again_at__lt=timezone.now() - PATIENCE))


def note_asked_again(*, caption_id: int, member: Membership) -> bool:
    """Take a caption out of review until its new attempt is there. Returns False if it is out already.

    Raises: Refused if it was decided.
    """
    mine = Caption.objects.filter(pk=caption_id, description__collection=member.collection)
    shown = mine.filter(shown_in_review()).select_related("description__collection").first()
    if shown is not None and not may_answer_otherwise(shown):
        raise Refused(str(SAME_ANSWER))
    if mine.filter(shown_in_review()).update(asked_again_at=timezone.now()):
        return True
    if mine.exclude(status=Caption.Status.REVIEW).exists():
        raise Refused(gettext("Somebody decided this caption meanwhile, so it isn't rewritten again."))
    return False


def send_asked_again() -> None:
    """Send the captions that were asked again while the queue was away, or whose message was lost: for the sweep."""
    waiting = Caption.objects.filter(
        status=Caption.Status.REVIEW, asked_again_at__isnull=False, asked_again_at__lt=timezone.now() - GRACE
    )
    for pk in waiting.order_by("asked_again_at").values_list("pk", flat=True)[:AT_ONCE]:
        if not somebody_is_at(LOCK, pk):
            send(TASK, pk)


def may_answer_otherwise(caption: Caption) -> bool:
    """Whether asking again can bring another text: rules write the same one until the cast or the style changes.

    An LLM is asked at a temperature above 0 and with another seed.
    """
    collection = caption.description.collection
    if llm_settings(collection).is_remote:
        return True
    model = DIVERSE_MODEL if collection.rewriting_style == RewritingStyle.DIVERSE else MODEL
    by_rules = caption.description.attempts.filter(rewriter="rules", model=model)
    if collection.cast_set_at is not None:
        by_rules = by_rules.filter(made_at__gt=collection.cast_set_at)
    return not by_rules.exists()


def rewrite_again(*, caption_id: int) -> Attempt | None:
    """Make another attempt at a caption in review, which stays there, with the new text if there is one.

    One call at a time does it. Loads the models and may cost money: call it in a worker. Returns None, and changes
    nothing, if the caption isn't waiting for an answer: decided meanwhile, or answered already.
    """
    with alone_at(LOCK, caption_id, wait=False) as ours:
        return _rewrite_again(caption_id) if ours else None


def _rewrite_again(caption_id: int) -> Attempt | None:
    caption = Caption.objects.select_related("description__collection", "attempt").get(pk=caption_id)
    if caption.status != Caption.Status.REVIEW or caption.asked_again_at is None:
        return None
    description, collection = caption.description, caption.description.collection
    number = next_number(caption)
    try:
        unchecked = rewrite_once(collection=collection, description=description, number=number)
    except RewriterError as error:
        # A person waits for this one: they are told what went wrong, and the caption comes back.
        last = caption.attempt
        unchecked = UncheckedAttempt("", str(error), last.rewriter, last.model, last.prompt_version, None, None)
    checked = CheckedCaption()
    if unchecked.text:
        lexicon = collection_lexicon(collection)
        texts = {description.text: unchecked.text}
        checked = check_captions(collection, lexicon, texts, languages_of([description]))[description.text]
    attempt = build_attempt(description, number, checked)
    note_maker(attempt, unchecked)
    return _store(caption_id, attempt)


@transaction.atomic
def _store(caption_id: int, attempt: Attempt) -> Attempt | None:
    caption = (
        Caption.objects.select_for_update(of=("self",), no_key=True).select_related("description").get(pk=caption_id)
    )
    if caption.status != Caption.Status.REVIEW or caption.asked_again_at is None:
        return None
    attempt.number = next_number(caption)
    attempt.save()
    caption.asked_again_at = None
    if attempt.text:
        caption.attempt, caption.text, caption.normalised = attempt, attempt.text, normalise(attempt.text)
    caption.save()
    return attempt
