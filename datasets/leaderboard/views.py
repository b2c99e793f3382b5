"""Leaderboard pages: table, upload, a run's queries."""

from django.contrib import messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseBase,
)
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.figure_tables import on_page
from annotation.models import SamplingDesign
from annotation.scale import scale_of
from datasets.leaderboard.example_figure import compared_queries, draw_comparison, pictures_of
from datasets.leaderboard.plan_came import promised_and_came
from datasets.leaderboard.rights import may_manage, may_show, run_of, split_of
from datasets.leaderboard.run_manifests import curve_of, summary_of
from datasets.leaderboard.runs import RunNameTaken, add_run, open_board, progress_of_run
from datasets.leaderboard.scoring import withdraw_run
from datasets.leaderboard.selectors import (
    ANSWER_ORDERS,
    OVERLAPS,
    ROW,
    answers_of,
    board_rows,
    draw_query,
    sort_measure,
)
from datasets.leaderboard.systems_table import systems_table
from datasets.models import Board, Run, RunAnswer
from datasets.releases.access import may_see_truth, sharing_of
from datasets.releases.selectors import facts_of
from datasets.templatetags.measures import as_measure
from foundation.access.guards import member_required, takes_uploads
from foundation.access.pages import PageFacts, member_page, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.list_pages import list_page
from foundation.models import Membership
from foundation.refused import Refused
from queries.runs.received_run import run_attached

PAGE = 50


TEMPLATE = "datasets/board.html"


@member_page(TEMPLATE)
def board(request: HttpRequest, member: Membership, release_id: int, split: str) -> PageFacts:
    """The leaderboard of a released split, with an upload form; for members with whom the release is shared."""
    return _facts(request, member, release_id, split)


def _facts(
    request: HttpRequest, member: Membership, release_id: int, split: str, wrong: dict[str, str] | None = None
) -> PageFacts:
    """The page, with what is `wrong` in the form that was sent, by field."""
    release = split_of(member, release_id, split)
    # The board comes into being with its first run: looking at a page writes nothing.
    board = Board.objects.filter(release=release, split=split).first()
    board = board or Board(release=release, split=split, measures=[])
    sort = sort_measure(board, request.GET.get("sort", ""))
    if board.pk is None:
        waiting = Run.objects.none()
    else:
        waiting = Run.objects.filter(board=board, withdrawn_at=None).exclude(state=Run.State.SCORED).order_by("-pk")
    if not member.leads:
        waiting = waiting.filter(member=member)
    return {
        "release": facts_of(board.release),
        "split": board.split,
        "sort": sort,
        "queries": release.manifest["counts"][split]["queries"],
        "truth_hidden": sharing_of(board.release).hide_test and board.split == "test",
        "rows": board_rows(board, sort=sort) if board.pk else [],
        "systems": systems_table(release),
        "came": promised_and_came(release.collection, [release]) if member.leads else None,
        # Annotators learn nothing of how much is drawn.
        "of_pairs": member.leads and release.manifest.get("sampling", {}).get("unit") == SamplingDesign.Unit.PAIR,
        "waiting": [{"id": run.pk, "name": str(run), **progress_of_run(run)} for run in waiting],
        "heads": [(measure, as_measure(measure)) for measure in board.measures],
        "wrong": wrong or {},
        "sent": request.POST,
        "same_names": (
            ("", gettext("Ask me")),
            ("replace", gettext("Replace the old run")),
            ("version", gettext("Keep both, as versions")),
        ),
    }


@takes_uploads("members")
@require_POST
@member_required
def upload(request: HttpRequest, member: Membership, release_id: int, split: str) -> HttpResponse:
    """Store a run's file and have a worker score it; for members with whom the release is shared."""
    release = split_of(member, release_id, split)
    file = request.FILES.get("file")
    wrong: dict[str, str] = {}
    if file is None:
        wrong = {"file": gettext("Choose a file.")}
    else:
        try:
            run = add_run(
                board=open_board(release=release, split=split),
                member=member,
                file=file,
                file_name=file.name or "run",
                manifest=request.FILES.get("manifest"),
                videos=request.FILES.get("videos"),
                name=request.POST.get("run_name", ""),
                same_name=request.POST.get("same_name", ""),
                family=request.POST.get("family", ""),
            )
        except RunNameTaken as taken:
            wrong = {"same_name": str(taken), "file": gettext("Nothing was changed. Choose the file again.")}
        except Refused as refusal:
            wrong = {refusal.field or "file": str(refusal)}
    if wrong:
        return render_facts(request, member, TEMPLATE, _facts(request, member, release_id, split, wrong), status=400)
    if not run.finished:
        ask_on_page(request, run)
    return redirect("run", member.collection.name, run.pk)


