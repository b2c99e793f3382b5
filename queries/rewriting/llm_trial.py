"""Try an LLM: one small real request, by a worker, as the settings have it."""

import time
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from foundation.counted import counted
from foundation.infra.jobs import JobProgress, job_task
from foundation.models import Collection
from queries.models import LlmServer, LlmTrial
from queries.rewriting.decoding import seed_of, temperature_of
from queries.rewriting.llm_settings import llm_settings, server_settings
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.llm import OpenAIRewriter
from queries.rewriting.rewriters.prompting import Request

SENTENCE = "Rachel opens the door."
PATIENCE_SECONDS = 20.0


def ask_for_trial(*, server: LlmServer | None = None, collection: Collection | None = None) -> LlmTrial:
    """The trial of a server, or of a collection's settings, as one that waits for a worker; the caller sends it."""
    trial, _ = LlmTrial.objects.update_or_create(
        server=server,
        collection=collection,
        defaults={
            **{"state": LlmTrial.State.QUEUED, "said": "", "problem": "", "due_at": None, "begun": 0},
            **{"started_at": None, "finished_at": None, "touched_at": None},
        },
    )
    return trial


@job_task(LlmTrial)
def run_trial(trial: LlmTrial, progress: JobProgress) -> None:
    """Ask once, and note what came."""
    progress.note()
    settings = server_settings(trial.server) if trial.server else llm_settings(trial.collection)
    if not settings.is_remote:
        raise RewriterError(_("No LLM is set, so rules rewrite."))
    rewriter = OpenAIRewriter.from_environ(settings.environ)
    # A person waits: no second try, and no minutes.
    rewriter.chat.patience = replace(
        rewriter.patience, tries=1, timeout=min(rewriter.patience.timeout, PATIENCE_SECONDS), longest_wait=0
    )
    rewriter.chat.key_from = settings.key_from
    began = time.monotonic()
    outcome = rewriter.ask(Request((SENTENCE,), 1, temperature_of(1), seed_of(1)))
    seconds = time.monotonic() - began
    if outcome.completion is None:
        raise RewriterError(outcome.problem)
    caption, fault = outcome.captions.get("1", (None, outcome.problem))
    result = f"“{caption}”" if caption else f"no caption: {fault}"
    tokens = _tokens(outcome.completion)
    trial.said = f"{rewriter.model} at {rewriter.chat.place} answered in {seconds:.1f} s{tokens}: {result}"
    trial.save(update_fields=["said"])


def _tokens(completion: Any) -> str:
    if completion.tokens_in is None or completion.tokens_out is None:
        return ""
    return f", {counted(completion.tokens_in, 'token')} sent and {completion.tokens_out:,} answered"
