"""The client on the application itself: lists, refusals, judging, jobs, a release."""

import hashlib
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from qreels_client import Invalid, JobFailed, NotAllowed, NotFound, QreelsError, WaitedTooLong

from annotation.batches.opening_jobs import ask_for_opening
from annotation.models import Flag, Invitation, Judgment
from corpus.models import Moment, Video
from datasets.releases.make_release import create_release
from foundation.models import Account
from tests.api.callers import Caller
from tests.client.conftest import Enter
from tests.conftest import World, build_world
from tests.datasets.conftest import judged, media  # noqa: F401 - fixtures


@pytest.mark.django_db
def test_lists_and_single_things(enter: Enter) -> None:
    world = build_world()
    video = Video.objects.get()
    Moment.objects.bulk_create(Moment(video=video, start=100 + n, end=101 + n) for n in range(202))
    site = enter(world["ada"])
    assert site.get_me()["account"] == "ada"
    assert [(place["name"], place["role"]) for place in site.list_collections()] == [("paper", "lead")]
    paper = site.collection("paper")
    moments = list(paper.list_moments())
    assert len(moments) == 205 and paper.get_moment(moments[7]["moment"]) == moments[7]
    assert {query["split"] for query in paper.list_queries(split="test")} == {"test"}
    assert list(paper.list_queries(split="val")) == []


@pytest.mark.django_db
def test_what_is_made_is_made_once(enter: Enter, world: World) -> None:
    paper = enter(world["ada"]).collection("paper")
    until = timezone.now() + timedelta(days=2)
    made = [paper.create_invitation(places=3, expires_at=until, idempotency_key="the autumn class") for _ in range(2)]
    assert made[0] == made[1] and Invitation.objects.get().places == 3
    assert datetime.fromisoformat(made[0]["expires_at"] or "") == until
    paper.withdraw_an_invitation(made[0]["invitation"])
    with pytest.raises(ValueError, match="without a time zone"):
        paper.create_invitation(expires_at=datetime(2030, 1, 1))


@pytest.mark.django_db
def test_refusals(enter: Enter, world: World, mal: Account) -> None:
    paper = enter(world["ada"]).collection("paper")
    with pytest.raises(Invalid) as refused:
        paper.create_invitation(places=0)
    assert refused.value.field == "body.places" and "greater than or equal to 1" in refused.value.reason
    with pytest.raises(NotAllowed, match="lacks the scope “admin”"):
        enter(world["ada"], "read").collection("paper").create_invitation(places=1)
    for stranger in (enter(mal).collection("paper"), enter(world["ada"]).collection("../me")):
        with pytest.raises(NotFound):
            stranger.get_collection()


@pytest.mark.django_db
def test_judging_in_ones_own_places(enter: Enter, world: World) -> None:
    judging = enter(world["bo"], "judge").collection("paper").judging()
    given = []
    for number, task in enumerate(judging):
        judging.grade(task, number % 5)
        given.append(task["pair"])
    assert len(given) == 3 and judging.empty
    assert Judgment.objects.count() == 3
    again = judging.undo()
    assert again is not None and again["pair"] == given[-1]
    assert judging.clip(again, "nowhere.mp4") is None
    judging.flag(again, "query", "not a sentence")
    assert Flag.objects.get().note == "not a sentence" and judging.next() is None
    cy = enter(world["cy"], "judge").collection("paper").judging()
    with pytest.raises(QreelsError, match="neither graded nor flagged"):
        list(cy)


@pytest.mark.django_db
def test_waiting_for_a_job(enter: Enter, world: World) -> None:
    paper = enter(world["ada"]).collection("paper")
    job = ask_for_opening(member=world["ada"])
    asked: Any = {"kind": job.KIND, "job": job.pk}
    shares: list[float] = []
    with pytest.raises(WaitedTooLong, match=r"Opening of judging .* isn't done after 0\.01 s"):
        paper.wait(asked, timeout=0.01, progress=lambda now: shares.append(now["progress"]["share"]))
    assert set(shares) == {0.0}
    job.end("The disk is full.")
    with pytest.raises(JobFailed, match="The disk is full") as failed:
        paper.wait(asked)
    assert failed.value.job["state"] == "refused"
    other = ask_for_opening(member=world["ada"])
    other.end()
    ended = paper.wait({"kind": other.KIND, "job": other.pk}, progress=lambda now: shares.append(-1))
    assert ended["state"] == "done" and shares[-1] == -1


def test_a_release_is_fetched_and_what_is_missing_again(enter: Enter, judged: Any, tmp_path: Path) -> None:  # noqa: F811
    create_release(collection=judged.collection, name="1.0.0")
    tiny = enter(judged.members["ada"]).collection("tiny")
    folder = tiny.download_release("1.0.0", tmp_path / "one")
    told = tiny.release("1.0.0")["files"]
    assert {file["path"]: file["size"] for file in told} == {
        path: (folder / path).stat().st_size for path in [file["path"] for file in told]
    }
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert set(files) == {file["path"] for file in told} and len(files["val.json"]) > 100
    # The site gives ranges, so a part is gone on with.
    address = f"/collections/tiny/releases/{tiny.release('1.0.0')['release']}/file?path=val.json"
    rest = Caller(judged.members["ada"]).get(address, Range="bytes=50-")
    assert (rest.status_code, rest.getvalue()) == (206, files["val.json"][50:])
    assert rest["ETag"] == f'"{hashlib.sha256(files["val.json"]).hexdigest()}"'
    assert rest["Content-Disposition"] == 'attachment; filename="val.json"'
    (folder / "val.json").unlink()
    (folder / "val.json.part").write_bytes(files["val.json"][:50])
    tiny.download_release("1.0.0", folder)
    assert (folder / "val.json").read_bytes() == files["val.json"]
    shutil.rmtree(folder)