@member_page("datasets/run.html")
def run(request: HttpRequest, member: Membership, run_id: int) -> PageFacts:
    """A run's progress; once scored its measures and, for those who may see the ground truth, its queries."""
    run = run_of(member, run_id)
    drill = may_see_truth(member, run.board)
    measure = sort_measure(run.board, request.GET.get("measure", ""))
    order = request.GET.get("order", "")
    order = order if order in ANSWER_ORDERS else "worst"
    page = None
    if drill and run.state == Run.State.SCORED:
        page = list_page(answers_of(run, measure=measure), request.GET, ANSWER_ORDERS[order], size=PAGE)
    return {
        "release": facts_of(run.board.release),
        "split": run.board.split,
        "run": {
            "id": run.pk,
            "name": str(run),
            # What their machine calls it may say who somebody is.
            "file_name": run.file_name if may_manage(member, run) else None,
            "sha256": run.sha256,
            "state": run.state,
            "problem": run.problem,
            "uploaded_at": run.asked_at,
            "worker": run.member.worker if run.member else "",
            "unanswered": run.unanswered,
            "unknown": run.unknown,
            "predictions": run.predictions,
            "withdrawn_at": run.withdrawn_at,
            "public": run.public,
            "manifest": run.manifest,
        },
        "progress": progress_of_run(run),
        "measures": run.board.measures,
        "measure": measure,
        "order": order,
        "queries": list(page or ()),
        "cards": [(as_measure(name), run.values.get(name)) for name in run.board.measures],
        "page": page,
        "drill": drill,
        "mine": may_manage(member, run),
        "decides": may_show(member, run),
        "made_by": summary_of(run.manifest),
        "curve": on_page(curve) if (curve := curve_of(run.manifest)) else None,
    }


@require_POST
@member_required
def withdraw(request: HttpRequest, member: Membership, run_id: int) -> HttpResponse:
    """Withdraw a run from its board; for its uploader and leads."""
    run = run_of(member, run_id)
    if not may_manage(member, run):
        raise Http404("no such run")
    withdraw_run(run=run)
    messages.success(request, gettext("%(found)s is no longer on the board.") % {"found": run})
    return redirect("board", member.collection.name, run.board.release_id, run.board.split)


@require_safe
@member_required
def run_file(request: HttpRequest, member: Membership, run_id: int) -> HttpResponseBase:
    """A run's file as uploaded; for its uploader and leads."""
    run = run_of(member, run_id)
    return run_attached(run.stored_file if may_manage(member, run) else "", run.file_name)


@require_safe
@member_required
def figure(request: HttpRequest, member: Membership, run_id: int) -> HttpResponse:
    """Chosen queries of a run with ground truth, predictions and matches as SVG; not where the truth is hidden."""
    run = run_of(member, run_id)
    if not may_see_truth(member, run.board) or run.state != Run.State.SCORED:
        raise Http404("no such figure")
    asked = {name: request.GET.get(name, "") for name in ("queries", "depth", "overlap")}
    try:
        measure, compared = compared_queries(run, **asked)
    except Refused as refused:
        return HttpResponseBadRequest(f"The figure isn't drawn: {refused}.", content_type="text/plain; charset=utf-8")
    depth = int(asked["depth"] or 10)
    pictures = pictures_of(compared, depth=depth) if request.GET.get("pictures") else None
    scale = scale_of(member.collection)
    drawn = draw_comparison(measure, compared, scale=scale, depth=depth, title=f"{run}: {measure}", pictures=pictures)
    response = HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{member.collection.name}-run-{run.pk}.svg"'
    return response


@member_page("datasets/run_query.html")
def query(request: HttpRequest, member: Membership, run_id: int, answer_id: int) -> PageFacts:
    """One query of a run: ground truth left, predictions right, matches between; not where the truth is hidden."""
    run = run_of(member, run_id)
    if not may_see_truth(member, run.board):
        raise Http404("no such query")
    answers = RunAnswer.objects.select_related("query").filter(run=run)
    answer = get_object_or_404(answers, pk=answer_id)
    overlap = request.GET.get("iou", "")
    overlap = overlap if overlap in OVERLAPS else "0.5"
    position = answer.query.position
    near = dict(answers.filter(query__position__in=[position - 1, position + 1]).values_list("query__position", "pk"))
    drawing = draw_query(answer, member.collection, overlap=overlap)
    return {
        "release": facts_of(run.board.release),
        "split": run.board.split,
        "run": {"id": run.pk, "name": str(run)},
        "query": {"id": answer.pk, "query_id": answer.query.query_id, "text": answer.query.text},
        "overlap": overlap,
        "drawing": drawing,
        "cards": [(as_measure(name), value) for name, value in zip(run.board.measures, answer.values, strict=True)],
        "before": near.get(position - 1),
        "after": near.get(position + 1),
        "overlaps": OVERLAPS,
        "row": ROW,
    }
