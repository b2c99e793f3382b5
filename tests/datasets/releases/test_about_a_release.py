"""What the authors say of a release, and what the site knows of its making, is in all files that tell it."""

import json
from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Judgment
from datasets.formats.about import FIELDS, about_of, authors_of, citation_file
from datasets.models import ReleaseJob
from datasets.releases.jobs import make_asked_release
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.refused import Refused
from tests.api.callers import Caller
from tests.datasets.conftest import World

ABOUT = {
    "authors": "Curie, Marie; The Paper Team",
    "licence": "CC-BY-4.0",
    "citation": '@misc{tiny,\n  title = {Tiny: "small"}\n}',
    "limitations": "Twelve moments.",
}
MORE = {"address": "https://example.org/tiny", "biases": "Two shows."}


def test_it_is_in_manifest_card_datasheet_croissant_and_a_citation_file(judged: World, tmp_path: Path) -> None:
    judged.collection.pay_per_hour, judged.collection.currency = 14, "SGD"
    judged.collection.save()
    Judgment.objects.update(active_seconds=360.0)
    formats = ["tvr-ranking", "croissant", "datasheet"]
    release = create_release(collection=judged.collection, name="v1.0.0", formats=formats, about=ABOUT)
    write_release(release=release, folder=tmp_path / "out")
    out = tmp_path / "out"
    assert release.manifest["about"] == ABOUT
    work = release.manifest["work"]
    hours = Judgment.objects.count() / 10
    assert (work["people"], work["hours"], work["pay_per_hour"], work["currency"]) == (4, hours, 14.0, "SGD")
    assert work["pay"] == pytest.approx(14 * hours)
    cited = yaml.safe_load((out / "CITATION.cff").read_text())
    assert cited["authors"] == [{"family-names": "Curie", "given-names": "Marie"}, {"name": "The Paper Team"}]
    assert (cited["cff-version"], cited["title"], cited["version"]) == ("1.2.0", "Tiny", "v1.0.0")
    assert (cited["license"], cited["message"]) == ("CC-BY-4.0", ABOUT["citation"])
    croissant = json.loads((out / "croissant" / "croissant.json").read_text())
    assert (croissant["version"], croissant["license"], croissant["citeAs"]) == (
        "1.0.0",
        "https://spdx.org/licenses/CC-BY-4.0",
        ABOUT["citation"],
    )
    assert [one["name"] for one in croissant["creator"]] == ["Marie Curie", "The Paper Team"]
    card = (out / "README.md").read_text()
    assert "\nlicense: cc-by-4.0\n" in card and "Limitations: Twelve moments." in card
    sheet = (out / "datasheet" / "DATASHEET.md").read_text()
    assert f"took 4 people {hours:,.2f} hours, paid {14 * hours:,.2f} SGD together, usually 14.00 SGD an hour" in sheet
    assert "**Under which licence?**\n\nCC-BY-4.0" in sheet and "@misc{tiny" in sheet and "Twelve moments." in sheet
    assert check_release(out) == []


def test_without_it_the_files_leave_it_to_the_authors(judged: World, tmp_path: Path) -> None:
    release = create_release(collection=judged.collection, name="v1", formats=["croissant", "datasheet"])
    write_release(release=release, folder=tmp_path / "out")
    assert not (tmp_path / "out" / "CITATION.cff").exists()
    assert release.manifest["about"] == dict.fromkeys(ABOUT, "")
    assert "\nlicense: unknown\n" in (tmp_path / "out" / "README.md").read_text()
    croissant = json.loads((tmp_path / "out" / "croissant" / "croissant.json").read_text())
    assert croissant["version"] == "v1" and not {"license", "citeAs", "creator"} & set(croissant)


def test_a_release_never_changes_what_is_said_of_it(judged: World, tmp_path: Path) -> None:
    made = create_release(collection=judged.collection, name="v1", about=ABOUT)
    write_release(release=made, folder=tmp_path / "out")
    readme = (tmp_path / "out" / "README.md").read_text()
    assert readme.startswith("---\nlicense: cc-by-4.0\n---\n"), "also without the formats that have a dataset card"
    assert "Licence: CC-BY-4.0" in readme and "    @misc{tiny," in readme and "Limitations: Twelve moments." in readme
    assert create_release(collection=judged.collection, name="v1").pk == made.pk
    assert create_release(collection=judged.collection, name="v1", about=ABOUT).pk == made.pk
    with pytest.raises(Refused, match="with these it needs another name"):
        create_release(collection=judged.collection, name="v1", about={"licence": "MIT"})
    with pytest.raises(CommandError, match="needs another name"):
        call_command("export_release", "tiny", str(tmp_path / "x"), release="v1", licence="MIT", stdout=StringIO())


