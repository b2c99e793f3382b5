"""The lead's pages about studies, what a study has no pages for, and what annotators find of it."""

import json
import uuid
from typing import Any

import pytest
from django.urls import reverse

from annotation.models import Pair, Study
from annotation.studies.services import make_study, put_study_away, start_study
from corpus.models import Clip
from foundation.access.study_pages import NOT_OF_STUDIES
from foundation.models import Collection, Membership
from tests.addresses import LEAD_FORMS, LEAD_PAGES, LEAD_POSTS, OF_A_ROW, address, patterns
from tests.api.callers import read
from tests.conftest import World, build_world
from tests.workers import Waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db: None) -> World:
    return build_world(candidates=30, clips=True)


@pytest.fixture
def pilot(world: World) -> Study:
    return start_study(collection=world.collection, kind="pilot", queries=2)


@pytest.fixture
def ada(world: World, client_of: Any) -> Any:
    return client_of(world["ada"].account)


@pytest.fixture
def sent() -> Waiting:
    """The ids of the studies that were handed to a worker."""
    return Waiting(Study.TASK)


def test_a_form_sent_twice_begins_one_study_and_says_so(world: World, ada: Any, sent: Waiting) -> None:
    form = {"kind": "pilot", "queries": "3", "seed": "11"}
    assert ada.post("/c/paper/studies/start", form)["Location"] == "/c/paper/studies/"
    page = ada.post("/c/paper/studies/start", form, follow=True).content.decode()
    assert "Pilot 1 is under way already" in page
    assert "No worker runs: start script/worker." in page
    study = Study.objects.get()
    assert set(sent) == {study.pk}
    assert (study.queries, study.seed, study.asked_by) == (3, 11, world["ada"])
    assert ada.get(f"/c/paper/jobs/study/{study.pk}/progress").json()["finished"] is False
    make_study(study_id=study.pk)
    assert ada.get(f"/c/paper/jobs/study/{study.pk}/progress").json()["finished"] is True
    page = ada.get("/c/paper/studies/").content.decode()
    assert "Pilot 1 of Paper" in page
    assert "seed 11 · outside the splits" in page
    assert "A pilot is under way." in page
    assert 'aria-label="Studies so far"' in page
    assert ada.get("/c/paper/studies/").context["making"] is None
    (made,) = read(ada, "collections/paper/studies")
    assert (made["left"], made["name"]) == (60, "paper-pilot-1")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"kind": "pilot", "queries": "many"}, "Found “many”, expected a whole number from 1 to 200."),
        ({"kind": "pilot", "queries": "0"}, "Found “0”, expected a whole number from 1 to 200."),
        ({"kind": "main"}, "Found the kind &#x27;main&#x27;, expected pilot or depth."),
        ({}, "expected pilot or depth."),
    ],
    ids=["words", "none", "kind", "nothing"],
)
def test_what_can_t_be_begun_is_refused_with_a_reason(ada: Any, sent: Waiting, form: dict[str, str], said: str) -> None:
    assert said in ada.post("/c/paper/studies/start", form, follow=True).content.decode()
    assert not Study.objects.exists()
    assert not sent


def test_what_a_worker_could_not_make_is_told(ada: Any, sent: Waiting) -> None:
    ada.post("/c/paper/studies/start", {"kind": "depth", "queries": "150"})
    make_study(study_id=Study.objects.get().pk)
    page = ada.get("/c/paper/studies/").content.decode()
    assert "Depth study 1 was not started. Asked for 150 queries, but there are 30 distinct captions." in page
    assert "Start depth study 1" in page


def test_a_study_put_away_is_judged_no_further(world: World, pilot: Study, ada: Any, client_of: Any) -> None:
    bo = client_of(world["bo"].account)
    assert bo.get("/c/paper-pilot-1/judge/").status_code == 200
    assert "paper-pilot-1" in bo.get("/").content.decode()
    ada.post(f"/c/paper/studies/{pilot.pk}/put-away")
    assert bo.get("/c/paper-pilot-1/judge/").status_code == 403
    assert bo.get("/")["Location"] == "/c/paper/judge/", "it has left the home page"
    assert "Start pilot 2" in ada.get("/c/paper/studies/").content.decode()


def test_home_shows_a_study_below_its_collection(world: World, pilot: Study, ada: Any, client_of: Any) -> None:
    bo = client_of(world["bo"].account).get("/").content.decode()
    assert bo.index("/c/paper/judge/") < bo.index("/c/paper-pilot-1/judge/")
    assert "Pilot 1 of Paper" in bo
    assert ada.get("/")["Location"] == "/c/paper/", "leads find it in their collection"


