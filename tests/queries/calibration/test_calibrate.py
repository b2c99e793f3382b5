"""The checks are calibrated on a collection's own captions for the encoder in use: kept, shown, adopted."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from foundation.models import Collection
from foundation.refused import Refused
from foundation.text import normalise
from queries.calibration.calibrate import NEEDED, adopt, warn_uncalibrated
from queries.calibration.jobs import ask_for_calibration, calibrate_checks
from queries.calibration.rates import MOST_WAITING
from queries.calibration.views import KIND_WORDS
from queries.checks.planted import KINDS
from queries.models import Attempt, Caption, CheckCalibration
from tests.api.callers import Caller, read
from tests.conftest import make_people
from tests.queries.conftest import doors, make_collection
from tests.queries.retrieval.test_sentence_pooling import tiny_bert

pytestmark = pytest.mark.django_db
PAGE = "/c/friends/rewriting/calibration/"


def caption_all(collection: Collection) -> None:
    for description in collection.descriptions.all():
        text = description.text.replace("Rachel", "A woman")
        passed = {"similarity_passed": True, "names_passed": True}
        attempt = Attempt(description=description, number=1, text=text, rewriter="rules", **passed)
        attempt.save()
        Caption.objects.create(
            description=description, attempt=attempt, text=text, normalised=normalise(text), status="accepted"
        )


@pytest.fixture(scope="module")
def founded(once_a_file: Any) -> None:
    def build() -> None:
        collection = make_collection(doors(NEEDED))
        make_people(collection, "ada", "bo")
        caption_all(collection)

    once_a_file(build)


@pytest.fixture
def friends(founded: None, db: None) -> Collection:
    return Collection.objects.get(name="friends")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A random model of 32 dimensions, by its pooler's output: an encoder that nobody has calibrated."""
    folder = tiny_bert(tmp_path / "sup-simcse-tiny")
    monkeypatch.setenv("ENCODER_MODEL", folder)
    return folder


def done(collection: Collection, **more: Any) -> CheckCalibration:
    return CheckCalibration.objects.create(
        collection=collection, captions=500, style="faithful", state="done", similarity=0.3, kept=0.9, **more
    )


