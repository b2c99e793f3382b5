"""Everything of a campaign as files of a folder: the same campaign gives the same files."""

import csv
import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage

from campaigns.archive.layout import FORMAT, MANIFEST, run_ending, run_name
from campaigns.archive.readme import readme
from campaigns.comparison.compare import DRAWS, SEED, comparison_of
from campaigns.comparison.tables import (
    PAIR_COLUMNS,
    RESULT_COLUMNS,
    TOPIC_COLUMNS,
    pair_lines,
    result_lines,
    topic_lines,
)
from campaigns.models import Campaign, Submission, Team
from campaigns.pooled.put_in_pool import system_in_pool, team_in_pool
from campaigns.results.board import standing_scores
from campaigns.submissions.receive import standing
from campaigns.topics.files import FILES
from datasets.content.moment_locations import MomentLocation
from datasets.formats.material import moment_id, topic_id
from datasets.releases.archive import CHUNK, files_in, sha256_of
from datasets.releases.file_cache import file_on_disk
from evaluation.releases.untrusted_files import read_records
from foundation.infra.csv_escape import safe_row
from foundation.refused import Refused

Written = Callable[[int], object]
TEAM_COLUMNS = ("number", "team", "affiliation", "anonymous", "in_pool", "runs", "disqualified_at", "reason")
SUBMISSION_COLUMNS = (
    *("number", "team_number", "team", "run", "in_pool", "state", "counts", "priority", "late", "sent_at"),
    *("format", "predictions", "unanswered", "size", "sha256", "file", "withdrawn_at", "excluded_at", "reason"),
)


def write_campaign(campaign: Campaign, folder: Path, written: Written = lambda files: None) -> None:
    """Write all files of a campaign into an empty folder.

    Args: written: called with the number of files written since the last call.
    Raises: Refused if a run's file is missing or another; DamagedArchive of the release.
    """
    teams = list(campaign.teams.order_by("number"))
    runs = list(Submission.objects.filter(team__campaign=campaign).select_related("team__campaign").order_by("pk"))
    names = {team.pk: team.shown_name for team in teams}
    paths = _write_runs(folder, runs, written)
    counted = {run.pk for run in standing(campaign)}
    _text(folder / "rules.md", campaign.rules.strip() + "\n")
    for name, file in FILES.items():
        _text(folder / "topics" / name, file.text(campaign))
    _table(folder / "teams.csv", TEAM_COLUMNS, (_team_row(team, runs) for team in teams))
    _table(
        folder / "submissions.csv",
        SUBMISSION_COLUMNS,
        (_submission_row(run, names, paths.get(run.pk, ""), run.pk in counted) for run in runs),
    )
    _write_results(campaign, folder, names)
    truth = _write_truth(campaign, folder / "truth")
    about = _about(campaign, teams, runs, counted, truth)
    _json(folder / "campaign.json", about)
    _text(folder / "README.md", readme(campaign, about))
    _write_manifest(campaign, folder)
    written(1)


def _write_runs(folder: Path, runs: Sequence[Submission], written: Written) -> dict[int, str]:
    """The files of accepted runs that nobody withdrew or excluded, and every run's report. Returns: their paths."""
    paths = {}
    for run in runs:
        name = run_name(run.team.number, run.pk, run.name)
        _json(folder / "checks" / f"{name}.json", _report(run))
        if run.state == Submission.State.ACCEPTED and run.withdrawn_at is None and run.excluded_at is None:
            paths[run.pk] = _copy_run(folder, run, f"runs/{name}")
        written(1)
    return paths


def _copy_run(folder: Path, run: Submission, name: str) -> str:
    if not run.stored_file or not default_storage.exists(run.stored_file):
        raise Refused(f"The file of the run {run} of {run.team} is no longer in the storage.")
    with default_storage.open(run.stored_file, "rb") as stored:
        path = name + run_ending(run.format, stored.read(2))
        stored.seek(0)
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as copy:
            shutil.copyfileobj(stored, copy, CHUNK)
    with target.open("rb") as file:
        sha256, _ = sha256_of(file)
    if sha256 != run.sha256:
        raise Refused(f"The file of the run {run} of {run.team} is damaged: SHA-256 {sha256}, expected {run.sha256}.")
    return path


def _report(run: Submission) -> dict[str, Any]:
    return {
        "run": run.name,
        "file_name": run.file_name,
        "sha256": run.sha256,
        "size": run.size,
        "sent_at": told(run.begun_at),
        "state": run.state,
        "problem": run.problem,
        "faults": run.faults,
        "format": run.format,
        "predictions": run.predictions,
        "unanswered": run.unanswered,
        "description": run.description,
    }


