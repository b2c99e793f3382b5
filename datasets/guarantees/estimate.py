"""Jobs that estimate a split's scores from people's judgments and a machine's, by `evaluation.guarantees`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import MachineJudge
from datasets.certificates.systems import BOARD, System, read_systems, systems_of
from datasets.guarantees.truths import MachineTruth, machine_truth, made_for_judged, sample_of
from datasets.leaderboard.run_manifests import family_of
from datasets.models import BoardEstimate, Release, Run
from datasets.releases.archive import DamagedArchive
from datasets.releases.file_cache import file_on_disk
from evaluation import EvaluationError
from evaluation import Run as RunRead
from evaluation.arrays import json_ready
from evaluation.guarantees.board import Board, boards
from evaluation.guarantees.circularity import circularity, same_family
from evaluation.measures.usual import usual_measures
from evaluation.reading import read_ground_truth
from foundation.infra.jobs import JobProgress, job_task
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Query

WHAT = "estimated with a machine's help, no ground truth"
LONGEST_FAMILY = 100


def judge_named(collection: Collection, name: str) -> MachineJudge:
    """The collection's judge of this name. Raises: Refused."""
    judge = MachineJudge.objects.filter(collection=collection, name=name).first()
    if judge is None:
        raise Refused(_("There is no machine judge %(name)s here.") % {"name": repr(name)}, field="judge")
    return judge


def families_of(systems: list[System]) -> dict[str, str]:
    """The families that runs declare, by the systems' names; "" where none is."""
    rows = Run.objects.in_bulk([system["id"] for system in systems if system["from"] == BOARD])
    return {
        system["name"]: family_of(rows[system["id"]].manifest) if system["from"] == BOARD else "" for system in systems
    }


def ask_for_estimate(
    *, release: Release, split: str, judge: MachineJudge, families: Mapping[str, str] | None = None
) -> BoardEstimate:
    """Record a job to estimate the scores of a split's runs; the caller sends it.

    Args: families: of runs by name, in place of what they declare themselves.
    Raises: Refused if the judge is retired, no run is there or a family is named of one that isn't, or another estimate
        of this release is under way.
    """
    if judge.retired_at is not None:
        raise Refused(_("%(judge)s is retired: its grades are used no more.") % {"judge": judge.name}, field="judge")
    systems = systems_of(release).get(split, [])
    if not systems:
        raise Refused(
            _("There is no run of %(split)s: upload one to its leaderboard, or add one to the pool.") % {"split": split}
        )
    known = families_of(systems)
    given = {name: " ".join(family.split()) for name, family in (families or {}).items()}
    for name, family in given.items():
        if name not in known:
            raise Refused(
                _("There is no run %(name)s of %(split)s.") % {"name": repr(name), "split": split}, field="families"
            )
        if len(family) > LONGEST_FAMILY:
            raise Refused(
                _("The family of %(name)s has %(found)s characters, expected at most %(most)s.")
                % {"name": name, "found": len(family), "most": LONGEST_FAMILY},
                field="families",
            )
    try:
        with transaction.atomic():
            return BoardEstimate.objects.create(
                release=release, split=split, judge=judge, systems=systems, families=known | given
            )
    except IntegrityError as error:
        raise Refused(
            _("Another estimate of this release is under way: wait until it has ended, or stop it.")
        ) from error


@job_task(BoardEstimate, bounded=True)
def estimate_board(job: BoardEstimate, progress: JobProgress) -> None:
    """Estimate, and keep the result on the job's row. Begun again it finds the same. Raises: Refused."""
    try:
        job.result = json_ready(_estimated(job, progress))
    except (EvaluationError, DamagedArchive) as fault:
        raise Refused(str(fault)) from fault
    job.said = job.result["boards"][job.result["measures"][0]]["in_words"] or "Estimated."
    BoardEstimate.objects.filter(pk=job.pk).update(result=job.result, said=job.said)


def _estimated(job: BoardEstimate, progress: JobProgress) -> dict[str, Any]:
    release, split, judge = job.release, job.split, job.judge
    progress.note(step="Reading the judgments.", done=0, total=0)
    with file_on_disk(release, f"{split}.json") as path:
        people = read_ground_truth(path)
    machine = machine_truth(release, split, judge)
    queries = machine.truth.query_ids
    sample = sample_of(release, split, people.index, queries)
    measures = usual_measures(people)
    total = len(job.systems) + len(measures)
    runs: list[RunRead] = []
    left_out = []
    for done, run in enumerate(read_systems(release, split, job.systems, machine.truth), start=1):
        progress.note(step="Reading the runs:", done=done, total=total)
        partly = made_for_judged(run, people.index, queries)
        if partly is None:
            runs.append(run)
        else:
            left_out.append({"run": run.name, "judged": partly[0], "others": partly[1]})
    if not runs:
        raise Refused(_only_judged(left_out, sample))
    found = boards(
        people,
        machine.truth,
        runs,
        measures,
        progress=lambda count: progress.note(step="Scoring:", done=len(job.systems) + count, total=total),
    )
    return {**_told(job, machine), "sample": sample, "left_out": left_out, **_of_boards(job, found)}


def _only_judged(left_out: list[dict[str, Any]], sample: Mapping[str, Any]) -> str:
    first = left_out[0]
    return _(
        "Every run was made for the queries that people judged: %(run)s, for instance, answers %(own)s of these "
        "%(judged)s and %(others)s of the other %(rest)s. A machine helps only where runs answer all queries of the "
        "split: upload runs over all of them, or add them to the pool."
    ) % {
        "run": first["run"],
        "own": first["judged"],
        "judged": sample["judged"],
        "others": first["others"],
        "rest": sample["queries"] - sample["judged"],
    }


def _told(job: BoardEstimate, machine: MachineTruth) -> dict[str, Any]:
    judge = job.judge
    facts = ("name", "model", "version", "family", "prompt_version")
    return {
        "what": WHAT,
        "collection": job.release.collection.name,
        "release": job.release.name,
        "content_hash": job.release.content_hash,
        "split": job.split,
        "judge": {name: getattr(judge, name) for name in facts},
        "machine": {name: getattr(machine, name) for name in ("depth", "pairs", "abstained", "deeper")},
        "rankers": _rankers(job),
    }


def _rankers(job: BoardEstimate) -> list[str]:
    """The encoders of the judge's family that ranked candidates of the split: name without the weights' fingerprint."""
    rows = Query.objects.filter(collection=job.release.collection_id, split=job.split).exclude(ranked_by="")
    names = {name.partition("@")[0] for name in rows.order_by().values_list("ranked_by", flat=True).distinct()}
    return sorted(name for name in names if same_family(name, job.judge.family))


def _of_boards(job: BoardEstimate, found: list[Board]) -> dict[str, Any]:
    """By measure what `Board` has, the best run first, with what it says of itself and of the judge's family."""
    by_run = {system["name"]: job.families.get(system["name"], "") for system in job.systems}
    told = {}
    for board in found:
        compared = circularity(board, by_run, job.judge.family)
        told[board.measure] = {
            **asdict(board),
            "differences": [{**asdict(own), "settled": own.settled} for own in board.differences],
            "chain": board.chain,
            "in_words": board.in_words,
            "rest": asdict(board.rest) if board.rest else None,
            "family": {**asdict(compared), "suspect": compared.suspect},
        }
    return {"measures": list(told), "families": by_run, "boards": told}


def estimates_of(collection: Collection) -> QuerySet[BoardEstimate]:
    """A collection's estimates, without their results, which are long."""
    rows = BoardEstimate.objects.filter(release__collection=collection).defer("result")
    return rows.select_related("judge", "release__collection")
