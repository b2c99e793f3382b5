"""The page of discarded pairs and their adjudication."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from annotation.review.adjudication import adjudicate_pair, withdraw_adjudication
from annotation.review.discarded_pairs import BY_RANK, adjudication_counts, discarded_pairs, with_details
from annotation.scale import scale_of
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_told, render_facts
from foundation.infra.list_pages import list_page
from foundation.models import Membership
from foundation.text import composed

PAGE = 20
KINDS = ("open", "adjudicated", "all")


TEMPLATE = "annotation/discarded_pairs.html"


@lead_page(TEMPLATE)
def page(request: HttpRequest, member: Membership) -> PageFacts:
    """Discarded pairs by query and rank: `kind` open (the default), adjudicated or all; `q` words of the query."""
    return _facts(member, request.GET)


def _facts(member: Membership, sent: QueryDict, **refused: object) -> PageFacts:
    """The page; after a refusal with the form of the pair `refused_pair` as it was sent, and what is `wrong` in it."""
    kind = sent.get("kind", "open")
    kind = kind if kind in KINDS else "open"
    asked = composed(sent.get("q", "")).replace("\x00", "").strip()[:200]
    pairs = discarded_pairs(member.collection, kind="" if kind == "all" else kind, asked=asked)
    counts = adjudication_counts(member.collection)
    shown = list_page(pairs, sent, BY_RANK, size=PAGE)
    return {
        "kind": kind,
        "asked": asked,
        "found": shown.count,
        "counts": counts,
        "discarded": with_details(shown),
        "scale": scale_of(member.collection),
        "open_count": counts["all"] - counts["adjudicated"],
        "shown": shown,
        "pager_path": reverse("discarded", args=[member.collection.name]),
        "pager_query": QueryDict(urlencode({"kind": kind, "q": asked})),
        "here": {"kind": kind, "q": asked, **_place(sent)},
        **refused,
    }


@lead_post
def adjudicate(request: HttpRequest, member: Membership, pair_id: int) -> HttpResponse:
    """Grade a discarded pair, with the reason."""
    grade, reason = request.POST.get("grade", ""), request.POST.get("reason", "")
    wrong, scale = {}, scale_of(member.collection)
    if not (grade.isascii() and grade.isdecimal() and len(grade) <= 3 and int(grade) in scale.grades):
        wrong["grade"] = gettext("Choose a grade from 0 to %(top_grade)s.") % {"top_grade": scale.top}
    if not reason.strip():
        wrong["reason"] = gettext("Say in a sentence what the grade is based on.")
    if wrong:
        refused = {"refused_pair": pair_id, "wrong": wrong, "sent_reason": reason, "sent_grade": grade}
        facts = _facts(member, request.POST, **refused)
        if any(pair.pair == pair_id for pair in facts["discarded"]):
            return render_facts(request, member, TEMPLATE, facts, status=400)
        messages.error(request, " ".join(wrong.values()))
        return _back(request, member)
    with refusal_told(request):
        adjudicate_pair(member=member, pair_id=pair_id, grade=int(grade), reason=reason)
        messages.info(
            request,
            gettext("Grade %(grade)s saved. Used only in releases that include adjudicated grades.") % {"grade": grade},
        )
    return _back(request, member)


@lead_post
def withdraw(request: HttpRequest, member: Membership, adjudication_id: int) -> HttpResponse:
    """Withdraw an adjudication; it is kept."""
    with refusal_told(request):
        withdraw_adjudication(member=member, adjudication_id=adjudication_id)
        messages.info(request, gettext("Withdrawn. The pair is discarded, as its judgments say."))
    return _back(request, member)


def _place(sent: QueryDict) -> dict[str, str]:
    """What an address or form says of the page that it is on."""
    return {name: str(sent[name]) for name in ("page", "after", "before") if sent.get(name)}


def _here(member: Membership, **asked: object) -> str:
    return f"{reverse('discarded', args=[member.collection.name])}?{urlencode(asked)}"


def _back(request: HttpRequest, member: Membership) -> HttpResponse:
    """Redirect to the list that the form was on."""
    kind, asked = request.POST.get("kind", "open"), request.POST.get("q", "")
    return redirect(_here(member, kind=kind, q=asked, **_place(request.POST)))
