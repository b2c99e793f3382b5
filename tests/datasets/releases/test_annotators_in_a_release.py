"""A release says what annotators agreed to, and who they were in sums: in files of their own, and in words."""

import csv
import json
import math
import re
import uuid
from pathlib import Path
from typing import Any

import pytest

from annotation.consent.standing import confirm_consent
from annotation.consent.survey import answer_survey, ask_question
from annotation.consent.texts import publish_consent
from annotation.models import Judgment, Pair, SurveyAnswer, SurveySum
from datasets.formats import FORMATS
from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.collections.members import add_member
from foundation.models import Account
from foundation.refused import Refused
from tests.datasets.conftest import World

CONSENT = "# Taking *part*\n\nGrades are published."


def released(world: World, folder: Path, **asked: Any) -> Release:
    release = create_release(collection=world.collection, **asked)
    write_release(release=release, folder=folder)
    assert check_release(folder) == []
    return release


def ask_them(world: World) -> None:
    """A text in two versions, which one of the four who judged confirms, and a question that seven of twelve who have
    only begun answer."""
    lead = world.members["ada"]
    publish_consent(lead=lead, source="Draft words.", on_withdrawal="kept")
    publish_consent(lead=lead, source=CONSENT, note="clearer", on_withdrawal="undecided")
    question = ask_question(lead=lead, kind="language", text="Native language?", options=[])
    pair = Pair.objects.filter(status=Pair.Status.OPEN).first()
    if pair is None:
        pair = Pair.objects.filter(status=Pair.Status.DISCARDED).earliest("pk")
        Pair.objects.filter(pk=pair.pk).update(status=Pair.Status.WITHDRAWN)
    confirm_consent(member=world.members["cy"], version=2)
    for number in range(12):
        account = Account.objects.create(username=f"p{number}")
        member = add_member(collection=world.collection, account=account, role="annotator")
        Judgment.objects.create(pair=pair, annotator=member, grade=1, round=1, key=uuid.uuid4())
        confirm_consent(member=member, version=2)
        answer_survey(member=member, answers={question.pk: "de" if number < 7 else ""})


def test_a_release_of_a_collection_that_asks_nothing_says_nothing_of_it(judged: World, tmp_path: Path) -> None:
    release = released(judged, tmp_path / "plain", name="v0", formats=list(FORMATS))
    assert not {"consent", "survey"} & set(release.manifest) and "annotators.csv" not in release.files
    said = json.loads((tmp_path / "plain" / "croissant" / "croissant.json").read_text())
    assert "consent" not in said["rai:dataCollection"] and "Surveys" not in said["rai:dataCollectionType"]
    assert len(said["rai:annotatorDemographics"]) == 1 and "4 annotators" in said["rai:annotatorDemographics"][0]


def test_a_release_has_the_texts_and_the_sums(judged: World, tmp_path: Path) -> None:
    ask_them(judged)
    folder = tmp_path / "out"
    release = released(judged, folder, name="v1", formats=list(FORMATS))
    assert (folder / "consent" / "version-2.md").read_text() == CONSENT
    assert (folder / "consent" / "version-1.md").read_text() == "Draft words."
    facts = release.manifest["consent"]
    assert (facts["annotators"], facts["confirmed"]) == (4, 1)
    assert [text["sha256"] for text in facts["versions"]] == [
        release.files[f"consent/version-{version}.md"] for version in (1, 2)
    ]
    with (folder / "annotators.csv").open(newline="") as file:
        assert list(csv.DictReader(file)) == [
            {"question": "Native language?", "answer": "de", "people": "5"},
            {"question": "Native language?", "answer": "", "people": "11"},
        ]
    sheet = (folder / "datasheet" / "DATASHEET.md").read_text()
    assert "1 of 4 annotators read a consent text and confirmed it" in sheet
    assert "- Native language? de: at least 5. Another answer, or none: 11. (Of 16 annotators.)" in sheet
    assert "annotators.csv" in (folder / "README.md").read_text()


def test_croissant_says_it_in_its_own_vocabulary(judged: World, tmp_path: Path) -> None:
    import mlcroissant

    ask_them(judged)
    released(judged, tmp_path / "out", name="v1", formats=list(FORMATS))
    dataset = mlcroissant.Dataset(jsonld=tmp_path / "out" / "croissant" / "croissant.json")
    assert not dataset.metadata.ctx.issues.errors and "RAI" not in dataset.metadata.ctx.issues.report()
    assert "confirmed it" in str(dataset.metadata.data_collection)
    assert "at least 5" in str(dataset.metadata.annotator_demographics)
    rows = [row["annotators/people"] for row in dataset.records("annotators")]
    assert rows == [5, 11]


def test_sums_are_frozen_and_a_release_never_moves(judged: World, tmp_path: Path) -> None:
    ask_them(judged)
    first = released(judged, tmp_path / "one", name="v1")
    SurveyAnswer.objects.all().delete()
    second = released(judged, tmp_path / "two", name="v2")
    assert second.manifest["survey"] == first.manifest["survey"]
    assert create_release(collection=judged.collection, name="v1").pk == first.pk


def test_a_draft_makes_no_sum(judged: World, tmp_path: Path) -> None:
    ask_them(judged)
    assert "survey" not in released(judged, tmp_path / "draft").manifest and not SurveySum.objects.exists()


def test_a_release_that_is_refused_makes_no_sum(judged: World) -> None:
    ask_them(judged)
    Pair.objects.filter(status=Pair.Status.CONSENSUS).update(status=Pair.Status.OPEN, grade=None)
    with pytest.raises(Refused, match="no pair has a grade yet"):
        create_release(collection=judged.collection, name="v1")
    assert not SurveySum.objects.exists(), "who answers later is still heard"


@pytest.mark.parametrize(
    ("path", "change", "problem"),
    [
        ("annotators.csv", ("de,5", "de,3"), "expected fives, and at least five"),
        ("annotators.csv", ("de,5", "fr,5"), "isn't what the manifest says of survey|aren't what the manifest says"),
        ("consent/version-2.md", ("Grades", "Names"), "isn't the text with the SHA-256"),
    ],
)
def test_the_check_finds_what_was_changed(
    judged: World, tmp_path: Path, path: str, change: tuple[str, str], problem: str
) -> None:
    ask_them(judged)
    released(judged, tmp_path / "out", name="v1")
    file = tmp_path / "out" / path
    file.write_text(file.read_text().replace(*change))
    assert any(re.search(problem, found) for found in check_release(tmp_path / "out"))


def test_a_number_beyond_all_numbers_is_a_problem_and_not_the_end_of_the_check(judged: World, tmp_path: Path) -> None:
    ask_them(judged)
    manifest = released(judged, tmp_path / "out", name="v1").manifest
    manifest["consent"]["versions"][0]["version"] = manifest["counts"]["training"]["queries"] = math.inf
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest).replace("Infinity", "1e999"))
    assert "manifest.json doesn't say of consent what it should" in check_release(tmp_path / "out")
