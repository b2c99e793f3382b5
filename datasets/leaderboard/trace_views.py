"""What the grades of a query rest on, and a run's score with them, from a release's files: a page, and W3C PROV."""

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header

from datasets.leaderboard.rights import run_of
from datasets.models import Release, Run, RunAnswer
from datasets.releases.access import files_for, may_see_truth
from datasets.releases.file_cache import file_on_disk
from datasets.releases.selectors import facts_of, release_of
from evaluation import EvaluationError, GroundTruth, JudgedMoment, Prediction, Threshold
from evaluation import Run as RunRead
from evaluation.releases.manifest import MANIFEST
from evaluation.releases.trace import FURTHER, NEEDED, Scored, Trace, trace_query
from evaluation.releases.trace_as_prov import as_prov
from evaluation.releases.trace_in_words import in_words
from evaluation.releases.trace_score import found_moments
from evaluation.releases.untrusted_files import RAW
from foundation.access.pages import PageFacts, member_page, render_facts
from foundation.models import Membership
from foundation.refused import Refused

TEMPLATE = "datasets/trace.html"
BOUNDARY = Threshold(0.5, strict=False)
"""At which the page says what a run found, as a query's page first does."""


@member_page(TEMPLATE)
def trace(request: HttpRequest, member: Membership, release_id: int) -> PageFacts | HttpResponse:
    """The score of `run` on `query`, where one is named, down to each judgment; whoever may have the raw judgments.

    With `jsonld` it is a file, of W3C PROV.
    """
    release, run = _asked(request, member, release_id)
    query = request.GET.get("query", "").strip()
    facts: PageFacts = {"release": facts_of(release), "run": run, "query": query, "wrong": "", "sections": []}
    if not query:
        return facts
    try:
        traced, scored = _traced(release, run, query)
    except Refused as refusal:
        return render_facts(request, member, TEMPLATE, {**facts, "wrong": str(refusal)}, status=400)
    if "jsonld" in request.GET:
        return _as_file(release, query, as_prov(traced, scored))
    return {**facts, "sections": in_words(traced, scored)}


def _as_file(release: Release, query: str, document: dict[str, Any]) -> HttpResponse:
    response = HttpResponse(json.dumps(document, indent=1), content_type="application/ld+json")
    name = f"{release.collection.name}-{release.name}-{query}.jsonld"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response


def _asked(request: HttpRequest, member: Membership, release_id: int) -> tuple[Release, Run | None]:
    """The release, and the run on one of its boards that is named. Raises: Http404 for what the member may not see."""
    release = release_of(member, release_id)
    if RAW not in files_for(member, release):
        raise Http404("no such release")
    if not (asked := request.GET.get("run", "")):
        return release, None
    run = run_of(member, int(asked)) if asked.isascii() and asked.isdecimal() and len(asked) < 10 else None
    if run is None or run.board.release_id != release.pk or not may_see_truth(member, run.board):
        raise Http404("no such run")
    return release, run


def _traced(release: Release, run: Run | None, query: str) -> tuple[Trace, Scored | None]:
    """Raises: Refused for an unknown query, and where the release's archive is damaged; Http404 for no answer of it."""
    with TemporaryDirectory(prefix="qreels-trace-") as folder:
        for name in (MANIFEST, *NEEDED, *FURTHER):
            if name in release.files:
                with file_on_disk(release, name) as path:
                    shutil.move(path, folder)
        try:
            traced = trace_query(Path(folder), query)
        except EvaluationError as error:
            raise Refused(str(error)) from error
    return traced, None if run is None else _scored(run, query)


def _scored(run: Run, query: str) -> Scored:
    answer = get_object_or_404(RunAnswer.objects.select_related("query"), run=run, query__query_id=query)
    judged = [
        JudgedMoment(moment["video_name"], start, end, moment["relevance"], str(moment["pair_id"]))
        for moment in answer.query.moments
        for start, end in [moment["timestamp"]]
    ]
    read = RunRead.of("run", [(query, [Prediction(*given) for given in answer.predictions])])
    found = found_moments(GroundTruth.of([(query, judged)]), read, query, BOUNDARY)
    values = dict(zip(run.board.measures, answer.values, strict=True))
    return Scored(str(run), run.sha256, values, found, str(BOUNDARY))
