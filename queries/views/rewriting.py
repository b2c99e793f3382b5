"""How the rewriting of a collection goes, in figures and samples, for its lead."""

from random import SystemRandom

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from corpus.access import lead_required
from corpus.models import Membership
from queries.charts import histogram
from queries.reporting import PAPER_WORDS_REPLACED, rewriting_report, sample_captions


@require_safe
@lead_required
def rewriting(request: HttpRequest, member: Membership) -> HttpResponse:
    """Progress, pass rates, failures, replacement words, similarities, and `?sample=SEED` captions to spot-check."""
    asked = request.GET.get("sample", "")
    seed = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 1
    report = rewriting_report(member.collection)
    context = {
        "collection": member.collection,
        "member": member,
        "report": report,
        "share_done": 100 * report.done / report.descriptions if report.descriptions else 0,
        "chart": histogram(report.similarities, member.collection.similarity_threshold),
        "paper": PAPER_WORDS_REPLACED,
        "samples": sample_captions(member.collection, seed),
        "seed": seed,
        "another": SystemRandom().randrange(1, 1_000_000),
    }
    return render(request, "queries/rewriting.html", context)
