"""Review pages: queue, one batch, decide, take back."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext

from annotation.models import Batch
from annotation.review.automatic_review import apply_policy, clear_batches, has_policy
from annotation.review.chart import review_chart
from annotation.review.decisions import postpone_review, resume_review, review_batch, take_back_review
from annotation.review.selectors import (
    DECISION_COLUMNS,
    decided_batches,
    decision_counts,
    decision_of,
    decision_rows,
    decisions_of,
    review_queue,
    review_sheet,
    waiting_batches,
)
from foundation.access.form_input import is_own_address, whole_number
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, refusal_told
from foundation.infra.csv_download import csv_download
from foundation.infra.list_pages import list_page
from foundation.infra.task_queue import send
from foundation.models import Collection, Membership
from foundation.refused import Refused

PAGE = 50
AT_ONCE = 40
"""Up to so many batches, the policy is applied within the request."""
KINDS = {"": "standing", "automatic": "automatic", "lead": "lead", "taken-back": "taken_back"}
"""Which decisions are listed -> the count that says how many there are."""
DONE = {
    "extend": gettext_lazy("Extended."),
    "finish": gettext_lazy("Finished."),
    "later": gettext_lazy("Put off."),
}


@lead_page("annotation/review_empty.html")
def first(request: HttpRequest, member: Membership) -> PageFacts | HttpResponse:
    """The batch that has waited longest, or a page saying that none waits."""
    batch = review_queue(member.collection).first()
    if batch is not None:
        return redirect("review-batch", member.collection.name, batch.pk)
    return {}


@lead_get
def queue(request: HttpRequest, member: Membership) -> HttpResponse:
    """The queue's beginning as JSON: {"waiting", "batches": [{"batch", "query", "number", "mean", "extend"}]}."""
    facts = _queue(member.collection)
    plain = [{name: getattr(row, name) for name in row.__slots__} for row in facts["batches"]]
    return JsonResponse(facts | {"batches": plain})


def _queue(collection: Collection) -> dict[str, Any]:
    batches = waiting_batches(collection)
    return {"waiting": review_queue(collection).count(), "batches": batches}


@lead_page("annotation/review.html")
def sheet(request: HttpRequest, member: Membership, batch_id: int) -> PageFacts | HttpResponse:
    """One batch: the grades in rank order, the rule's verdict, the clips; decided ones can be looked at again.

    With `?part=sheet` only what changes from batch to batch, which the page loads ahead.
    """
    batch = get_object_or_404(
        Batch.objects.select_related("query__collection", "query__medium", "review__decided_by"),
        pk=batch_id,
        collection=member.collection,
    )
    shown = review_sheet(batch)
    facts = {
        "batch": batch.pk,
        "number": batch.number,
        "status": batch.status,
        "query": batch.query.text,
        "narrative": batch.query.narrative,
        "medium": getattr(batch.query, "medium", None),
        "pairs": shown.pairs,
        "recommendation": shown.recommendation,
        "verdict": shown.recommendation.in_words(),
        "may_extend": shown.may_extend,
        "version": shown.version,
        "review": decision_of(batch),
        "waiting": batch.status == Batch.Status.DECIDED,
        "chart": review_chart(shown.pairs, member.collection.top_grade),
        "reviewed": batch,
    }
    if request.GET.get("part") == "sheet":
        return render(request, "annotation/review_sheet.html", {"collection": member.collection, **facts})
    return {**facts, "queue": _queue(member.collection)}


@lead_post
def decide(request: HttpRequest, member: Membership, batch_id: int) -> HttpResponse:
    """Extend, finish or postpone a batch; then show the next.

    To the page's script as JSON: {"said", "failed", "waiting": whether the batch still waits, "review": its number}.
    """
    decision = request.POST.get("decision", "")
    review = None
    try:
        if decision == "later":
            postpone_review(member=member, batch_id=batch_id)
        else:
            seen = _seen(request.POST.get("seen", ""))
            review = review_batch(member=member, batch_id=batch_id, decision=decision, seen=seen)
    except Refused as refusal:
        return _answer(request, member, batch_id, str(refusal), failed=True)
    return _answer(request, member, batch_id, str(DONE[decision]), review=review.pk if review else None)


