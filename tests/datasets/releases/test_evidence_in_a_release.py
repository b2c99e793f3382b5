"""A release says what of a moment the guideline asked for, unless that was pictures alone."""

import pytest

from datasets.formats.procedure import procedure_in_english
from datasets.releases.make_release import create_release
from foundation.models import Collection
from tests.datasets.conftest import World

ALL = ["picture", "sound", "subtitles"]


@pytest.mark.parametrize("evidence", [["picture"], ALL])
def test_a_release_says_what_counted_unless_it_was_pictures_alone(judged: World, evidence: list[str]) -> None:
    Collection.objects.update(evidence=evidence)
    manifest = create_release(collection=Collection.objects.get(), name="v1").manifest
    sentence = "What counted of a moment, by the guideline: picture, sound, subtitles."
    assert (sentence in procedure_in_english(manifest)) == (evidence == ALL)
    assert manifest["settings"].get("evidence") == (ALL if evidence == ALL else None)
