"""The lead's review of decided batches: the queue, one sheet a batch, three decisions."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.batches import ReviewRefused, postpone_review, recommendation, review_batch
from annotation.charts import review_chart
from annotation.models import Batch
from annotation.selectors import review_queue, review_sheet
from corpus.access import lead_required
from corpus.models import Membership


@require_safe
@lead_required
def first(request: HttpRequest, member: Membership) -> HttpResponse:
    """The batch that waits longest, or a page saying that none does."""
    batch = review_queue(member.collection).first()
    if batch is not None:
        return redirect("review-batch", member.collection.name, batch.pk)
    return render(request, "annotation/review_empty.html", {"collection": member.collection, "member": member})


@require_safe
@lead_required
def queue(request: HttpRequest, member: Membership) -> HttpResponse:
    """The queue as JSON: {"batches": [{"batch", "query", "number", "mean", "extend"}]}."""
    rows = []
    for batch in review_queue(member.collection):
        verdict = recommendation(batch)
        rows.append(
            {
                "batch": batch.pk,
                "query": batch.query.text,
                "number": batch.number,
                "mean": verdict.mean,
                "extend": verdict.extend,
            }
        )
    return JsonResponse({"batches": rows})


@require_safe
@lead_required
def sheet(request: HttpRequest, member: Membership, batch_id: int) -> HttpResponse:
    """One batch: the grades in rank order, the rule's verdict, the clips; decided ones can be looked at again."""
    batch = get_object_or_404(
        Batch.objects.select_related("query__collection", "review__decided_by"),
        pk=batch_id,
        query__collection=member.collection,
    )
    shown = review_sheet(batch)
    context = {
        "collection": member.collection,
        "member": member,
        "sheet": shown,
        "chart": review_chart(shown.pairs),
        "queue": list(review_queue(member.collection)[:100]),
        "waiting": batch.status == Batch.Status.DECIDED,
    }
    return render(request, "annotation/review.html", context)


@require_POST
@lead_required
def decide(request: HttpRequest, member: Membership, batch_id: int) -> HttpResponse:
    """Extend, finish or put off; then the next one."""
    decision = request.POST.get("decision", "")
    if decision == "later":
        postpone_review(member=member, batch_id=batch_id)
    else:
        try:
            review_batch(member=member, batch_id=batch_id, decision=decision)
        except ReviewRefused as refusal:
            messages.error(request, str(refusal))
    return redirect("review", member.collection.name)
