"""A collection that differs from the defaults in every setting: its release is checked, read back, and every text of
it says what is so. A setting that is new fails until `everything_different` gives it a value."""

import csv
import hashlib
import json
import logging
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from django.test import Client

from datasets.formats.further_files import FURTHER_TABLES
from evaluation.__main__ import main
from evaluation.outlets.registry import OUTLETS
from evaluation.releases.check_release import check_release
from foundation.models import Collection, collection_settings
from tests.datasets.conftest import World
from tests.datasets.releases.everything_different import SAID, different, released
from tests.datasets.releases.test_scales_of_releases import texts_of

pytestmark = pytest.mark.django_db(transaction=True)

AS_EVER = {
    3: {"first_round_people", "grade_step", "rounding", "trimmed_grades", "auto_extend_from"},
    100: {"grade_words"},
}
"""By the top of the scale: what can't differ beside the rest there."""
NEVER = re.compile(
    r"No picture, sound or subtitle is included|given a sentence as|for a sentence, with|shows a sentence, nothing|"
    r"\b0 to 4\b|0-4\b|perfect|a few points|posteriors raw_annotations\.csv`|: > |trimmed|dropped|"
    r"`p0` to `p4`|a clip or a sound|clips and sounds that were|2 queries for val|USD"
)
"""What isn't so here."""
SO = (
    "They could look at 5 seconds before and after a moment.",
    "They could look again at the last clips of the query that they had judged, and their grades.",
    "Clips of 1 video hide parts of its picture.",
    "What counted of a moment, by the guideline: picture, sound, subtitles.",
    "Among the others people were given pairs whose grade was known: 1 answer, which doesn't count.",
    "1 judgment was set aside by a lead and doesn't count.",
    "Machines judged, too: robot (llava, 23 grades).",
    "After every grade annotators answered questions (",
    "Descriptions and queries are in: de.",
    "They were told the known grades once no more such pairs of the query were left to them.",
    "marks whose IoU is at least 0.50 agree, and spans.csv has the times agreed on.",
    "1 queries of val and 1 of test are topics",
)
"""What README, card, data sheet and Croissant all say."""
SO_OF = {
    3: ("12 of 24 pairs were drawn to be judged, with the probabilities in sampling.csv.",),
    100: (
        "6 judgments were made elsewhere and imported: how is not recorded here.",
        "Of 6 of them grades were mapped to the scale of this collection: ",
        "3 discarded pairs have a lead's own grade.",
        "give their mean, rounded to the nearest grade.",
    ),
}
"""By the top of the scale."""
OF_THE_SHEET = (
    "Pictures and sounds that were queries are in query_media/",
    "given a sentence, a picture or a sound as somebody",
    "1 video marked as violence; 1 video for people of at least 16 years; 1 video with regions that no clip shows.",
    "Annotators are asked to say that they are at least 18 years old.",
    "who confirmed version 1, what they judged stays under the worker id; who confirmed version 2, judgments of clips",
    "Native language? de: at least 5.",
    "By the guideline's version 1 (",
    "0.50 of them practice and exam, paid ",
    " EUR together, usually 14.00 EUR an hour",
    *SAID.values(),
)


def settings_of_collections() -> dict[str, Any]:
    """Each setting of the model, with its default."""
    groups = [group for group in Collection.__mro__ if group.__module__ == collection_settings.__name__]
    return {field.name: field.get_default() for group in groups for field in group._meta.local_fields}


def read_back(folder: Path, manifest: dict[str, Any]) -> None:
    """Every further file is what its description says, and mlcroissant reads each of them."""
    import mlcroissant

    logging.getLogger("absl").setLevel(logging.ERROR)
    dataset = mlcroissant.Dataset(jsonld=folder / "croissant" / "croissant.json")
    assert not dataset.metadata.ctx.issues.errors
    for key, table in FURTHER_TABLES.items():
        if key not in manifest:
            continue
        with (folder / table.file).open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows and list(rows[0]) == list(table.columns), table.file
        assert len(list(dataset.records(table.file.removesuffix(".csv")))) == len(rows), table.file
        for path in ("README.md", "parquet/README.md", "datasheet/DATASHEET.md"):
            assert table.file in (folder / path).read_text(), (table.file, path)
    described = {
        one["@id"]: one for one in json.loads((folder / "croissant/croissant.json").read_text())["distribution"]
    }
    for name, kind in (("query_media/robot%201.png", "image/png"), ("query_media/hum.mp3", "audio/mpeg")):
        assert described[name]["encodingFormat"] == kind
        path = folder / "croissant" / unquote(described[name]["contentUrl"])
        assert hashlib.sha256(path.read_bytes()).hexdigest() == described[name]["sha256"]


