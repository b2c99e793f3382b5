"""The rewriting page: figures, samples, lists of captions."""

from random import SystemRandom

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from corpus.access.guards import lead_required
from corpus.infra.figure_cache import kept
from corpus.infra.job_progress import progress_told
from corpus.models import Membership
from queries.rewriting.caption_lists import LISTS, captions_listed
from queries.rewriting.cost_estimates import jobs_with_figures
from queries.rewriting.histogram import histogram
from queries.rewriting.report import MOST_JOBS, PAPER_WORDS_REPLACED, rewriting_report, sample_captions

ROWS = 50


@require_safe
@lead_required
def rewriting(request: HttpRequest, member: Membership) -> HttpResponse:
    """The rewriting page: progress, pass rates, jobs, replacement words, similarities, samples (`?sample=SEED`)."""
    asked = request.GET.get("sample", "")
    seed = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 1
    report = kept("rewriting", member.collection, rewriting_report)
    # What a command does in its own process has its bar there.
    job = member.collection.rewrite_jobs.filter(unattended=True).order_by("-pk").first()
    context = {
        "collection": member.collection,
        "member": member,
        "report": report,
        "share_done": 100 * report.done / report.descriptions if report.descriptions else 0,
        "chart": histogram(report.similarities, report.limits.similarity_threshold),
        "job": job and progress_told(job),
        "jobs": jobs_with_figures(member.collection)[:MOST_JOBS],
        "paper": PAPER_WORDS_REPLACED,
        "samples": sample_captions(member.collection, seed),
        "seed": seed,
        "another": SystemRandom().randrange(1, 1_000_000),
    }
    return render(request, "queries/rewriting.html", context)


@require_safe
@lead_required
def caption_list(request: HttpRequest, member: Membership) -> HttpResponse:
    """A page of the captions behind a count: `?of=` one of `LISTS`, by default accepted ones."""
    of = request.GET.get("of", "")
    of = of if of in LISTS else "accepted"
    page = Paginator(captions_listed(member.collection, of), ROWS).get_page(request.GET.get("page"))
    context = {"collection": member.collection, "member": member, "page": page, "of": of, "told": LISTS[of]}
    return render(request, "queries/caption_list.html", context)
