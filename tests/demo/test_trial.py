"""Try the theatre: offered to whoever has no collection yet, built by a worker, without anybody's help."""

from typing import Any

import pytest

from annotation.models import Batch
from corpus.clips.cut_clips import videos_to_cut
from demo.build import theatre_folder
from demo.trial.build_job import run_build
from demo.trial.models import TheatreBuild
from demo.trial.offer import begin_trial
from foundation.infra.job_control import stop_job
from foundation.models import Account, Collection, Membership
from tests.drawn import TwoFilms

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga() -> Account:
    return Account.objects.create(username="olga", is_superuser=True)


def test_the_home_page_offers_it_and_a_job_is_asked_for(olga: Account, mal: Account, client_of: Any) -> None:
    owner = client_of(olga)
    assert "Try the theatre" in owner.get("/").content.decode()
    assert "Try the theatre" not in client_of(mal).get("/").content.decode()
    assert client_of(mal).post("/collections/offers/theatre").status_code == 403
    assert owner.post("/collections/offers/circus").status_code == 404
    assert owner.get("/collections/offers/theatre").status_code == 405
    assert not Collection.objects.exists()
    to = owner.post("/collections/offers/theatre")["Location"]
    job = TheatreBuild.objects.get()
    assert to == f"/c/theatre/jobs/theatre/{job.pk}/" and "Paper theatre" in owner.get(to).content.decode()
    assert job.collection.memberships.get().account == olga, "it has no other people"
    assert owner.post("/collections/offers/theatre")["Location"].startswith("/c/theatre-2/jobs/")


def test_a_worker_builds_it_and_goes_on_where_it_stopped(
    olga: Account, two_films: TwoFilms, settings: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setenv("QREELS_VAR", str(tmp_path / "var"))
    # An LLM that is set up isn't asked, because it costs money.
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
    two_films.build(theatre_folder(), videos=2)
    job = begin_trial(olga, videos=2)
    collection = job.collection
    stop_job(job, by=job.member)
    run_build(build_id=job.pk)
    assert not collection.descriptions.exists(), "a stopped one does nothing"
    TheatreBuild.objects.update(state="queued")
    run_build(build_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("done", "")
    batches = Batch.objects.filter(collection=collection)
    assert batches.count() == 2 and all(batch.pairs.exists() for batch in batches)
    collection.refresh_from_db()
    assert collection.guideline_version == 1
    assert not videos_to_cut(collection).exists()
    assert not Membership.objects.exclude(account=olga).exists()
    TheatreBuild.objects.update(state="queued")
    run_build(build_id=job.pk)
    assert batches.count() == 2 and Collection.objects.get(pk=collection.pk).guideline_version == 1
