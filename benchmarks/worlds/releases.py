"""What comes after judging, in a generated collection: training candidates, two releases, a board, a certificate.

The candidates are drawn; releases and scores are made by the services that make everybody's.
"""

import io
import json
import tempfile
import time
from typing import Any

QUERIES = 69_317
"""Pseudo-training queries of the paper."""
DEPTH = 40
STRIDE = 7919
"""Between a query's candidates, in captions; a prime."""
OFF = 0.2
"""The share of a run's predictions that miss their moment."""


def draw_training(name: str, *, queries: int = QUERIES) -> None:
    """So many training queries of the collection, and the arrays of their candidates, as `fetch_candidates` leaves
    them."""
    import numpy as np
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    from corpus.models import Description
    from foundation.models import Collection
    from queries.models import Caption
    from queries.pooling.candidates import training_file
    from queries.pooling.query_selection import training_descriptions

    collection = Collection.objects.get(name=name)
    ids = list(training_descriptions(collection).order_by("pk").values_list("pk", flat=True))
    # As in TVR, the other descriptions are of other kinds: in the pool, and no queries.
    Description.objects.filter(pk__in=ids[queries:]).update(kind="t")
    rows = np.array(ids[:queries], dtype=np.int64)
    accepted = Caption.objects.filter(description__collection=collection, status="accepted")
    known = list(accepted.order_by("pk").values_list("pk", "description_id", "description__moment_id"))
    captions = {description: pk for pk, description, _ in known}
    pool = np.array([pk for pk, _, _ in known], dtype=np.int64)
    moments = np.array([moment for _, _, moment in known], dtype=np.int64)
    dice = np.random.default_rng(1)
    # Its own caption first, then others at distances that meet none twice.
    own = np.searchsorted(pool, [captions[pk] for pk in rows.tolist()])
    chosen = pool[(own[:, None] + np.arange(DEPTH) * STRIDE) % len(pool)]
    similarities = np.sort(dice.random((len(rows), DEPTH), dtype=np.float32), axis=1)[:, ::-1]
    buffer = io.BytesIO()
    np.savez(
        buffer,
        descriptions=rows,
        moments=moments[np.searchsorted(pool, chosen)],
        captions=chosen,
        similarities=similarities,
        encoder="",
        search=0,
    )
    default_storage.save(training_file(collection), ContentFile(buffer.getvalue()))


def release_twice(name: str) -> dict[str, float]:
    """A release that a lead asks for, some discarded pairs adjudicated, and one with those. Returns: the seconds of
    each, by its name. Not inside a transaction."""
    from annotation.models import Pair
    from annotation.review.adjudication import adjudicate_pair
    from datasets.formats import DEFAULT_FORMATS
    from datasets.models import ReleaseJob
    from datasets.releases.jobs import ask_for_release, make_asked_release
    from datasets.releases.make_release import create_release
    from foundation.models import Collection

    collection: Any = Collection.objects.get(name=name)
    lead = collection.memberships.filter(role="lead")[0]
    took = {}
    began = time.perf_counter()
    job = ask_for_release(member=lead, name="v1", formats=list(DEFAULT_FORMATS), without_undecided=True)
    make_asked_release(job.pk)
    took["v1"] = round(time.perf_counter() - began, 1)
    done = ReleaseJob.objects.get(pk=job.pk)
    assert done.state == "done", done.problem
    discarded = Pair.objects.filter(batch__collection=collection, status="discarded").order_by("pk")
    for pair in discarded.values_list("pk", flat=True)[::4]:
        adjudicate_pair(member=lead, pair_id=pair, grade=2, reason="Two of the four saw it so.")
    began = time.perf_counter()
    create_release(collection=collection, name="v2", adjudicated=True)
    took["v2"] = round(time.perf_counter() - began, 1)
    return took


def publish_first(name: str) -> None:
    """The first release, published to a folder that goes again: the history of it stays."""
    from django.core.management import call_command

    with tempfile.TemporaryDirectory(prefix="qreels-bench-") as folder:
        call_command("publish_release", name, "v1", folder, stdout=io.StringIO(), stderr=io.StringIO())


