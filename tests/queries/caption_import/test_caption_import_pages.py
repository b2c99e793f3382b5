"""A lead has a file of captions looked at, imported and taken back on a page or by a program."""

import json
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from foundation.infra.job_control import resume_job, stop_job
from foundation.models import Collection, Membership
from queries.caption_import import import_captions as importing
from queries.caption_import.jobs import import_captions
from queries.models import Attempt, Caption, CaptionImport
from tests.api.callers import Caller, read
from tests.conftest import make_people
from tests.queries.caption_import.test_import_captions import GOOD, TEXTS
from tests.queries.conftest import doors, make_collection

pytestmark = pytest.mark.django_db
PAGE = "/c/friends/captions/elsewhere/"
FILE = "id,caption,made_by\n" + "".join(f'{n},"{text}",Model M\n' for n, text in enumerate(GOOD))


@pytest.fixture
def friends(db: None) -> Collection:
    return make_collection(TEXTS)


@pytest.fixture
def ada(friends: Collection) -> Membership:
    return make_people(friends, "ada", "bo")["ada"]


@pytest.fixture
def lead(ada: Membership, client_of: Any) -> Client:
    client: Client = client_of(ada.account)
    return client


def sent(client: Client, content: str, **more: str) -> Any:
    return client.post(f"{PAGE}send", {"file": SimpleUploadedFile("captions.csv", content.encode()), **more})


def work() -> CaptionImport:
    job = CaptionImport.objects.latest("pk")
    import_captions(job.pk)
    job.refresh_from_db()
    return job


def decided(client: Client, job: CaptionImport, do: str) -> str:
    return client.post(f"{PAGE}{job.pk}/decide", {"do": do}, follow=True).content.decode()


def test_a_file_is_looked_at_imported_and_taken_back(lead: Client) -> None:
    assert sent(lead, FILE)["Location"] == PAGE
    job = work()
    assert job.looked_at and not Caption.objects.exists(), "a look imports nothing"
    page = lead.get(PAGE).content.decode()
    assert "Import these captions" in page and GOOD[1] in page and "Model M" in page
    assert read(lead, f"collections/friends/caption-imports/{job.pk}")["found"]["counts"] == {
        **{"read": 4, "new": 4, "replaced": 0}
    }
    decided(lead, job, "import")
    assert work().said.startswith("4 captions accepted, 0 waiting for review.")
    assert "made elsewhere by Model M" in lead.get("/c/friends/rewriting/captions/?of=elsewhere").content.decode()
    one = read(lead, f"collections/friends/captions/{Caption.objects.order_by('pk')[0].pk}")
    assert (one["rewriter"], one["made_by"]) == ("elsewhere", "Model M")
    assert "Take back" in lead.get(PAGE).content.decode()
    sent(lead, FILE)
    assert "Another file of captions waits" in decided(lead, job, "back"), "one at a time"
    CaptionImport.objects.exclude(pk=job.pk).delete()
    decided(lead, job, "back")
    assert work().said == "captions.csv was taken back: 4 captions." and not Caption.objects.exists()
    assert "taken back" in lead.get(PAGE).content.decode()
    assert "taken back already" in decided(lead, job, "back")


def test_the_review_page_says_who_made_a_caption_that_failed_elsewhere(lead: Client) -> None:
    sent(lead, 'id,caption\n1,"Amy is driving a man somewhere in her car."\n', made_by="Zadie & Co")
    decided(lead, work(), "import")
    assert work().said.startswith("0 captions accepted, 1 waiting for review.")
    assert "Captions that wait for review" in lead.get(PAGE).content.decode()
    page = lead.get("/c/friends/captions/").content.decode()
    assert "Attempt 1, made elsewhere by Zadie &amp; Co" in page and "Names Amy." in page


def test_problems_stand_on_the_page_by_line_and_nothing_can_be_imported(lead: Client) -> None:
    sent(lead, FILE + "99,A man.,\n", made_by="Zadie", charset="utf-8")
    job = work()
    page = lead.get(PAGE).content.decode()
    assert "&#x27;99&#x27;" in page and "Import these captions" not in page
    assert "not imported: problems" in page and "not imported yet" not in page
    assert "Upload and preview" in page and 'value="Zadie"' in page and 'value="utf-8" selected' in page
    assert job.found["problems"][0]["line"] == 6 and job.found["problem_count"] == 1
    decided(lead, job, "import")
    job = work()
    assert job.state == "refused" and "line 6, id: found '99'" in job.problem and not Caption.objects.exists()
    assert 'value="Zadie"' in lead.get(PAGE).content.decode(), "of a refused file too"
    sent(lead, FILE + "98,A man.,\n")
    work()
    assert sent(lead, FILE).status_code == 302 and work().looked_at, "the corrected one follows at once"
    page = lead.get(PAGE).content.decode()
    assert "Import these captions" in page and "not imported yet" in page and 'value="Zadie"' not in page


