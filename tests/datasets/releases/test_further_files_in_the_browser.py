"""The form and the API ask for machine judges' grades and posteriors; who may judge yet sees no machine's grade."""

from django.test import Client

from annotation.models import Batch, Computed, Judgment, MachineJudge
from annotation.people.annotator_model_figures import NAME
from annotation.precomputed import refresh_computed
from annotation.review.decisions import review_batch
from datasets.models import Release, ReleaseJob
from datasets.releases.access import files_for, share_release
from datasets.releases.diff import compare_releases
from datasets.releases.jobs import make_asked_release
from datasets.releases.make_release import create_release
from foundation.models import Account
from tests.api.callers import Caller, read
from tests.datasets.conftest import World
from tests.datasets.releases.further import draw_queries, plant

MAKE = "/c/tiny/releases/make"
TELLING = {"machine_judgments.csv", "sampling.csv"}


def client_of(name: str) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username=name))
    return client


def test_the_form_offers_the_judges_that_there_are_and_takes_those_that_are_chosen(judged: World) -> None:
    ada = client_of("ada")
    assert "machine_judges" not in ada.get("/c/tiny/releases/").content.decode()
    plant(judged)
    plant(judged, "<b>second</b>")
    page = ada.get("/c/tiny/releases/").content.decode()
    assert 'name="machine_judges" value="robot"' in page and "&lt;b&gt;second" in page
    assert 'value="robot" checked' not in page, "none is released unless it is chosen"
    ada.post(MAKE, {"name": "v1", "format": ["tvr-ranking"], "posteriors": "on", "machine_judges": ["robot"]})
    job = ReleaseJob.objects.get()
    assert (job.posteriors, job.machine_judges) == (True, ["robot"])
    make_asked_release(job.pk)
    assert {"machine_judgments.csv", "posteriors.csv"} <= set(Release.objects.get().files)


def test_a_judge_that_is_another_collection_s_is_told_beside_the_others_and_the_form_keeps_what_was_sent(
    judged: World,
) -> None:
    plant(judged)
    answer = client_of("ada").post(
        MAKE, {"name": "v1", "format": ["trec"], "posteriors": "on", "machine_judges": ["robot", "theirs"]}
    )
    page = answer.content.decode()
    assert answer.status_code == 400 and "There is no machine judge &#x27;theirs&#x27; here" in page
    assert 'value="robot" checked' in page and 'name="posteriors" checked' in page
    assert not ReleaseJob.objects.exists()


def test_a_judge_that_went_before_its_release_was_made_is_told_by_the_job(judged: World) -> None:
    plant(judged)
    client_of("ada").post(MAKE, {"name": "v1", "format": ["tvr-ranking"], "machine_judges": ["robot"]})
    MachineJudge.objects.all().delete()
    job = ReleaseJob.objects.get()
    make_asked_release(job.pk)
    job.refresh_from_db()
    assert job.state == "refused" and "There is no machine judge" in job.problem and not Release.objects.exists()


def test_programs_ask_for_them(judged: World) -> None:
    plant(judged)
    ada = Caller(judged.members["ada"])
    refused = ada.post("/collections/tiny/releases", {"machine_judges": ["theirs"]})
    assert refused.status_code == 422 and "There is no machine judge" in refused.json()["detail"]
    asked = ada.post("/collections/tiny/releases", {"name": "v1", "posteriors": True, "machine_judges": ["robot"]})
    assert asked.status_code == 202
    make_asked_release(ReleaseJob.objects.get().pk)
    assert {"machine_judgments.csv", "posteriors.csv"} <= set(Release.objects.get().files)
    assert Caller(judged.members["bo"]).post("/collections/tiny/releases", {"posteriors": True}).status_code == 403


def test_whoever_may_judge_yet_sees_no_machine_s_grade(judged: World) -> None:
    plant(judged)
    draw_queries(judged)
    release = create_release(collection=judged.collection, name="v1", machine_judges=["robot"], posteriors=True)
    share_release(release=release, members=True, hide_test=False)
    bo, ada = judged.members["bo"], judged.members["ada"]
    address = f"/c/tiny/releases/{release.pk}/files/machine_judgments.csv"
    assert set(files_for(ada, release)) >= TELLING and client_of("ada").get(address).status_code == 200
    assert TELLING.isdisjoint(files_for(bo, release)) and "posteriors.csv" in files_for(bo, release)
    assert client_of("bo").get(address).status_code == 404
    assert "machine_judgments.csv" not in client_of("bo").get("/c/tiny/shared/").content.decode()
    listed = Caller(bo).get(f"/collections/tiny/releases/{release.pk}").json()["files"]
    assert TELLING.isdisjoint(file["path"] for file in listed)
    for batch in Batch.objects.filter(status=Batch.Status.DECIDED):
        review_batch(member=ada, batch_id=batch.pk, decision="finish")
    assert set(files_for(bo, release)) >= TELLING, "nobody judges any more"
    share_release(release=release, members=True, hide_test=True)
    assert (TELLING | {"posteriors.csv"}).isdisjoint(files_for(bo, release)), "they tell of test"


def test_its_page_says_what_it_has_and_a_comparison_says_what_it_has_more(judged: World) -> None:
    plant(judged)
    first = create_release(collection=judged.collection, name="v1")
    draw_queries(judged)
    second = create_release(collection=judged.collection, name="v2", machine_judges=["robot"], posteriors=True)
    said = {row["name"]: row["after"] for row in compare_releases(first, second).settings}
    assert said["sampling.units"] == 4 and said["posteriors.pairs"] == second.manifest["posteriors"]["pairs"]
    ada = client_of("ada")
    page = ada.get(f"/c/tiny/releases/{second.pk}/").content.decode()
    assert "Machines judged, too: robot (llava, " in page and "2 of 4 queries were drawn to be judged" in page
    assert "posteriors.csv says how likely each grade of a pair is" in page
    assert "Machines judged" not in ada.get(f"/c/tiny/releases/{first.pk}/").content.decode()
    assert ada.get(f"/c/tiny/releases/{first.pk}/to/{second.pk}/").status_code == 200


def test_the_page_and_the_api_say_how_many_pairs_another_judge_would_change(judged: World) -> None:
    refresh_computed(collection=judged.collection, name=NAME)
    page = client_of("ada").get("/c/tiny/people/model/").content.decode()
    found = read(client_of("ada"), "collections/tiny/annotator-model")
    assert 0 < found["changed"] < found["pairs"] <= Judgment.objects.count()
    assert "Another judge would change" in page and f"<dd>{found['changed']:.0f}</dd>" in page


def test_figures_of_before_leave_it_out(judged: World) -> None:
    refresh_computed(collection=judged.collection, name=NAME)
    stored = Computed.objects.get(name=NAME)
    stored.value = {name: own for name, own in stored.value.items() if name != "changed"}
    stored.save()
    assert "Another judge would change" not in client_of("ada").get("/c/tiny/people/model/").content.decode()
    assert read(client_of("ada"), "collections/tiny/annotator-model")["changed"] is None
