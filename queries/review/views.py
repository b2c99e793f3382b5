"""The caption review: one caption at a time, by keyboard, edits checked live by the worker."""

import re
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from foundation.access.form_input import whole_number, with_point
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, render_facts
from foundation.infra.task_queue import KEPT
from foundation.models import Membership
from foundation.refused import Refused
from queries.models import Caption, Decision
from queries.pooling.selectors import pool_change
from queries.review.bulk import accept_bulk, count_bulk, last_bulk, take_back_bulk
from queries.review.decisions import clean, decide_caption, take_back
from queries.review.edits import NO_TEXT, ask_again, ask_check, check_told, write_caption
from queries.review.selectors import captions_in_review, first_in_review, next_in_review, review_sheet

_SIMILARITY = re.compile(r"0?\.\d{1,6}|[01](\.0{0,6})?|0\.\d{1,6}", re.ASCII)
NO_CAPTION = gettext_lazy("There is no such caption in this collection.")


@lead_page("queries/captions.html")
def captions(request: HttpRequest, member: Membership) -> PageFacts:
    """The review page with one caption, its attempts, scores and verdicts; the script fetches the others."""
    return {**_card(member, _wanted(request, member)), **_bulk_facts(request, member)}


@lead_get
def caption_card(request: HttpRequest, member: Membership) -> HttpResponse:
    """The caption after `?after=ID`, or that of `?at=ID` if it waits: {"html", "pool", "waiting", "caption"}."""
    return JsonResponse(_card_json(request, member, _wanted(request, member)))


@lead_post
def decide(request: HttpRequest, member: Membership, caption_id: int) -> HttpResponse:
    """Accept or refuse a caption, have it rewritten again, or replace its text."""
    decision, text = request.POST.get("decision", ""), clean(request.POST.get("text", ""))
    reason = request.POST.get("reason", "")
    if not _is_here(member, caption_id):
        return _refuse(request, member, caption_id, NO_CAPTION)
    try:
        if decision in ("accept", "refuse"):
            decide_caption(caption_id=caption_id, member=member, accept=decision == "accept", reason=reason)
            sentence = _("Accepted.") if decision == "accept" else _("Refused: the moment stays out.")
        elif decision == "retry":
            sent = ask_again(caption_id=caption_id, member=member)
            coming = _("The description is being rewritten; the caption comes back with the answer.")
            sentence = coming if sent else str(KEPT)
        elif decision == "edit" and text:
            check = request.POST.get("check", "")
            accepted = write_caption(caption_id=caption_id, member=member, text=text, check=check, reason=reason)
            coming = _("Your caption is being checked and comes back in a moment. Accept it then.")
            sentence = _("Your caption is accepted.") if accepted else coming
        else:
            return _refuse(request, member, caption_id, _("Accept the caption, refuse it, or write another."))
    except Refused as refusal:
        return _refuse(request, member, caption_id, str(refusal))
    return _answer(request, member, caption_id, sentence)


@lead_post
def undo(request: HttpRequest, member: Membership) -> HttpResponse:
    """Undo one's own last decision, or all captions that it accepted at once; the caption is shown again."""
    bulk = last_bulk(member)
    if bulk is not None:
        back, stay = take_back_bulk(member=member, bulk=bulk)
        sentence = ngettext("%(count)s caption is back in review.", "%(count)s captions are back in review.", back) % {
            "count": f"{back:,}"
        }
        if stay:
            sentence += " " + ngettext(
                "%(count)s stays accepted: it became a query or candidate meanwhile.",
                "%(count)s stay accepted: they became queries or candidates meanwhile.",
                stay,
            ) % {"count": f"{stay:,}"}
        return _answer(request, member, 0, sentence)
    try:
        caption = take_back(member=member)
    except Refused as refusal:
        return _refuse(request, member, 0, str(refusal))
    if not _wants_json(request):
        return _answer(request, member, caption.pk - 1, _("Taken back."))
    shown = captions_in_review(member.collection).get(pk=caption.pk)
    return JsonResponse({**_card_json(request, member, shown), "said": _("Taken back.")})


@lead_post
def accept_many(request: HttpRequest, member: Membership) -> HttpResponse:
    """Accept all waiting captions at or above `similarity`, as one decision that Undo takes back."""
    similarity = similarity_from(request.POST.get("similarity", ""))
    if similarity is None:
        messages.error(request, NO_SIMILARITY)
    else:
        count = accept_bulk(member=member, similarity=similarity, failing_too=bool(request.POST.get("failing_too")))
        sentence = ngettext(
            "%(count)s caption accepted. Undo takes it back.",
            "%(count)s captions accepted. Undo takes all of them back.",
            count,
        )
        messages.info(request, sentence % {"count": f"{count:,}"})
    return redirect("captions", member.collection.name)


