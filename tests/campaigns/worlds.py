"""A campaign over a released split of three queries, two teams, and the runs that they send."""

import io
import json
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.test import Client

from campaigns.models import Campaign, Submission, Team, TeamMember
from campaigns.planning.campaigns import make_campaign
from campaigns.submissions.jobs import check_submission
from campaigns.submissions.receive import receive
from campaigns.teams.joining import join_team, make_link
from campaigns.teams.teams import NewTeam, make_teams
from corpus.models import Video
from datasets.models import Board, Release
from foundation.access.arrival_time import database_now
from foundation.models import Account, Collection, Membership
from tests.conftest import make_people
from tests.datasets.boards import board_of_file

TRUTH = [
    {
        "query_id": number,
        "query": f"A woman does thing {number}.",
        "relevant_moment": [
            {
                "pair_id": 10 * number + place,
                "video_name": video,
                "timestamp": [5.0 * place, 5.0 * place + 4],
                "duration": 60.0,
                "caption": "secret caption",
                "similarity": 0.9,
                "relevance": 4 - place,
            }
            for place, video in enumerate(("alpha", "beta", "gamma"))
        ],
    }
    for number in (1, 2, 3)
]


@dataclass
class Shared:
    """A collection with its lead ada and annotator bo; the campaign with the teams Reds (rob, ria) and Blues (bea)."""

    collection: Collection
    people: dict[str, Membership]
    release: Release
    campaign: Campaign
    teams: dict[str, Team]
    accounts: dict[str, Account]

    def client(self, name: str) -> Client:
        client = Client()
        account = self.accounts.get(name) or self.people[name].account
        client.force_login(account)  # type: ignore[arg-type]
        return client

    def send(self, team: str, content: bytes | None = None, *, at: datetime | None = None, **how: Any) -> Submission:
        """Receive a run from a team and check it."""
        run = self.receive(team, content, at=at, **how)
        check_submission(run.pk)
        return Submission.objects.get(pk=run.pk)

    def receive(self, team: str, content: bytes | None = None, *, at: datetime | None = None, **how: Any) -> Submission:
        place = TeamMember.objects.filter(team=self.teams[team]).first()
        return receive(
            team=Team.objects.select_related("campaign__collection").get(pk=self.teams[team].pk),
            account=place.account if place else None,
            file=io.BytesIO(good_run() if content is None else content),
            file_name=how.pop("file_name", "run.jsonl"),
            name=how.pop("name", "one"),
            begun_at=at or database_now(),
            **how,
        )


def good_run(*, spoiled: int = 0) -> bytes:
    """A run that returns every relevant moment; of the first `spoiled` queries in reverse."""
    rows = []
    for place, query in enumerate(TRUTH):
        moments = query["relevant_moment"]
        assert isinstance(moments, list)
        predictions = [{"video_name": moment["video_name"], "timestamp": moment["timestamp"]} for moment in moments]
        rows.append(
            {"query_id": query["query_id"], "predictions": predictions[::-1] if place < spoiled else predictions}
        )
    return lines(rows)


def lines(rows: list[Any]) -> bytes:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows).encode()


def build_shared(name: str = "paper", **more: Any) -> Shared:
    """Make it all. The campaign is open, and closes in a day."""
    collection = Collection.objects.create(name=name, title="Paper", has_clips=False)
    people = make_people(collection, "ada", "bo")
    Video.objects.bulk_create(
        Video(collection=collection, name=video, duration=60.0) for video in ("alpha", "beta", "gamma")
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "truth.json"
        path.write_text(json.dumps(TRUTH))
        board: Board = board_of_file(collection, path, Path(folder))
    now = database_now()
    defaults = {
        "name": f"{name}-task",
        "title": "The task",
        "split": "test",
        "release": board.release,
        "opens_at": now - timedelta(days=2),
        "closes_at": now + timedelta(days=1),
        "results_at": now + timedelta(days=3),
    }
    campaign = make_campaign(member=people["ada"], **(defaults | more))
    made = make_teams(campaign=campaign, teams=[NewTeam("Reds", "Red Lab", "r@example.org"), NewTeam("Blues")])
    accounts = {}
    for team, names in zip(made, (("rob", "ria"), ("bea",)), strict=True):
        for member in names:
            accounts[member] = Account.objects.get_or_create(
                username=member, defaults={"email": f"{member}@example.org"}
            )[0]
            join_team(token=make_link(team=team, by=None).token, account=accounts[member])
    return Shared(collection, people, board.release, campaign, {team.name: team for team in made}, accounts)


def end(campaign: Campaign) -> None:
    """Have submissions closed since an hour ago."""
    now = database_now()
    Campaign.objects.filter(pk=campaign.pk).update(
        opens_at=now - timedelta(days=2), closes_at=now - timedelta(hours=1), results_at=now - timedelta(minutes=1)
    )
    campaign.refresh_from_db()