@pytest.mark.parametrize("top", [3, 100])
def test_a_release_of_what_differs_in_everything_is_so_in_every_sentence(
    top: int, unjudged: World, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    release = different(unjudged, folder, top)
    collection, defaults = Collection.objects.get(pk=unjudged.collection.pk), settings_of_collections()
    as_ever = {name for name, default in defaults.items() if getattr(collection, name) == default}
    assert as_ever == AS_EVER[top], "every setting differs here, a new one too"
    assert not AS_EVER[3] & AS_EVER[100]
    assert check_release(folder) == []
    assert set(FURTHER_TABLES) - set(release.manifest) == (set() if top == 3 else {"posteriors", "sampling"})
    released(unjudged, tmp_path / "plain", top, name="2.0.0")
    texts = texts_of(folder) | {"README.md of the plain one": (tmp_path / "plain" / "README.md").read_text()}
    for name, text in texts.items():
        found = [text[max(0, at.start() - 40) : at.end() + 40] for at in NEVER.finditer(text)]
        assert found == [], name
    sheet = texts["datasheet/DATASHEET.md"]
    for sentence in (*SO, *SO_OF[top]):
        telling = [name for name in texts if not name.startswith(("tables/", "consent/"))]
        assert len(telling) == 5 and [name for name in telling if sentence not in texts[name]] == [], sentence
    for sentence in OF_THE_SHEET:
        assert sentence in sheet, sentence
    if top == 3:
        assert "- de: 0 daneben; 1 nah; 2 gut; 3 da" in texts["README.md"]
        assert "posteriors raw_annotations.csv --top-grade 3`" in texts["README.md"]
        assert "(0, off, to 3, there)" in texts["croissant.json"]
    assert ("Discarded pairs have no grade but a lead's (adjudicated.csv)" in texts["README.md"]) == (top == 100)
    read_back(folder, release.manifest)
    client = Client()
    client.force_login(unjudged.members["ada"].account)
    page = client.get(f"/c/tiny/releases/{release.pk}/").content.decode()
    assert [path for path in release.files if path not in page] == []
    assert ("at most 25 apart" in page) == (top == 100) and ("at most 1 apart" in page) == (top == 3)


@pytest.mark.parametrize("top", [3, 100])
def test_evaluation_s_commands_take_it_or_say_why_not(
    top: int, unjudged: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    different(unjudged, folder, top)
    raw, run_file = str(folder / "raw_annotations.csv"), str(folder / "sample_run.jsonl")
    truth, drawn = str(folder / "val.json"), str(folder / "sampling.csv")
    options = [
        "--top-grade",
        str(top),
        *(["--step", "5", "--rule", "mean", "--largest-difference", "20"] if top > 4 else []),
    ]
    rule = [*options, *(["--rule", "median", "--second-round", "1", "--largest-difference", "0"] if top == 3 else [])]
    drawing = [["sampled", run_file, "--truth", truth, "--sampling", drawn]] if top == 3 else []
    for outlet in OUTLETS:
        assert main(["export", str(folder), str(tmp_path / outlet), "--to", outlet]) == 0
    annotations = (tmp_path / "qvhighlights" / "highlight_val_release.jsonl").read_text().splitlines()
    ratings = {own[0] for line in annotations for own in json.loads(line)["saliency_scores"]}
    assert ratings <= set(range(5)) and ratings
    loaded = json.loads((tmp_path / "ir-datasets" / "metadata.json").read_text())
    scale = json.loads((folder / "manifest.json").read_text())["scale"]
    first = scale["words"][scale["languages"][0]]
    assert {grade: loaded["grades"][grade] for grade in first} == {grade: own["word"] for grade, own in first.items()}
    capsys.readouterr()
    for command in (["score", truth, run_file], ["audit", raw, *rule], *drawing):
        assert main(command) == 0, capsys.readouterr().err
        assert "sample_run" in (said := capsys.readouterr().out) or "pairs graded" in said
    assert "says another rule" not in capsys.readouterr().err
    assert main(["audit", raw]) == (0 if top == 3 else 2)
    told = "--top-grade 3 --second-round 1 --largest-difference 0 --kind median" if top == 3 else "--top-grade 100"
    assert told.replace("--kind", "--rule") in capsys.readouterr().err
    assert main(["stability", truth, run_file, "--raw", raw]) != 0
    assert "decides anew by the paper's rule on grades 0-4" in capsys.readouterr().err
    own = str(tmp_path / "posteriors.csv")
    if top == 3:
        assert main(["posteriors", raw, "--top-grade", "3", "--output", own]) == 0
        assert Path(own).read_text().count("\n") > 3
        assert main(["score", truth, run_file, "--posteriors", str(folder / "posteriors.csv")]) == 0
    else:
        assert main(["posteriors", raw, "--output", own]) != 0
        assert "expected a whole number from 0 to 4" in capsys.readouterr().err
