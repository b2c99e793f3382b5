"""A person's decisions on captions that wait for review: accept, refuse, write another."""

from django.db import transaction
from django.utils import timezone

from corpus.models import Membership
from corpus.text import normalise
from queries.checking import build_attempt, check_captions, collection_lexicon
from queries.models import Caption


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
        attempt = build_attempt(caption.description, number, checked[caption.description.text])
        attempt.text, attempt.rewriter, attempt.model = text, "person", member.worker
        attempt.save()
        caption.attempt, caption.text, caption.normalised = attempt, text, normalise(text)
        caption.save(update_fields=["attempt", "text", "normalised"])
    return caption
