"""The page of starts and ends: how far annotators agree, and the pairs where the lead may set them."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from annotation.precomputed import computed_or_ask
from annotation.review.pair_spans import has_spans
from annotation.review.span_figures import NAME, spans_apart
from annotation.review.span_rulings import set_span, withdraw_span
from foundation.access.form_input import whole_number, with_point
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_told, render_facts
from foundation.infra.list_pages import numbered_page
from foundation.models import Membership
from foundation.refused import Refused

PAGE = 20
TEMPLATE = "annotation/spans.html"
NOTHING: dict[str, Any] = {"whole": 0, "agreed": 0, "apart": 0, "mean_iou": None, "pairs": []}


@lead_page(TEMPLATE)
def page(request: HttpRequest, member: Membership) -> PageFacts:
    """How many pairs' spans agree, the mean IoU, and the pairs that are apart."""
    return _facts(member, request.GET)


def _facts(member: Membership, asked: Mapping[str, str], **refused: object) -> PageFacts:
    result = computed_or_ask(collection=member.collection, name=NAME, paged="pairs")
    value = result.value or NOTHING
    page = numbered_page(value["pairs"], asked, size=PAGE)
    return {
        "marked": has_spans(member.collection),
        "asked_agreement": member.collection.span_agreement,
        "agreement": {name: value[name] for name in ("whole", "agreed", "apart", "mean_iou")},
        "pairs": spans_apart(member.collection, page.rows),
        "page": page,
        "result": result,
        **refused,
    }


@lead_post
def set_(request: HttpRequest, member: Membership, pair_id: int) -> HttpResponse:
    """Set a pair's start and end, in seconds of the clip."""
    sent = {name: request.POST.get(name, "") for name in ("start", "end")}
    try:
        start, end = (float(with_point(text)) for text in sent.values())
        set_span(member=member, pair_id=pair_id, start=start, end=end)
    except (ValueError, Refused) as fault:
        expected = gettext("Expected two numbers of seconds, such as 1.5.")
        wrong = str(fault) if isinstance(fault, Refused) else expected
        facts = _facts(member, request.POST, refused_pair=pair_id, wrong=wrong, sent=sent)
        if any(pair.pair == pair_id for pair in facts["pairs"]):
            return render_facts(request, member, TEMPLATE, facts, status=400)
        messages.error(request, wrong)
        return _back(request, member)
    messages.info(request, gettext("Start and end are set."))
    return _back(request, member)


@lead_post
def withdraw(request: HttpRequest, member: Membership, ruling_id: int) -> HttpResponse:
    """Withdraw a start and end that a lead has set."""
    with refusal_told(request):
        withdraw_span(member=member, ruling_id=ruling_id)
        messages.info(request, gettext("Withdrawn. The moment's own start and end stay."))
    return _back(request, member)


def _back(request: HttpRequest, member: Membership) -> HttpResponse:
    page = whole_number(request.POST.get("page", ""))
    query = f"?page={page}" if page is not None else ""
    return redirect(reverse("spans", args=[member.collection.name]) + query)