NO_SIMILARITY = gettext_lazy("Enter a similarity from 0 to 1, such as 0.8 or 0,8.")


def similarity_from(typed: str) -> float | None:
    """A typed similarity, 0 to 1; None if it is none."""
    typed = with_point(typed.strip())
    return float(typed) if _SIMILARITY.fullmatch(typed) else None


def _bulk_facts(request: HttpRequest, member: Membership) -> dict[str, Any]:
    typed = request.GET.get("at_least", "")
    similarity = similarity_from(typed) if typed else None
    return {
        "at_least": typed,
        "bulk_fault": str(NO_SIMILARITY) if typed and similarity is None else "",
        "bulk": None if similarity is None else count_bulk(member.collection, similarity),
    }


@lead_post
def caption_check(request: HttpRequest, member: Membership, caption_id: int) -> HttpResponse:
    """Have a worker check a typed text: {"check": id to ask `caption-checked` with}."""
    text = request.POST.get("text", "")
    if not _is_here(member, caption_id):
        return _refuse(request, member, caption_id, NO_CAPTION if clean(text) else NO_TEXT)
    try:
        check, text = ask_check(caption_id=caption_id, text=text)
    except Refused as refusal:
        return _refuse(request, member, caption_id, str(refusal))
    return JsonResponse({"check": check, "text": text})


@lead_get
def caption_checked(request: HttpRequest, member: Membership) -> HttpResponse:
    """The result of the check `?check=ID`: {"state": "waiting"|"done"|"failed", "verdicts": [...], "passed"}."""
    return JsonResponse(check_told(member.collection, request.GET.get("check", "")))


def _wanted(request: HttpRequest, member: Membership) -> Caption | None:
    """The caption of `?at=ID` if it is in review, else the one after `?after=ID`, else this lead's first."""
    at, after = request.GET.get("at", ""), request.GET.get("after", "")
    if (number := whole_number(at)) is not None:
        caption = captions_in_review(member.collection).filter(pk=number).first()
        if caption is not None:
            return caption
    last = whole_number(after)
    return next_in_review(member.collection, last) if last is not None else first_in_review(member)


def _refuse(request: HttpRequest, member: Membership, caption_id: int, reason: str | Promise) -> HttpResponse:
    """Respond with why nothing was done. The caption stays, and so does the typed text in its form."""
    reason = str(reason)
    if _wants_json(request):
        # No other card: the page keeps the one that it shows.
        waiting = captions_in_review(member.collection).count()
        return JsonResponse({"said": reason, "failed": True, "waiting": waiting}, status=409)
    same = Caption.objects.filter(pk=caption_id, description__collection=member.collection)
    caption = same.select_related("description__collection", "attempt").first()
    text = request.POST.get("text", "")
    if caption is None or not text:
        messages.error(request, reason)
    if caption is None:
        return redirect("captions", member.collection.name)
    typed = {"typed": text, "typed_reason": request.POST.get("reason", ""), "typed_fault": reason if text else ""}
    facts = {**_card(member, caption), **typed}
    return render_facts(request, member, "queries/captions.html", facts, status=409)


def _answer(request: HttpRequest, member: Membership, caption_id: int, sentence: str) -> HttpResponse:
    """Respond with what was done and the next caption: JSON for the page's script, else a redirect."""
    if _wants_json(request):
        following = next_in_review(member.collection, caption_id)
        return JsonResponse({**_card_json(request, member, following), "said": sentence})
    messages.info(request, sentence)
    response = redirect("captions", member.collection.name)
    response["Location"] += f"?after={caption_id}" if caption_id else ""
    return response


def _card(member: Membership, caption: Caption | None) -> dict[str, Any]:
    return {
        "sheet": review_sheet(caption) if caption else None,
        "waiting": captions_in_review(member.collection).count(),
        "change": pool_change(member.collection),
        "may_undo": Decision.objects.filter(member=member, taken_back_at=None).exists(),
    }


def _card_json(request: HttpRequest, member: Membership, caption: Caption | None) -> dict[str, Any]:
    card = _card(member, caption)
    html = render_to_string("queries/caption_card.html", {"collection": member.collection, **card}, request=request)
    change = render_to_string("queries/pool_change.html", {"collection": member.collection, **card}, request=request)
    return {"html": html, "pool": change, "waiting": card["waiting"], "caption": caption.pk if caption else None}


def _is_here(member: Membership, caption_id: int) -> bool:
    return Caption.objects.filter(pk=caption_id, description__collection=member.collection).exists()


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")