def test_error_rates_are_measured_kept_and_shown_and_adopted_by_one_click(
    friends: Collection, tiny: str, client_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = friends.memberships.get(role="lead")
    lead: Client = client_of(ada.account)
    assert "aren&#x27;t calibrated for the encoder" in lead.get("/c/friends/rewriting/").content.decode()
    assert lead.post(f"{PAGE}start")["Location"] == PAGE
    assert lead.post(f"{PAGE}start")["Location"] == PAGE, "while one waits, that one goes on"
    job = CheckCalibration.objects.get()
    calibrate_checks(job.pk)
    job.refresh_from_db()
    assert (job.state, job.problem, job.style, job.encoder) == ("done", "", "faithful", f"{tiny}+pooler")
    assert job.identity.startswith(f"{tiny}@") and job.identity.endswith("+pooler")
    found = job.found
    assert found["captions"]["right"] == NEEDED and set(found["captions"]) <= {"right", *KINDS}
    assert len(found["captions"]) > 5
    assert found["proposed"]["errors"]["right"] <= found["today"]["errors"]["right"] + MOST_WAITING
    assert found["by_similarity"][0]["right"] == 0.0 and found["by_similarity"][0]["threshold"] == 0.0
    page = lead.get(PAGE).content.decode()
    assert "Adopt these thresholds" in page and "wrong (a negation), and pass" in page and "+pooler" in page
    assert "the fewest wrong captions pass" in page and "whose descriptions have the same text" in page
    assert tuple(KIND_WORDS) == ("right", *KINDS), "each kind has its words, and the right ones come first"
    assert "calibrated for the encoder" not in lead.get("/c/friends/rewriting/").content.decode()
    assert lead.post(f"{PAGE}{job.pk}/adopt")["Location"] == PAGE
    friends.refresh_from_db()
    assert (friends.similarity_threshold, friends.kept_threshold) == (job.similarity, job.kept)
    page = lead.get(PAGE).content.decode()
    assert "Adopted: these thresholds hold." in page and "Adopt these" not in page
    Collection.objects.filter(pk=friends.pk).update(kept_threshold=0.77)
    assert "Adopt these" in lead.get(PAGE).content.decode(), "other ones hold by now"
    (row,) = read(lead, "collections/friends/calibrations")["items"]
    assert row["encoder"] == f"{tiny}+pooler" and row["adopted_at"] and row["similarity"] == job.similarity
    # The same model by another pooling is another encoder, which nobody has calibrated.
    monkeypatch.setenv("ENCODER_POOLING", "cls")
    assert f"{tiny}+cls" in warn_uncalibrated(friends)
    with pytest.raises(Refused, match="Calibrate again"):
        adopt(calibration=job)


def test_a_kept_calibration_is_of_its_encoder_style_and_collection(friends: Collection, tiny: str) -> None:
    told = warn_uncalibrated(friends)
    assert f"{tiny}+pooler" in told and "manage.py calibrate_checks friends" in told
    done(friends, encoder=f"{tiny}+cls")
    done(make_collection([], name="others"), encoder=f"{tiny}+pooler")
    CheckCalibration.objects.create(
        collection=friends, captions=500, style="faithful", encoder=f"{tiny}+pooler", state="refused"
    )
    assert warn_uncalibrated(friends)
    kept = done(friends, encoder=f"{tiny}+pooler")
    assert not warn_uncalibrated(friends)
    friends.rewriting_style = "diverse"
    friends.save()
    assert "the style diverse" in warn_uncalibrated(friends)
    with pytest.raises(Refused, match=r"the style faithful\. Calibrate again"):
        adopt(calibration=kept)


def test_the_packaged_encoder_needs_no_calibration(friends: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not warn_uncalibrated(friends)
    monkeypatch.setenv("ENCODER_POOLING", "cls")
    assert "all-MiniLM-L6-v2+cls" in warn_uncalibrated(friends), "but by another pooling it is another"


def test_rewrite_warns(friends: Collection, tiny: str, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("rewrite", "friends", "--estimate")
    assert "manage.py calibrate_checks friends measures it" in capsys.readouterr().err
    done(friends, encoder=f"{tiny}+pooler")
    call_command("rewrite", "friends", "--estimate")
    assert "calibrate" not in capsys.readouterr().err


def test_one_caption_too_few_is_a_sentence_that_says_how_many_are_needed(friends: Collection, client_of: Any) -> None:
    Caption.objects.filter(description__source_id="7").update(status="review")
    told = f"at least {NEEDED} right captions.*; there are {NEEDED - 1}"
    with pytest.raises(CommandError, match=told):
        call_command("calibrate_checks", "friends")
    ada = friends.memberships.get(role="lead")
    with pytest.raises(Refused, match=told):
        ask_for_calibration(member=ada)
    page = client_of(ada.account).post(f"{PAGE}start", follow=True).content.decode()
    assert f"there are {NEEDED - 1}" in page and not CheckCalibration.objects.exists()


def test_what_equals_its_description_says_nothing_of_a_rewriter(friends: Collection) -> None:
    for description in friends.descriptions.filter(source_id="7"):
        Caption.objects.filter(description=description).update(text=description.text, normalised=description.normalised)
    with pytest.raises(CommandError, match=f"there are {NEEDED - 1}"):
        call_command("calibrate_checks", "friends")


def test_descriptions_in_other_languages_are_not_measured(friends: Collection) -> None:
    friends.descriptions.filter(source_id="7").update(language="de")
    with pytest.raises(CommandError, match=f"there are {NEEDED - 1}"):
        call_command("calibrate_checks", "friends")


def test_a_program_calibrates_and_adopts_what_holds(friends: Collection) -> None:
    caller, here = Caller(friends.memberships.get(role="lead")), "/collections/friends/calibrations"
    assert caller.post(here, {"captions": 199}).status_code == 422
    made = caller.post(here, {"captions": 200, "seed": 7})
    assert (made.status_code, made.json()["state"]) == (202, "queued")
    assert caller.post(here, {}).json()["calibration"] == made.json()["calibration"]
    assert caller.post(f"{here}/{made.json()['calibration']}/adopt", {}).status_code == 409, "it proposes nothing yet"
    other, ours = done(friends, encoder="another"), done(friends, encoder="all-MiniLM-L6-v2")
    assert caller.post(f"{here}/{other.pk}/adopt", {}).status_code == 409
    assert caller.post(f"{here}/{ours.pk}/adopt", {}).json()["adopted_at"]
    friends.refresh_from_db()
    assert (friends.similarity_threshold, friends.kept_threshold) == (0.3, 0.9)
    foreign = done(make_collection([], name="others"), encoder="all-MiniLM-L6-v2")
    assert caller.post(f"{here}/{foreign.pk}/adopt", {}).status_code == 404
    Caption.objects.filter(description__source_id="7").update(status="review")
    assert caller.post(here, {}).status_code == 409


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--captions", "199"], "captions: found 199, expected 200 to 5,000"),
        (["--seed", "-1"], "seed: found -1, expected 0 to 2,147,483,647"),
    ],
)
def test_numbers_that_cannot_be_are_refused(friends: Collection, options: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        call_command("calibrate_checks", "friends", *options)


def test_django_s_check_warns_of_each_collection_that_has_captions(
    friends: Collection, tiny: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make_collection([], name="empty")
    call_command("check", "--database", "default")
    told = capsys.readouterr().err
    assert "manage.py calibrate_checks friends" in told and "empty" not in told
    done(friends, encoder=f"{tiny}+pooler")
    call_command("check", "--database", "default")
    assert "calibrate" not in capsys.readouterr().err


def test_the_command_prints_what_it_keeps_and_adopts_when_asked(
    friends: Collection, tiny: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("calibrate_checks", "friends", "--captions", str(NEEDED), "--adopt")
    kept = CheckCalibration.objects.get()
    printed = capsys.readouterr().out
    assert f"Encoder {kept.identity}, style faithful." in printed and kept.said in printed
    assert all(f"{kind}, pass" in printed for kind in kept.found["captions"] if kind != "right")
    friends.refresh_from_db()
    assert (friends.similarity_threshold, friends.kept_threshold) == (kept.similarity, kept.kept) and kept.adopted_at