def test_every_page_of_a_study_is_there_or_says_that_a_study_has_none(
    world: World, pilot: Study, ada: Any, client_of: Any
) -> None:
    bo = client_of(world["bo"].account)
    for name in sorted(LEAD_PAGES | LEAD_POSTS | LEAD_FORMS):
        where = address(name, number=10**9, collection="paper-pilot-1")
        of_ada, of_bo = (who.post(where) if name in LEAD_POSTS else who.get(where) for who in (ada, bo))
        if name in NOT_OF_STUDIES:
            for answer in (of_ada, of_bo):
                assert answer.status_code == 404, name
                assert (
                    "Pilot 1 of Paper is a study: it never counts, and has no such page of its own"
                    in answer.content.decode()
                )
        else:
            usual = {404} if name in OF_A_ROW else {302, 400, 404} if name in LEAD_POSTS else {200}
            assert of_ada.status_code in usual, name
            assert of_bo.status_code == 403, name


def test_a_stranger_learns_nothing_of_a_study(pilot: Study, mal: Any, client_of: Any) -> None:
    client = client_of(mal)
    for name in sorted({"overview", "studies", "settings", "judge", "figures"}):
        answer = client.get(address(name, collection="paper-pilot-1"))
        assert answer.status_code == 404
        assert "study" not in answer.content.decode().lower()


def test_each_room_says_which_of_its_pages_a_study_lacks() -> None:
    assert {str(pattern.name) for pattern in patterns()} > NOT_OF_STUDIES
    assert {"imports", "captions", "settings", "review", "exam", "releases", "run", "publish"} < NOT_OF_STUDIES


def test_no_page_of_a_study_links_to_one_that_it_lacks(world: World, pilot: Study, ada: Any) -> None:
    lacking = {address(name, collection="paper-pilot-1") for name in NOT_OF_STUDIES if name not in LEAD_POSTS}
    assert lacking
    person = Membership.objects.get(collection=pilot.made, worker=world["bo"].worker)
    pages = [address(name, collection="paper-pilot-1") for name in LEAD_PAGES - NOT_OF_STUDIES - OF_A_ROW]
    for page in [*pages, f"/c/paper-pilot-1/people/{person.pk}/", "/c/paper-pilot-1/guideline/"]:
        answer = ada.get(page)
        if not answer["Content-Type"].startswith("text/html"):
            continue
        text = answer.content.decode()
        assert not [link for link in lacking if f'"{link}"' in text or f'"{link}?' in text], page


def test_people_of_a_study_get_its_clips_and_strangers_don_t(
    world: World, pilot: Study, mal: Any, client_of: Any
) -> None:
    pair = Pair.objects.filter(batch__collection=pilot.made).first()
    assert pair is not None
    clip = Clip.objects.get(moment=pair.candidate.moment)
    where = reverse("clip", kwargs={"public_name": clip.public_name, "suffix": "jpg"})
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    if not default_storage.exists(clip.poster_file):
        default_storage.save(clip.poster_file, ContentFile(b"poster"))
    bo = client_of(world["bo"].account)
    assert bo.post("/c/paper-pilot-1/judge/next", {}, content_type="application/json").json()["tasks"]
    assert bo.get(where).status_code == 200
    assert client_of(mal).get(where).status_code == 404


def test_judging_in_a_study_moves_nothing_of_the_collection(
    world: World, pilot: Study, ada: Any, client_of: Any
) -> None:
    subjects = ["overview", "people", "figures", "statistics"]

    def said() -> list[Any]:
        figures = []
        for subject in subjects:
            answer = read(ada, f"collections/paper/{subject}")
            figures.append({key: value for key, value in answer.items() if key not in ("as_of", "running")})
        return figures

    before = said()
    for name in ("bo", "cy"):
        client = client_of(world[name].account)
        task = client.post("/c/paper-pilot-1/judge/next", {}, content_type="application/json").json()["tasks"][0]
        body = {"pair": task["pair"], "grade": 3, "key": str(uuid.uuid4()), "played": 1.0}
        answer = client.post("/c/paper-pilot-1/judge/grade", json.dumps(body), content_type="application/json")
        assert answer.status_code == 200
    assert said() == before
    refused = client.post("/c/paper/judge/grade", json.dumps(body), content_type="application/json")
    assert refused.status_code == 409, "a study's pair isn't one of the collection"
    overview = ada.get("/c/paper-pilot-1/").content.decode()
    assert "This is a pilot: the top 20 moments of each query (2)." in overview
    assert 'href="/c/paper/guideline/edit/"' in overview
    assert read(ada, "collections/paper-pilot-1/overview")["judgments"] == 2
    assert "Pilot 1 of Paper" in ada.get("/c/paper/time/").content.decode()
    assert "covers the study only" in ada.get("/c/paper-pilot-1/time/").content.decode()


def test_the_number_of_sql_queries_doesn_t_grow_with_the_studies(
    world: World, pilot: Study, ada: Any, django_assert_max_num_queries: Any
) -> None:
    for _ in range(3):
        put_study_away(lead=world["ada"], study_id=Study.objects.order_by("-pk")[0].pk)
        start_study(collection=world.collection, kind="pilot", queries=1)
    with django_assert_max_num_queries(10):
        assert ada.get("/c/paper/studies/").status_code == 200
    assert Collection.objects.filter(study_of=world.collection).count() == 4
