"""The rewriting page: figures, samples, lists of captions."""

from random import SystemRandom
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from foundation.access.form_input import whole_number
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, refusal_told, render_facts
from foundation.infra.figure_cache import figure_name, kept
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import duration, progress_told
from foundation.infra.list_pages import list_page
from foundation.models import Membership
from foundation.refused import Busy
from queries.calibration.calibrate import warn_uncalibrated
from queries.models import RewriteJob
from queries.retrieval.encoder import load_encoder
from queries.rewriting.amounts_typed import BadAmount
from queries.rewriting.caption_lists import IN_ORDER_OF_IMPORT, LISTS, captions_listed
from queries.rewriting.caption_samples import sample_captions
from queries.rewriting.cost_estimates import jobs_with_figures
from queries.rewriting.histogram import histogram
from queries.rewriting.llm_settings import llm_settings
from queries.rewriting.preview import LLM, ask_for_preview
from queries.rewriting.refusals import refused_by_rules
from queries.rewriting.report import MOST_JOBS, PAPER_WORDS_REPLACED, rewriting_report
from queries.rewriting.rewriters.chat import place_of
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.llm import DEFAULT_MODEL
from queries.rewriting.rewriters.rules import NAME as RULES
from queries.rewriting.start import start_rewriting

ROWS = 50


@lead_get
def rewriting(request: HttpRequest, member: Membership) -> HttpResponse:
    """The rewriting page: start, progress, pass rates, jobs, replacements, similarities, samples (`?sample=SEED`)."""
    return _page(request, member)


def _page(request: HttpRequest, member: Membership, *, limit: str = "", fault: str = "") -> HttpResponse:
    seed = _seed(request.GET.get("sample", ""))
    # What was imported or rewritten since counts at once: who comes from there goes on here.
    jobs = (member.collection.imports, member.collection.rewrite_jobs)
    report = kept(figure_name("rewriting", *jobs), member.collection, rewriting_report)
    # What a command does in its own process has its bar there.
    job = member.collection.rewrite_jobs.filter(unattended=True).order_by("-pk").first()
    facts = {
        "report": report,
        "share_done": 100 * report.done / report.descriptions if report.descriptions else 0,
        "chart": histogram(report.similarities, report.limits.similarity_threshold),
        "job": job and progress_told(job),
        "encoder": load_encoder().label,
        "uncalibrated": warn_uncalibrated(member.collection),
        "jobs": jobs_with_figures(member.collection)[:MOST_JOBS],
        "paper": PAPER_WORDS_REPLACED,
        "samples": sample_captions(member.collection, seed),
        "seed": seed,
        "another": SystemRandom().randrange(1, 1_000_000),
    }
    facts |= _start_facts(member, report.pending, limit=limit, fault=fault)
    return render_facts(request, member, "queries/rewriting.html", facts, status=400 if fault else 200)


def _start_facts(member: Membership, pending: int, *, limit: str = "", fault: str = "") -> dict[str, Any]:
    """What the part of the page shows that starts rewriting; nothing where nobody can start it.

    Args: pending: descriptions without a caption; those that rules refused come on top.
    """
    collection = member.collection
    busy = collection.rewrite_jobs.filter(state=RewriteJob.State.RUNNING, unattended=True).exists()
    refused = refused_by_rules(collection).count()
    if collection.archived_at or busy or not pending + refused:
        return {}
    settings = llm_settings(collection)
    shown = settings.shown
    last_preview = collection.rewrite_previews.order_by("-pk").first()
    chosen = last_preview.rewriter if last_preview is not None else LLM if settings.is_remote else RULES
    estimate = last_preview.found.get("estimate", {}) if last_preview is not None else {}
    again = estimate.get("asked_again")
    return {
        "start": {
            "left": pending + refused,
            "refused": refused,
            "llm": _("%(model)s at %(place)s")
            % {"model": shown["model"]["value"] or DEFAULT_MODEL, "place": place_of(shown["address"]["value"])}
            if settings.is_remote
            else "",
            "chosen": chosen if chosen == RULES or settings.is_remote else RULES,
            "limit": limit or shown["limit"]["value"],
            "fault": fault,
            "problem": settings.problem,
        },
        "preview": last_preview,
        "preview_progress": last_preview and progress_told(last_preview),
        "lasts": duration(estimate["seconds"]) if estimate.get("seconds") is not None else "",
        "asked_again": f"{again:.2%}".replace("%", " %") if again else "",
    }


def _seed(typed: str) -> int:
    number = whole_number(typed)
    return number if number is not None and number < 1_000_000_000 else 1


@lead_post
def preview(request: HttpRequest, member: Membership) -> HttpResponse:
    """Have a worker rewrite ten descriptions, drawn by `seed`, to be looked at; owners and leads only."""
    seed = _seed(request.POST.get("seed", ""))
    with refusal_told(request, ValueError):
        ask_on_page(request, ask_for_preview(member=member, rewriter=request.POST.get("rewriter", ""), seed=seed))
    return redirect("rewriting", member.collection.name)


@lead_post
def start(request: HttpRequest, member: Membership) -> HttpResponse:
    """Have a worker rewrite everything that has no caption, by rules or the LLM; owners and leads only."""
    limit = request.POST.get("limit", "").strip()
    try:
        job = start_rewriting(member=member, rewriter=request.POST.get("rewriter", ""), limit=limit)
    except (Busy, RewriterError, ValueError) as refusal:
        messages.error(request, str(refusal))
    except BadAmount as bad:
        return _page(request, member, limit=limit, fault=str(bad))
    else:
        ask_on_page(request, job)
    return redirect("rewriting", member.collection.name)


@lead_page("queries/caption_list.html")
def caption_list(request: HttpRequest, member: Membership) -> PageFacts:
    """A page of the captions behind a count: `?of=` one of `LISTS`, by default accepted ones."""
    of = request.GET.get("of", "")
    of = of if of in LISTS else "accepted"
    page = list_page(captions_listed(member.collection, of), request.GET, IN_ORDER_OF_IMPORT, size=ROWS)
    return {"page": page, "of": of, "told": LISTS[of]}
