"""Decisions on captions in review: accept, edit, refuse, undo."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.models import Membership
from foundation.refused import Refused
from foundation.text import composed, is_seen, normalise
from queries.checks.run_checks import CheckedCaption, build_attempt, check_captions, collection_lexicon
from queries.language.spoken import languages_of
from queries.models import Attempt, Candidate, Caption, Decision, Query

LONGEST_REASON = 1000
LONGEST_CAPTION = 1000


@transaction.atomic
def decide_caption(*, caption_id: int, member: Membership, accept: bool, reason: str = "") -> Caption:
    """Accept or refuse a caption in review. Repeating it changes nothing.

    Raises: Refused if it was decided the other way, or is to be accepted without a text.
    """
    caption = Caption.objects.select_for_update(no_key=True).get(
        pk=caption_id, description__collection=member.collection
    )
    status = Caption.Status.ACCEPTED if accept else Caption.Status.REFUSED
    if caption.status == status:
        return caption
    must_wait(caption)
    if accept and not caption.text:
        raise Refused(_("There is no text to accept. Write one first."))
    kind = Decision.Kind.ACCEPTED if accept else Decision.Kind.REFUSED
    return _decide(caption, member, kind, caption.attempt, reason)


@transaction.atomic
def accept_edit(
    *, caption_id: int, member: Membership, text: str, checked: CheckedCaption, reason: str = ""
) -> Caption:
    """Replace a caption by a person's checked text, and accept it.

    The same text again by the same person changes nothing. Whether the checks passed is kept with it, and doesn't bind
    the person. Raises: Refused if the caption was decided meanwhile, or the text is empty.
    """
    caption = (
        Caption.objects.select_for_update(of=("self",), no_key=True)
        .select_related("description", "attempt")
        .get(pk=caption_id, description__collection=member.collection)
    )
    text = clean(text)
    if caption.status == Caption.Status.ACCEPTED and caption.decided_by_id == member.pk and caption.text == text:
        return caption
    must_wait(caption)
    if not text:
        raise Refused(_("There is no text to accept. Write one first."))
    attempt = _keep_edit(caption, member, text, checked)
    return _decide(caption, member, Decision.Kind.EDITED, attempt, reason or why_edited(caption.attempt))


def edit_caption(*, caption_id: int, member_id: int, text: str) -> Caption:
    """Check a person's text and put it in the caption's place; the caption stays in review.

    Loads the models: call it in a worker. Raises: Refused if the caption was decided meanwhile.
    """
    member = Membership.objects.select_related("collection").get(pk=member_id)
    collection = member.collection
    caption = Caption.objects.select_related("description").get(pk=caption_id, description__collection=collection)
    text = clean(text)
    languages = languages_of([caption.description])
    checked = check_captions(collection, collection_lexicon(collection), {caption.description.text: text}, languages)
    with transaction.atomic():
        caption = (
            Caption.objects.select_for_update(of=("self",), no_key=True)
            .select_related("description", "attempt")
            .get(pk=caption_id)
        )
        must_wait(caption)
        attempt = _keep_edit(caption, member, text, checked[caption.description.text])
        caption.attempt, caption.text, caption.normalised = attempt, text, normalise(text)
        caption.save(update_fields=["attempt", "text", "normalised"])
    return caption


@transaction.atomic
def take_back(*, member: Membership) -> Caption:
    """Undo the person's last decision: the caption returns to review as it was before.

    Raises: Refused if there is none, or if a query or a candidate was made of the caption since.
    """
    decision = (
        Decision.objects.select_for_update(of=("self",), no_key=True)
        .filter(member=member, taken_back_at=None)
        .select_related("before")
        .order_by("-pk")
        .first()
    )
    if decision is None:
        raise Refused(_("You have no decision to undo."))
    caption = Caption.objects.select_for_update(no_key=True).get(pk=decision.caption_id)
    if Query.objects.filter(description=caption.description_id).exists():
        raise Refused(
            _("“%(caption)s” has become a query meanwhile, so the decision stays.") % {"caption": caption.text}
        )
    if Candidate.objects.filter(caption=caption).exists():
        raise Refused(
            _("“%(caption)s” has become a candidate meanwhile, so the decision stays.") % {"caption": caption.text}
        )
    caption.status, caption.attempt = Caption.Status.REVIEW, decision.before
    caption.text, caption.normalised = decision.before.text, normalise(decision.before.text)
    caption.decided_by, caption.decided_at, caption.reason = None, None, ""
    caption.save()
    decision.taken_back_at = timezone.now()
    decision.save(update_fields=["taken_back_at"])
    return caption


def clean(text: str) -> str:
    """A typed caption as one line, without surplus white space."""
    printable = "".join(sign if sign.isprintable() else " " for sign in composed(text))
    return " ".join(printable.split())[:LONGEST_CAPTION] if is_seen(printable) else ""


def why_edited(attempt: Attempt) -> str:
    """The default reason for an edit: what the checks found wrong with the last attempt."""
    if not attempt.text:
        return "the rewriter gave no text"
    against = [
        word
        for passed, word in (
            (attempt.names_passed, f"named {', '.join(attempt.names) or 'a person'}"),
            (attempt.similarity_passed, "too far from the description"),
            (attempt.kept_passed, "changed more than the names"),
            (attempt.persons_passed, "not as many persons"),
            (attempt.gender_passed, "another gender"),
            (attempt.roles_passed, "exchanged who does what"),
            (attempt.words_passed, "exchanged words"),
        )
        if not passed
    ]
    return "; ".join(against) or "worded better"


def must_wait(caption: Caption) -> None:
    """Refuse a caption that is decided already. Raises: Refused, saying by whom."""
    if caption.status == Caption.Status.REVIEW:
        return
    if caption.decided_by is None or caption.decided_at is None:
        raise Refused(_("This caption is already decided: %(status)s.") % {"status": caption.get_status_display()})
    raise Refused(
        _("%(name)s decided this caption meanwhile, at %(time)s UTC: %(status)s.")
        % {
            "name": caption.decided_by.account or caption.decided_by.worker,
            "time": f"{caption.decided_at:%H:%M}",
            "status": caption.get_status_display(),
        }
    )


def next_number(caption: Caption) -> int:
    """The number of the next attempt at its description."""
    return caption.description.attempts.order_by("-number").values_list("number", flat=True)[0] + 1


def _keep_edit(caption: Caption, member: Membership, text: str, checked: CheckedCaption) -> Attempt:
    attempt = build_attempt(caption.description, next_number(caption), checked)
    attempt.text, attempt.rewriter, attempt.model = text, "person", member.worker
    attempt.save()
    return attempt


def _decide(caption: Caption, member: Membership, kind: str, attempt: Attempt, reason: str) -> Caption:
    reason = reason.strip()[:LONGEST_REASON]
    Decision.objects.create(
        caption=caption, member=member, kind=kind, attempt=attempt, before_id=caption.attempt_id, reason=reason
    )
    caption.status = Caption.Status.REFUSED if kind == Decision.Kind.REFUSED else Caption.Status.ACCEPTED
    caption.attempt, caption.text, caption.normalised = attempt, attempt.text, normalise(attempt.text)
    caption.decided_by, caption.decided_at, caption.reason = member, timezone.now(), reason
    caption.asked_again_at = None
    caption.save()
    return caption