def score_runs(name: str) -> float:
    """Two systems' runs on the test split of the first release, scored and compared; then its certificate.

    Returns: seconds of scoring and comparing.
    """
    from datasets.certificates.jobs import certify_release, newest_done, record_certificate
    from datasets.leaderboard.runs import add_run, open_board
    from datasets.leaderboard.scoring import score_stored_run
    from datasets.models import Run
    from foundation.models import Collection

    collection: Any = Collection.objects.get(name=name)
    lead = collection.memberships.filter(role="lead")[0]
    board = open_board(release=collection.releases.get(name="v1"), split="test")
    seconds = 0.0
    for seed, system in enumerate(("exhaustive", "two-stage")):
        file = io.BytesIO(_run_of(board, seed))
        began = time.perf_counter()
        run = add_run(board=board, member=lead, file=file, file_name=f"{system}.jsonl")
        score_stored_run(run_id=run.pk)
        seconds += time.perf_counter() - began
        scored = Run.objects.get(pk=run.pk)
        assert scored.state == "scored", scored.problem
    asked, _ = record_certificate(board.release)
    assert asked is not None
    certify_release(asked.pk)
    assert newest_done(board.release) is not None
    _estimate(board)
    return round(seconds, 1)


def _estimate(board: Any) -> None:
    """The board estimated with the help of a machine judge that has graded everything."""
    from django.db.models import IntegerField, Value
    from django.db.models.functions import Cast, Mod

    from annotation.models import MachineJudge, MachineJudgment
    from datasets.guarantees.estimate import ask_for_estimate, estimate_board
    from datasets.models import BoardEstimate
    from queries.models import Candidate

    collection = board.release.collection
    judge = MachineJudge.objects.create(collection=collection, name="ranks", kind="file", model="m", family="CLIP")
    candidates = Candidate.objects.filter(query__collection=collection, query__split=board.split)
    graded = candidates.annotate(said=Cast(Mod("rank", Value(5)), IntegerField())).values_list("pk", "said")
    said = (MachineJudgment(judge=judge, candidate_id=pk, grade=grade) for pk, grade in graded.iterator())
    MachineJudgment.objects.bulk_create(said, batch_size=5_000)
    job = ask_for_estimate(release=board.release, split=board.split, judge=judge)
    estimate_board(job.pk)
    job.refresh_from_db()
    assert job.state == BoardEstimate.State.DONE, job.problem


def hold_campaign(name: str, *, teams: int = 3) -> None:
    """A campaign over the first release's test split: teams of one person with a run each, compared and exported."""
    from datetime import timedelta

    from campaigns.archive.jobs import ask_for_export, export_campaign
    from campaigns.comparison.compare import ask_for_comparison, compare_campaign
    from campaigns.planning.campaigns import make_campaign
    from campaigns.submissions.jobs import check_submission
    from campaigns.submissions.receive import receive
    from campaigns.teams.joining import join_team, make_link
    from campaigns.teams.teams import NewTeam, make_teams
    from foundation.access.arrival_time import database_now
    from foundation.models import Account, Collection

    collection: Any = Collection.objects.get(name=name)
    lead = collection.memberships.filter(role="lead")[0]
    release, now, day = collection.releases.get(name="v1"), database_now(), timedelta(days=1)
    campaign = make_campaign(
        member=lead, name=f"{name}-task", title="A task", split="test", release=release,
        opens_at=now - day, closes_at=now + day, results_at=now + 2 * day,
    )  # fmt: skip
    board = release.boards.get(split="test")
    for seed, team in enumerate(make_teams(campaign=campaign, teams=[NewTeam(f"Team {n}") for n in range(teams)])):
        account = Account.objects.create(username=f"{name}-team-{team.number}")
        join_team(token=make_link(team=team, by=None).token, account=account)
        file = io.BytesIO(_run_of(board, seed))
        run = receive(team=team, account=account, file=file, file_name="run.jsonl", name="one", begun_at=now)
        check_submission(run.pk)
        run.refresh_from_db()
        assert run.state == "accepted", run.faults
    comparison, _ = ask_for_comparison(campaign=campaign, member=lead)
    assert comparison is not None
    compare_campaign(comparison.pk)
    export_campaign(ask_for_export(campaign=campaign, member=lead).pk)


def _run_of(board: Any, seed: int) -> bytes:
    """Every query's judged moments in an order of luck and grade, some of them missed by some seconds."""
    import numpy as np

    dice = np.random.default_rng(seed)
    rows = []
    for query_id, moments in board.queries.order_by("position").values_list("query_id", "moments"):
        luck = dice.random((len(moments), 2))
        scores = [moment["relevance"] / 4 + by for moment, by in zip(moments, luck[:, 0].tolist(), strict=True)]
        rows.append(
            {
                "query_id": query_id,
                "predictions": [
                    {
                        "video_name": moments[place]["video_name"],
                        "timestamp": [
                            second + 9 * bool(luck[place, 1] < OFF) for second in moments[place]["timestamp"]
                        ],
                        "score": round(scores[place], 6),
                    }
                    for place in sorted(range(len(moments)), key=lambda place: -scores[place])
                ],
            }
        )
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
