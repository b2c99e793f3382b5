"""Preview of rewriting: ten descriptions rewritten and checked, and what all that are left would take."""

import time
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from corpus.models import Description
from foundation.infra.jobs import JobProgress, job_task
from foundation.models import Collection, Membership
from foundation.refused import Refused
from queries.checks.run_checks import (
    CheckedCaption,
    build_attempt,
    check_captions,
    collection_lexicon,
    generalises,
    limits_of,
)
from queries.checks.verdicts import verdicts
from queries.language.spoken import languages_of
from queries.models import RewritePreview
from queries.rewriting.caption_samples import by_lot
from queries.rewriting.make_captions import rewrite_here, rules_rewriter
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.rules import NAME as RULES

DRAWN = 10
LLM = "llm"


Trials = dict[str, tuple[str, str]]
"""Description -> its caption, and why there is none yet; either is empty."""


def ask_for_preview(*, member: Membership, rewriter: str, seed: int) -> RewritePreview:
    """A preview that waits for a worker; the caller sends it. Raises: Refused; ValueError for another rewriter."""
    if rewriter not in (RULES, LLM):
        raise ValueError(_("Choose rules or the LLM."))
    try:
        with transaction.atomic():
            return RewritePreview.objects.create(
                collection=member.collection, member=member, rewriter=rewriter, seed=seed
            )
    except IntegrityError as error:
        raise Refused(_("A preview is already being made.")) from error


def drawn_descriptions(collection: Collection, seed: int) -> list[Description]:
    """Ten descriptions drawn at random, the same for the same seed: of those without a caption, if there are any."""

    rows = collection.descriptions.all()
    left = rows.filter(caption__isnull=True)
    rows = left if left.exists() else rows
    drawn = list(rows.order_by(by_lot(seed), "pk").values_list("pk", flat=True)[:DRAWN])
    return list(Description.objects.select_related("collection").filter(pk__in=drawn).order_by("pk"))


@job_task(RewritePreview)
def run_preview(job: RewritePreview, progress: JobProgress) -> None:
    """Make a preview."""
    collection = job.collection
    descriptions = drawn_descriptions(collection, job.seed)
    if not descriptions:
        raise RewriterError("There are no descriptions yet.")
    progress.note(step="Loading the models", total=len(descriptions))
    lexicon, limits = collection_lexicon(collection), limits_of(collection)
    # So that what is measured below are the ten and not the models.
    languages = languages_of(descriptions)
    check_captions(collection, lexicon, {descriptions[0].text: descriptions[0].text}, languages, remember=False)
    progress.note(step="Rewriting")
    began = time.monotonic()
    tried, by_llm, asked = _by_llm(collection, languages) if job.rewriter == LLM else _by_rules(collection, languages)
    rewritten = time.monotonic()
    progress.note(step="Checking")
    captions = {text: caption for text, (caption, _fault) in tried.items() if caption}
    checks = check_captions(collection, lexicon, captions, languages, remember=False)
    seconds = {
        "rewriting": (rewritten - began) / max(1, asked),
        "checking": (time.monotonic() - rewritten) / len(languages),
    }
    rows, passed = [], 0
    for description in descriptions:
        caption, fault = tried[description.text]
        attempt = build_attempt(description, 1, checks.get(description.text, CheckedCaption()))
        attempt.text, attempt.error = caption, fault
        check_verdicts = verdicts(description.text, attempt, limits, generalises=generalises(collection))
        passes = bool(caption) and attempt.passed
        passed += passes
        rows.append(
            {
                "description": description.text,
                "caption": caption,
                "passed": passes,
                "verdicts": [asdict(verdict) for verdict in check_verdicts],
            }
        )
    job.found = {"rows": rows, "estimate": _estimate(collection, by_llm, seconds, measured=bool(asked))}
    job.done = len(rows)
    job.said = f"{passed} of {len(rows)} pass every check."
    job.save(update_fields=["found", "done", "said"])


def _by_rules(collection: Collection, texts: dict[str, str]) -> tuple[Trials, Any, int]:
    rewriter = rules_rewriter(collection)
    attempts = rewrite_here(rewriter, texts, 1)
    return {text: (attempt.text, attempt.error) for text, attempt in attempts.items()}, None, len(texts)


def _by_llm(collection: Collection, texts: dict[str, str]) -> tuple[Trials, Any, int]:
    from queries.rewriting.run_job import ask_for_some, collection_rewriter

    captions, asked = ask_for_some(collection=collection, texts=list(texts))
    return captions, collection_rewriter(collection), asked


def _estimate(collection: Collection, rewriter: Any, seconds: dict[str, float], *, measured: bool) -> dict[str, Any]:
    """What all descriptions without a caption take: counts, tokens, cost and seconds; None where it can't be told."""
    if rewriter is None:
        left = collection.descriptions.filter(caption__isnull=True).count()
        return {"descriptions": left, "seconds": left * sum(seconds.values())}
    from queries.rewriting.cost_estimates import estimate
    from queries.rewriting.costs import prices_from
    from queries.rewriting.llm_settings import environ_of

    expected = estimate(collection=collection, rewriter=rewriter, prices=prices_from(environ_of(collection)))
    # Requests are under way side by side, and answers are checked meanwhile.
    asking = expected.texts * seconds["rewriting"] / rewriter.patience.concurrency if measured else 0.0
    figures = asdict(expected)
    figures["cost"] = None if expected.cost is None else str(expected.cost.quantize(Decimal("0.0001")))
    lasts = max(asking, expected.descriptions * seconds["checking"]) if measured else None
    return {**figures, "seconds": lasts, "model": rewriter.model, "server": rewriter.chat.place}