def _seen(text: str) -> int | None:
    if not text:
        return None
    number = whole_number(text)
    if number is None:
        raise Refused(
            gettext("found the version %(said)s, expected a number; nothing was decided") % {"said": repr(text[:40])}
        )
    return number


@lead_post
def take_back(request: HttpRequest, member: Membership, batch_id: int) -> HttpResponse:
    """Take back the decision `review`; without one, undo "later". Responds as `decide` does."""
    review = request.POST.get("review", "")
    try:
        if (number := whole_number(review)) is not None:
            take_back_review(member=member, batch_id=batch_id, review_id=number)
        elif review:
            raise Refused(gettext("found the review %(review)s, expected its number") % {"review": repr(review[:40])})
        else:
            resume_review(member=member, batch_id=batch_id)
    except Refused as refusal:
        return _answer(request, member, batch_id, str(refusal), failed=True)
    return _answer(request, member, batch_id, gettext("Taken back."))


def _answer(
    request: HttpRequest,
    member: Membership,
    batch_id: int,
    sentence: str,
    *,
    failed: bool = False,
    review: int | None = None,
) -> HttpResponse:
    if request.headers.get("Accept") == "application/json":
        waiting = review_queue(member.collection).filter(pk=batch_id).exists()
        return JsonResponse({"said": sentence, "failed": failed, "waiting": waiting, "review": review})
    if failed:
        messages.error(request, sentence)
    back = request.POST.get("back", "")
    if is_own_address(back):
        return redirect(back)
    return redirect("review", member.collection.name)


@lead_page("annotation/review_decisions.html")
def decisions(request: HttpRequest, member: Membership) -> PageFacts:
    """The page of decisions, newest first, with who, when and on which figures; filtered by `kind`."""
    kind = _kind(request)
    counts = decision_counts(member.collection)
    collection = member.collection
    rows, order = decisions_of(collection, kind)
    shown = list_page(rows, request.GET, order, size=PAGE)
    return {
        "kind": kind,
        "counts": counts,
        "policy": {"extend_from": collection.auto_extend_from, "finish_to": collection.auto_finish_to},
        "clear": clear_batches(collection=collection),
        "decisions": decided_batches(shown),
        "has_policy": has_policy(collection),
        "total": counts[KINDS[kind]],
        "shown": shown,
        "here": request.get_full_path(),
    }


@lead_post
def decide_clear(request: HttpRequest, member: Membership) -> HttpResponse:
    """Apply the batch review policy to the waiting batches: at once if they are few, else by a worker."""
    number = sum(clear_batches(collection=member.collection).values())
    if not number:
        messages.info(request, gettext("None of the waiting batches can be decided by the batch review policy now."))
    elif number > AT_ONCE:
        with refusal_told(request):
            send("annotation.tasks.apply_review_policy", member.collection_id)
            sentence = ngettext(
                "%(count)s batch is being decided. Each decision is listed here, and you can take it back.",
                "%(count)s batches are being decided. Each decision is listed here, and you can take it back.",
                number,
            )
            messages.info(request, sentence % {"count": f"{number:,}"})
    else:
        done = apply_policy(collection=member.collection)
        messages.info(
            request,
            gettext(
                "Extended %(extended)s, finished %(finished)s. Each decision is listed here, and you can take it back."
            )
            % {"extended": f"{done.extended:,}", "finished": f"{done.finished:,}"},
        )
    return redirect(f"{reverse('review-decisions', args=[member.collection.name])}?kind=automatic")


@lead_get
def decisions_csv(request: HttpRequest, member: Membership) -> HttpResponseBase:
    """The decisions of `?kind=` as CSV, newest first; owners and leads only."""
    kind = _kind(request)
    name = f"decisions-{kind}" if kind else "decisions"
    rows = decision_rows(member.collection, kind=kind)
    return csv_download(f"{member.collection.name}-{name}", DECISION_COLUMNS, rows)


def _kind(request: HttpRequest) -> str:
    kind = request.GET.get("kind", "")
    return kind if kind in KINDS else ""
