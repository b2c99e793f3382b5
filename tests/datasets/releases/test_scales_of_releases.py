"""Every text of a release says the scale that its pairs were judged on, and no other; the paper's is said as ever."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from annotation.models import Pair
from annotation.scale import Scale, scale_of, scale_of_release
from annotation.settings.grade_rows import grade_row
from annotation.settings.grade_words import set_grade_words
from annotation.settings.services import configure
from datasets.formats import FORMATS
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.models import Collection
from tests.datasets.conftest import World
from tests.datasets.corruptions import edit, edit_raw

pytestmark = pytest.mark.django_db(transaction=True)
OF_THE_PAPER = re.compile(
    r"\bfive\b|0 to 4\b|0-4\b|0–4\b|grades? 4\b|grade 3\b|a few points|in part\b|perfect|unrelated|for a detail",
    re.IGNORECASE,
)
"""What is said of the paper's scale alone."""
OWN = (
    (0, "en", "no", "nothing that the caller asked for", "#e7dcd0", "#4b443c"),
    (1, "en", "yes", "what the caller asked for", "#0b4f6c", "#8fd3f4"),
    (0, "de", "nein", "nichts davon", "", ""),
    (1, "de", "ja", "das Gesuchte", "", ""),
)


def texts_of(folder: Path) -> dict[str, str]:
    """Every text that a person reads in a release: its files in Markdown, and what Croissant says."""
    found = {str(path.relative_to(folder)): path.read_text() for path in folder.glob("**/*.md")}
    croissant = json.loads((folder / "croissant" / "croissant.json").read_text())
    said = {name: value for name, value in croissant.items() if name not in ("@context", "distribution")}
    return found | {"croissant.json": json.dumps(said, ensure_ascii=False)}


def released(world: World, folder: Path, grades: tuple[int, ...], formats: list[str] | None = None, **more: Any) -> Any:
    for place, pair in enumerate(Pair.objects.filter(batch__collection=world.collection, status="open").order_by("pk")):
        grade = grades[place % len(grades)]
        world.judge(pair, ("cy", grade), ("di", grade))
    made = create_release(
        collection=Collection.objects.get(pk=world.collection.pk), name="v1", formats=formats or list(FORMATS), **more
    )
    write_release(release=made, folder=folder)
    return made.manifest


def set_scale(world: World, **changes: str) -> None:
    configure(collection=world.collection, changes=changes)
    for member in world.members.values():
        member.collection.refresh_from_db()
    world.collection.refresh_from_db()


def test_a_scale_of_two_with_own_words_is_said_everywhere_and_the_paper_s_nowhere(
    unjudged: World, tmp_path: Path
) -> None:
    set_scale(unjudged, top_grade="1", largest_difference="0", extend_threshold="0.5")
    names = ("grade", "language", "word", "shows", "colour", "dark_colour")
    rows = [grade_row(dict(zip(names, row, strict=True))) for row in OWN]
    set_grade_words(collection=unjudged.collection, rows=rows)
    folder = tmp_path / "out"
    manifest = released(unjudged, folder, (0, 1))
    texts = texts_of(folder)
    assert {"README.md", "parquet/README.md", "datasheet/DATASHEET.md"} <= texts.keys()
    for name, text in texts.items():
        found = [text[max(0, at.start() - 40) : at.end() + 40] for at in OF_THE_PAPER.finditer(text)]
        assert found == [], name
    for name in ("README.md", "parquet/README.md"):
        assert "| 1 | yes | what the caller asked for |" in texts[name]
        assert "- de: 0 nein; 1 ja" in texts[name] and "grade up to 1" in texts[name]
    assert "0 (no): nothing that the caller asked for; 1 (yes): what the caller" in texts["datasheet/DATASHEET.md"]
    assert "graded relevance (0, no, to 1, yes)" in texts["croissant.json"]
    assert yaml.safe_load(texts["README.md"].split("---")[1])["pretty_name"]
    assert manifest["scale"]["words"]["de"]["1"] == {"word": "ja", "shows": "das Gesuchte"}
    assert manifest["scale"]["colours"] == {"0": ["#e7dcd0", "#4b443c"], "1": ["#0b4f6c", "#8fd3f4"]}
    assert manifest["counts"]["val"]["pairs_by_grade"].keys() == {"0", "1"}
    assert scale_of_release(manifest) == scale_of(Collection.objects.get(pk=unjudged.collection.pk))
    assert scale_of_release(json.loads(json.dumps(manifest, sort_keys=True))).languages == ["en", "de"]
    assert check_release(folder) == []


@pytest.mark.parametrize(
    ("changes", "grades", "said"),
    [
        ({"top_grade": "3"}, (0, 1, 2, 3), "| 3 | fully relevant | all of what the query asks for |"),
        (
            {"top_grade": "100", "grade_step": "5", "largest_difference": "20"},
            (0, 45, 85, 100),
            "Grades are whole numbers from 0 to 100 in steps of 5",
        ),
    ],
)
def test_other_scales_have_words_whose_top_is_the_best(
    changes: dict[str, str], grades: tuple[int, ...], said: str, unjudged: World, tmp_path: Path
) -> None:
    set_scale(unjudged, **changes)
    folder = tmp_path / "out"
    manifest = released(unjudged, folder, grades)
    texts = texts_of(folder)
    assert said in texts["README.md"]
    for name, text in texts.items():
        allowed = re.sub(r"[Gg]rade 3\b", "", text) if changes["top_grade"] == "3" else text
        found = [allowed[max(0, at.start() - 40) : at.end() + 40] for at in OF_THE_PAPER.finditer(allowed)]
        assert found == [], name
    assert scale_of_release(manifest).word(int(changes["top_grade"]), "de") is not None
    assert check_release(folder) == []


def test_a_readme_without_the_tables_says_it_too(unjudged: World, tmp_path: Path) -> None:
    set_scale(unjudged, top_grade="1", largest_difference="0")
    released(unjudged, tmp_path / "out", (0, 1), ["tvr-ranking"])
    text = (tmp_path / "out" / "README.md").read_text()
    assert "## Grades" in text and "| 1 | relevant | what the query asks for |" in text


def test_the_paper_s_scale_is_in_no_manifest_and_in_the_words_of_before(unjudged: World, tmp_path: Path) -> None:
    manifest = released(unjudged, tmp_path / "out", (0, 4, 2))
    assert "scale" not in manifest and scale_of_release(manifest).word(3, "en") == Scale(4).word(3, "en")
    text = (tmp_path / "out" / "README.md").read_text()
    assert "| grade | the moment shows | val | test |\n| ---: | --- | ---: | ---: |\n| 0 | unrelated |" in text
    assert "## Grades" in text and "| 4 | the query perfectly |" in text


def test_the_check_knows_the_scale_s_highest_grade(unjudged: World, tmp_path: Path) -> None:
    set_scale(unjudged, top_grade="1", largest_difference="0", extend_threshold="0.5")
    folder = tmp_path / "release"
    released(unjudged, folder, (0, 1), ["tvr-ranking"])
    assert check_release(folder) == []
    edit_raw(folder, lambda rows: rows[0].update(relevance="4"))
    assert any("found relevance '4', expected 0 or 1" in problem for problem in check_release(folder))
    edit(folder, "manifest.json", lambda manifest: manifest["settings"]["consensus"].update(top_grade=1.0))
    assert "manifest.json doesn't state the numbers of the consensus rule" in check_release(folder)