def test_a_file_is_discarded_with_what_was_stored_of_it(lead: Client, django_capture_on_commit_callbacks: Any) -> None:
    sent(lead, FILE)
    job = work()
    assert default_storage.exists(job.stored_file)
    with django_capture_on_commit_callbacks(execute=True):
        assert "Nothing was imported." in decided(lead, job, "discard")
    assert not CaptionImport.objects.exists() and not default_storage.exists(job.stored_file)


def test_what_is_wrong_in_the_form_is_told_beside_its_field(lead: Client) -> None:
    assert "Choose a file." in lead.post(f"{PAGE}send", {}).content.decode()
    assert "The file is empty." in sent(lead, "").content.decode()
    assert "expected at most 200" in sent(lead, FILE, made_by="x" * 201).content.decode()
    sent(lead, FILE)
    again = sent(lead, FILE)
    assert again.status_code == 400 and "Another file of captions waits" in again.content.decode()
    assert CaptionImport.objects.count() == 1


def test_another_collections_import_and_an_annotator_are_kept_out(
    lead: Client, friends: Collection, client_of: Any
) -> None:
    sent(lead, FILE)
    job = work()
    make_people(make_collection(TEXTS, name="others"), "mal")
    mal = client_of(Membership.objects.get(collection__name="others").account)
    assert mal.post(f"/c/others/captions/elsewhere/{job.pk}/decide", {"do": "import"}).status_code == 404
    bo = client_of(friends.memberships.get(account__username="bo").account)
    assert bo.post(f"{PAGE}{job.pk}/decide", {"do": "import"}).status_code == 403
    assert work().looked_at


@pytest.mark.django_db(transaction=True)
def test_a_stopped_import_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch, client_of: Any) -> None:
    monkeypatch.setattr(importing, "BLOCK", 3)
    friends = make_collection(doors(8))
    ada = make_people(friends, "ada")["ada"]
    rows = [{"id": n, "caption": text.replace("Rachel", "A woman")} for n, text in enumerate(doors(8))]
    sent(client_of(ada.account), "\n".join(map(json.dumps, rows)), made_by="Zadie")
    decided(client_of(ada.account), work(), "import")
    job = CaptionImport.objects.get()
    store = importing._store

    def stopped_after_one(*arguments: Any) -> int:
        stored = store(*arguments)
        stop_job(job, by=ada)
        monkeypatch.setattr("foundation.infra.jobs.TOLD_EVERY", -1)
        return stored

    monkeypatch.setattr(importing, "_store", stopped_after_one)
    assert work().state == "stopped" and Caption.objects.count() == 3
    monkeypatch.setattr(importing, "_store", store)
    job.refresh_from_db()
    assert job.can_be_taken_back
    assert resume_job(job, by=ada)
    job = work()
    assert job.state == "done" and job.said.startswith("8 captions accepted, 0 waiting for review.")
    assert Attempt.objects.count() == 8 and job.brought.count() == 8


def test_a_program_sends_imports_and_takes_back(ada: Membership) -> None:
    caller = Caller(ada)
    key = caller.send("/collections/friends", "captions.csv", FILE.encode())
    here = "/collections/friends/caption-imports"
    job = caller.post(here, {"file": key, "look": True}).json()
    assert (job["doing"], job["state"]) == ("look", "queued")
    work()
    assert caller.post(f"{here}/{job['caption_import']}/import", {}).status_code == 200
    assert caller.post(f"{here}/{job['caption_import']}/import", {}).status_code == 409
    work()
    assert Caption.objects.count() == 4
    assert caller.get(f"{here}/{job['caption_import']}/take-back").json() == {"losses": ["4 captions"], "obstacles": []}
    assert caller.post(f"{here}/{job['caption_import']}/take-back", {}).status_code == 200
    work()
    assert not Caption.objects.exists()
    assert caller.delete(f"{here}/{job['caption_import']}").status_code == 409