def test_the_form_of_the_page_takes_it(judged: World) -> None:
    client = Client()
    client.force_login(next(m.account for m in judged.members.values() if m.role == "lead"))
    client.post(
        "/c/tiny/releases/make",
        {"name": "2.0.0", "format": ["tvr-ranking"], "without_undecided": "on", **ABOUT, **MORE},
    )
    job = ReleaseJob.objects.get()
    make_asked_release(job.pk)
    said = {
        name: text.replace("\r\n", "\n") for name, text in judged.collection.releases.get().manifest["about"].items()
    }
    assert said == ABOUT | MORE
    page = client.get("/c/tiny/releases/").content.decode()
    assert all(f'name="{field}"' in page for field in FIELDS)


def test_a_program_says_it_too(judged: World) -> None:
    new = {"name": "3.0.0", "formats": ["tvr-ranking"], "without_undecided": True, "about": ABOUT | MORE}
    ada = Caller(judged.members["ada"])
    assert ada.post("/collections/tiny/releases", new).status_code == 202
    make_asked_release(ReleaseJob.objects.get().pk)
    assert judged.collection.releases.get().manifest["about"] == ABOUT | MORE
    assert ada.post("/collections/tiny/releases", new | {"about": {"bias": "none"}}).status_code == 422


def test_the_command_takes_it_and_says_what_is_left_open(judged: World, tmp_path: Path) -> None:
    out = StringIO()
    formats = ["croissant", "datasheet"]
    call_command("export_release", "tiny", str(tmp_path / "x"), release="1.0.0", formats=formats, stdout=out, **MORE)
    assert judged.collection.releases.get().manifest["about"] == dict.fromkeys(ABOUT, "") | MORE
    left = "--authors, --licence, --citation, --limitations, --sources, --uses, --sensitive, --impact, --recruitment"
    assert f"Left open, though venues ask for it (docs/publishing.md): {left}, --maintenance." in out.getvalue()


def test_whatever_is_said_is_read_from_the_citation_file_again() -> None:
    said = about_of(
        {
            "authors": 'O\'Neil: #1,\nAda (https://orcid.org/0000-0002-1694-233x); "The" \\Team; , Plato; ,;',
            "licence": "ours:\nask #us",
            "citation": '@misc{a_b,\n\ttitle = {50\\% \\& "q": {\\\'e}\x07}\n}\n---',
            "limitations": "- none: # \u2028\n'x'",
        }
    )
    facts = {"about": said, "title": 'A: "b" \\ #c', "release": "v1", "created_at": "2026-01-02T03:04:05Z"}
    cited = yaml.safe_load(citation_file(facts) or "")
    assert cited["message"] == said["citation"] and cited["title"] == facts["title"]
    assert cited["abstract"] == f"Limitations: {said['limitations']}"
    assert cited["authors"] == [
        {"family-names": "O'Neil: #1", "given-names": "Ada", "orcid": "https://orcid.org/0000-0002-1694-233X"},
        {"name": '"The" \\Team'},
        {"name": "Plato"},
    ]
    assert "license" not in cited, "only SPDX's identifiers may stand there"
    assert citation_file(facts | {"about": about_of({"authors": ",;"})}) is None and authors_of({}) == []


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"license": "MIT"}, "Found the field 'license'"),
        ({"citation": "x" * 10_001}, "found 10,001 characters"),
        ({"authors": "Carberry, Josiah (0000-0002-1825-0098)"}, "found the ORCID iD 0000-0002-1825-0098, expected"),
        ({"licence": "CC\udcff"}, "Licence: found bytes that are no text"),
        ({"address": "our page"}, "Address: found 'our page', expected one that begins with https"),
    ],
)
def test_an_unknown_field_too_long_a_text_and_one_that_cannot_be_stored_are_refused(
    said: dict[str, str], reason: str
) -> None:
    with pytest.raises(Refused, match=reason):
        about_of(said)
