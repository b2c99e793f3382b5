"""A shared task over a release that nobody judged here, and one whose runs are judged: teams, runs with noise."""

import io
import json
import random
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.models import Batch, Pair
from campaigns.models import Campaign, Submission, Team, TeamMember
from campaigns.planning.campaigns import make_campaign
from campaigns.submissions.jobs import check_submission
from campaigns.submissions.receive import receive
from campaigns.teams.teams import NewTeam, make_teams
from corpus.models import Video
from datasets.models import Release
from datasets.releases import archive
from foundation.collections.members import get_or_create_collection
from foundation.models import Account, Collection, Membership
from queries.models import Candidate
from tests.conftest import World, build_world, make_people
from tests.queries.topics.worlds import turn_into_topics

VIDEOS = {f"reel_{number}": 60.0 for number in range(6)}


def judged_queries(count: int, *, seed: int = 0) -> list[dict[str, Any]]:
    """A ground truth: queries with six graded moments each, in `VIDEOS`."""
    rng = random.Random(seed)
    rows = []
    for number in range(count):
        moments = []
        for place, video in enumerate(rng.sample(sorted(VIDEOS), 6)):
            start = float(rng.randrange(0, 40))
            moments.append(
                {
                    "pair_id": number * 10 + place,
                    "video_name": video,
                    "timestamp": [start, start + 6],
                    "duration": VIDEOS[video],
                    "caption": "",
                    "similarity": None,
                    "relevance": (4, 3, 2, 1, 0, 0)[place],
                }
            )
        rows.append({"query_id": f"t{number}", "query": f"Somebody does thing {number}.", "relevant_moment": moments})
    return rows


def noisy_run(truth: list[dict[str, Any]], *, skill: float, seed: int) -> bytes:
    """A run's lines: every judged moment of each query and as many others, ordered by grade times skill plus noise."""
    rng = random.Random(seed)
    lines = []
    for query in truth:
        spans = [
            (moment["video_name"], moment["timestamp"], moment["relevance"]) for moment in query["relevant_moment"]
        ]
        spans += [(rng.choice(sorted(VIDEOS)), [50.0, 50.5 + rng.random()], 0) for _ in spans]
        predictions = [
            {"video_name": video, "timestamp": times, "score": round(skill * grade + rng.gauss(0, 1), 6)}
            for video, times, grade in spans
        ]
        lines.append(json.dumps({"query_id": query["query_id"], "predictions": predictions}) + "\n")
    return "".join(lines).encode()


def released(folder: Path, truth: list[dict[str, Any]]) -> Release:
    """A collection of ada's with `VIDEOS`, and a release of it whose test split is this ground truth."""
    collection = get_or_create_collection(name="task", title="Shared task", has_clips=False)
    make_people(collection, "ada", "bo")
    Video.objects.bulk_create(
        Video(collection=collection, name=name, duration=length) for name, length in VIDEOS.items()
    )
    files = folder / "files"
    files.mkdir(parents=True)
    (files / "test.json").write_text(json.dumps(truth))
    (files / "video_corpus.json").write_text(json.dumps(VIDEOS))
    hashes = {}
    for path in archive.files_in(files):
        with (files / path).open("rb") as file:
            sha256, size = archive.sha256_of(file)
        hashes[path] = {"sha256": sha256, "size": size}
    sizes = {"val": 0, "test": len(truth)}
    counts = {split: {"queries": n, "pairs": 6 * n, "pairs_undecided": 0} for split, n in sizes.items()}
    manifest = {"files": hashes, "counts": counts, "about": {"licence": "CC-BY-4.0"}}
    (files / "manifest.json").write_text(json.dumps(manifest))
    with (files / "manifest.json").open("rb") as file:
        manifest_sha256, _ = archive.sha256_of(file)
    packed = folder / "archive.tar.gz"
    sha256 = archive.pack(files, packed, "v1")
    return Release.objects.create(
        collection=collection,
        name="v1",
        created_at=timezone.now(),
        formats=["tvr-ranking"],
        content_hash="",
        manifest=manifest,
        manifest_sha256=manifest_sha256,
        archive=archive.keep(packed, "releases/v1.tar.gz"),
        archive_sha256=sha256,
    )


def campaign_over(release: Release | None, *, lead: Membership, **more: Any) -> Campaign:
    """A campaign that is open now: over a release's test split, or judged later."""
    now = timezone.now()
    defaults: dict[str, Any] = {
        "name": "boats",
        "title": "Boats 2026",
        "split": "test",
        "release": release,
        "judged_later": release is None,
        "rules": "Send *runs*.",
        "opens_at": now - timedelta(days=2),
        "closes_at": now + timedelta(days=2),
        "results_at": now + timedelta(days=3),
        "most_submissions": 20,
        "most_a_day": 20,
    }
    return make_campaign(member=lead, **{**defaults, **more})


def teams_of(campaign: Campaign, *names: str) -> list[Team]:
    """Teams, each with one person whose login is the team's name."""
    made = make_teams(campaign=campaign, teams=[NewTeam(name, affiliation=f"{name} institute") for name in names])
    for team in made:
        account, _ = Account.objects.get_or_create(username=team.name)
        TeamMember.objects.create(team=team, campaign=campaign, account=account)
    return made


def send(team: Team, name: str, content: bytes, **more: Any) -> Submission:
    """A team's run, received and checked."""
    run = receive(
        team=team,
        account=Account.objects.get(username=team.name),
        file=io.BytesIO(content),
        file_name=f"{name}.jsonl",
        name=name,
        begun_at=timezone.now(),
        **more,
    )
    check_submission(run.pk)
    return Submission.objects.select_related("team__campaign").get(pk=run.pk)


def close(campaign: Campaign) -> Campaign:
    """Submissions are over."""
    now = timezone.now()
    Campaign.objects.filter(pk=campaign.pk).update(closes_at=now - timedelta(minutes=1))
    campaign.refresh_from_db()
    return campaign


def world_to_judge() -> World:
    """Two topics and 30 moments of a second each in one video; nothing is pooled, nothing open."""
    made = build_world(queries=2, candidates=30)
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    Candidate.objects.all().delete()
    Collection.objects.update(batch_size=4, max_batches=3)
    made.collection.refresh_from_db()
    turn_into_topics(made.collection)
    return made


def run_of_seconds(topics: list[str], *numbers: int) -> bytes:
    """A run that returns the moments of these seconds for each topic."""
    rows = [
        {
            "query_id": topic,
            "predictions": [
                {"video_name": "secret_video_name", "timestamp": [second, second + 1]} for second in numbers
            ],
        }
        for topic in topics
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