def _team_row(team: Team, runs: Iterable[Submission]) -> list[Any]:
    of_team = sum(run.team_id == team.pk for run in runs)
    affiliation = "" if team.anonymous else team.affiliation
    return [
        *(team.number, team.shown_name, affiliation, int(team.anonymous), team_in_pool(team), of_team),
        *(told(team.disqualified_at), team.disqualified_reason),
    ]


def _submission_row(run: Submission, names: Mapping[int, str], path: str, counts: bool) -> list[Any]:
    return [
        *(run.pk, run.team.number, names[run.team_id], run.name, system_in_pool(run), run.state, int(counts)),
        *(run.priority, int(run.late), told(run.begun_at), run.format, run.predictions, run.unanswered, run.size),
        *(run.sha256, path, told(run.withdrawn_at), told(run.excluded_at), run.excluded_reason),
    ]


def _write_results(campaign: Campaign, folder: Path, names: Mapping[int, str]) -> None:
    """Scores and significance; nothing where there are none."""
    for name, columns, lines in (
        ("results.csv", RESULT_COLUMNS, result_lines(campaign, to_organiser=False)),
        ("topics.csv", TOPIC_COLUMNS, topic_lines(campaign, names=names)),
        ("pairs.csv", PAIR_COLUMNS, pair_lines(campaign, names=names)),
    ):
        rows = iter(lines)
        first = next(rows, None)
        if first is not None:
            _table(folder / "results" / name, columns, chain([first], rows))


def _write_truth(campaign: Campaign, folder: Path) -> list[str]:
    """The release's judged topics of the split, as far as it has them as files. Returns: their names."""
    release = campaign.release
    if release is None:
        return []
    known = (f"{campaign.split}.json", f"trec/qrels.{campaign.split}.txt", "pool.csv", "manifest.json")
    names = []
    for path in known:
        if path in release.files:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with file_on_disk(release, path) as copy:
                shutil.copyfile(copy, target)
            names.append(path)
    if f"trec/qrels.{campaign.split}.txt" not in names and f"{campaign.split}.json" in names:
        _write_qrels(folder / f"{campaign.split}.json", folder / "trec" / f"qrels.{campaign.split}.txt")
        names.append(f"trec/qrels.{campaign.split}.txt")
    return sorted(names)


def _write_qrels(truth: Path, target: Path) -> None:
    """The same qrels as a release has in the format trec, where it was made without."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", encoding="utf-8") as file:
        for record in read_records(truth):
            for moment in record["relevant_moment"]:
                start, end = map(float, moment["timestamp"])
                place = MomentLocation(moment["video_name"], (start, end), None)
                file.write(f"{topic_id(record['query_id'])} 0 {moment_id(place)} {moment['relevance']}\n")


def _about(
    campaign: Campaign, teams: Sequence[Team], runs: Sequence[Submission], counted: set[int], truth: Sequence[str]
) -> dict[str, Any]:
    release = campaign.release
    comparison = comparison_of(campaign, standing_scores(campaign, with_queries=False))
    states = [run.state for run in runs]
    return {
        "format": FORMAT,
        "name": campaign.name,
        "title": campaign.title,
        "collection": campaign.collection.name,
        "contact": campaign.contact,
        "split": campaign.split,
        "judged_from_runs": campaign.judged_later,
        "opens_at": told(campaign.opens_at),
        "closes_at": told(campaign.closes_at),
        "results_at": told(campaign.results_at),
        "results_opened_at": told(campaign.results_opened_at),
        "limits": {
            "runs_of_a_team": campaign.most_submissions,
            "runs_a_day": campaign.most_a_day,
            "runs_that_count": campaign.most_pooled,
            "predictions_for_a_topic": campaign.most_predictions,
        },
        "topics": campaign.topics.count(),
        "videos": len(campaign.corpus.videos),
        "teams": len(teams),
        "runs": {
            "sent": len(runs),
            "accepted": states.count(Submission.State.ACCEPTED),
            "refused": states.count(Submission.State.REFUSED),
            "counting": len(counted),
        },
        "release": {"name": release.name, "archive_sha256": release.archive_sha256, "files": list(truth)}
        if release
        else None,
        "significance": {"draws": DRAWS, "seed": SEED, "measures": list(comparison.standings)} if comparison else None,
    }


def _write_manifest(campaign: Campaign, folder: Path) -> None:
    files = {}
    for path in files_in(folder):
        with (folder / path).open("rb") as file:
            sha256, size = sha256_of(file)
        files[path] = {"sha256": sha256, "bytes": size}
    _json(folder / MANIFEST, {"format": FORMAT, "campaign": campaign.name, "files": files})


def told(at: datetime | None) -> str:
    """A moment as ISO 8601 in UTC; empty where there is none."""
    return "" if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _json(path: Path, value: Any) -> None:
    _text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def _table(path: Path, columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(safe_row(row) for row in rows)
