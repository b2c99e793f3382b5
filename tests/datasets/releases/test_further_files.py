"""A release says what machine judges said, how pairs were drawn and how likely each grade is: in files of their own."""

import csv
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import MachineJudgment, Pair
from datasets.formats import FORMATS
from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from evaluation.reading.judgments import read_judgments
from evaluation.releases.check_release import check_release
from foundation.refused import Refused
from tests.datasets.conftest import World
from tests.datasets.formats.test_formats import records
from tests.datasets.releases.further import draw_pairs, draw_queries, plant
from tests.evaluation.files import told

FURTHER = {"machine_judgments.csv", "sampling.csv", "posteriors.csv"}


def released(world: World, folder: Path, **asked: Any) -> Release:
    release = create_release(collection=world.collection, **asked)
    write_release(release=release, folder=folder)
    assert check_release(folder) == []
    return release


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_release_that_asks_for_nothing_is_what_it_was_before_a_machine_judged(judged: World, tmp_path: Path) -> None:
    before = released(judged, tmp_path / "before")
    plant(judged)
    after = released(judged, tmp_path / "after")
    assert after.content_hash == before.content_hash and not FURTHER & set(after.files)
    assert not {"machine_judgments", "sampling", "posteriors"} & set(after.manifest)


def test_no_file_but_one_ever_has_a_machine_s_grade(judged: World, tmp_path: Path) -> None:
    plain = released(judged, tmp_path / "plain", name="v0", formats=list(FORMATS))
    plant(judged, version="planted-version")
    release = released(judged, tmp_path / "with", name="v1", formats=list(FORMATS), machine_judges=["robot"])
    assert set(release.files) - set(plain.files) == {"machine_judgments.csv"}
    saying = {"manifest.json", "README.md", "DATASHEET.md", "croissant.json", "ro-crate-metadata.json", "datacite.json"}
    for path in plain.files:
        own, before = (tmp_path / "with" / path).read_bytes(), (tmp_path / "plain" / path).read_bytes()
        if Path(path).name not in saying:
            assert own == before, path
        if path != "manifest.json":
            assert b"planted-version" not in own, path
    for path in ("val.json", "test.json", "raw_annotations.csv", "trec/qrels.val.txt", "beir/qrels/val.tsv"):
        assert path in plain.files and (tmp_path / "with" / path).read_bytes(), path
    counts = [one.manifest["counts"] for one in (plain, release)]
    assert counts[0] == counts[1] and plain.manifest["statistics"] == release.manifest["statistics"]


def test_what_machines_said_has_origin_and_version_on_each_row(judged: World, tmp_path: Path) -> None:
    plant(judged, guideline=2, prompt_version="p1", parameters={"samples": 5, "server": "http://10.0.0.7:8000/v1"})
    plant(judged, "file judge", 1, kind="file", version="2024-05")
    plant(judged, "not asked for", 2)
    release = released(judged, tmp_path / "out", machine_judges=["robot", "file judge"])
    found = rows(tmp_path / "out" / "machine_judgments.csv")
    assert len(found) == MachineJudgment.objects.filter(judge__name__in=["robot", "file judge"]).count()
    assert {(row["judge"], row["origin"], row["version"], row["guideline"]) for row in found} == {
        ("robot", "server", "v9", "2"),
        ("file judge", "file", "2024-05", ""),
    }
    assert {row["model"] for row in found} == {"llava"}, "a folder's place is nobody's business"
    assert {(row["grade"], row["abstained"]) for row in found} == {("4", ""), ("1", ""), ("", "refused")}
    pairs = {str(pk) for pk in Pair.objects.values_list("pk", flat=True)}
    assert {row["pair_id"] for row in found} == pairs | {""}, "what people weren't given is there, too"
    known = {row["pair_id"]: (row["query_id"], row["video_name"], row["timestamp"]) for row in found}
    for row in rows(tmp_path / "out" / "raw_annotations.csv"):
        assert known[row["pair_id"]] == (row["query_id"], row["video_name"], row["timestamp"])
    robot, other = release.manifest["machine_judgments"]["judges"]
    assert (robot["name"], robot["origin"], robot["family"], robot["model"]) == ("robot", "server", "CLIP", "llava")
    assert robot["parameters"] == {"samples": 5}, "nor is a server's address"
    assert sum(robot["abstained"].values()) == 1 and other["name"] == "file judge"
    readme = (tmp_path / "out" / "README.md").read_text()
    assert "Machines judged, too: robot (llava," in readme and "`prompt_version`" in readme


def test_a_judge_that_is_not_declared_here_is_refused(judged: World) -> None:
    plant(judged)
    with pytest.raises(Refused, match=r"There is no machine judge 'nobody' here\. There are: robot\."):
        create_release(collection=judged.collection, machine_judges=["robot", "nobody"])
    assert not Release.objects.exists()


def test_an_existing_release_never_gets_what_it_was_made_without(judged: World) -> None:
    plant(judged)
    plant(judged, "second")
    create_release(collection=judged.collection, name="v1")
    with pytest.raises(Refused, match="made without posteriors and never changes"):
        create_release(collection=judged.collection, name="v1", posteriors=True)
    with pytest.raises(Refused, match=r"made with other machine judges \(none\) and never changes"):
        create_release(collection=judged.collection, name="v1", machine_judges=["robot"])
    made = create_release(collection=judged.collection, name="v2", machine_judges=["robot"], posteriors=True)
    again = create_release(collection=judged.collection, name="v2", machine_judges=["robot"], posteriors=True)
    assert made == again == create_release(collection=judged.collection, name="v2")
    with pytest.raises(Refused, match=r"other machine judges \(robot\)"):
        create_release(collection=judged.collection, name="v2", machine_judges=["robot", "second"])


def test_posteriors_are_those_of_the_command_and_the_same_at_every_making(
    judged: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = released(judged, tmp_path / "out", posteriors=True)
    path = tmp_path / "out" / "posteriors.csv"
    told(capsys, "posteriors", tmp_path / "out" / "raw_annotations.csv", "--output", tmp_path / "own.csv")
    own = {row["pair_id"]: row for row in rows(tmp_path / "own.csv")}
    found = rows(path)
    assert len(found) == 2 * len(own) == 2 * release.manifest["posteriors"]["pairs"]
    for row in found:
        prefix = "p" if row["model"] == "dawid-skene" else "multinomial"
        assert [row[f"p{grade}"] for grade in range(5)] == [own[row["pair_id"]][f"{prefix}{g}"] for g in range(5)]
    changed = sum(float(row["changed"]) for row in own.values() if row["changed"])
    assert release.manifest["posteriors"]["changed_by_another"] == pytest.approx(changed, abs=0.06)
    grades = {str(pk): grade for pk, grade in Pair.objects.values_list("pk", "grade")}
    assert all(row["grade"] == ("" if grades[row["pair_id"]] is None else str(grades[row["pair_id"]])) for row in found)
    assert "" in {row["grade"] for row in found}, "the discarded pair has a posterior, and no grade"
    assert list(dict.fromkeys(row["pair_id"] for row in found)) == list(
        read_judgments(tmp_path / "out" / "raw_annotations.csv").pair_ids
    )
    before = path.read_bytes()
    Release.objects.all().delete()
    assert released(judged, tmp_path / "again", posteriors=True).content_hash == release.content_hash
    assert (tmp_path / "again" / "posteriors.csv").read_bytes() == before


def test_a_scale_of_fewer_grades_has_no_chance_beyond_it(
    unjudged: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unjudged.collection.top_grade = 3
    unjudged.collection.save()
    for place, pair in enumerate(Pair.objects.filter(batch__collection=unjudged.collection)):
        unjudged.judge(pair, ("bo", place % 4), ("cy", max(0, place % 4 - 1)))
    released(unjudged, tmp_path / "out", posteriors=True)
    raw, own = tmp_path / "out" / "raw_annotations.csv", tmp_path / "own.csv"
    told(capsys, "posteriors", raw, "--top-grade", "3", "--output", own)
    found = [row for row in rows(tmp_path / "out" / "posteriors.csv") if row["model"] == "dawid-skene"]
    assert {row["p4"] for row in found} == {"0.000000"}
    assert [row["p3"] for row in found] == [row["p3"] for row in rows(own)]


def test_a_sample_by_query_says_every_query_that_could_be_drawn(judged: World, tmp_path: Path) -> None:
    draw_queries(judged)
    release = released(judged, tmp_path / "out")
    found = rows(tmp_path / "out" / "sampling.csv")
    assert [row["query_id"] for row in found] == ["102", "101", "103", "104"]
    for row in found:
        assert [row[name] for name in ("pair_id", "stratum", "stratum_size", "drawn", "probability", "timestamp")] == [
            *("", "all", "4", "2", "0.5", "")
        ]
    stated = release.manifest["sampling"]
    assert (stated["unit"], stated["units"], stated["drawn"]) == ("query", 4, 2)
    assert stated["stages"] == [{"number": 1, "asked": [2]}]
    readme = (tmp_path / "out" / "README.md").read_text()
    assert "2 of 4 queries were drawn to be judged" in readme and "Horvitz and Thompson" in readme


def test_a_sample_by_pair_says_every_pair_of_the_frame(judged: World, tmp_path: Path) -> None:
    draw_pairs(judged)
    released(judged, tmp_path / "out", formats=["parquet", "croissant", "datasheet"])
    found = rows(tmp_path / "out" / "sampling.csv")
    assert {row["pair_id"] for row in found if row["pair_id"]} == {
        str(pk) for pk in Pair.objects.values_list("pk", flat=True)
    }
    assert any(row["pair_id"] == "" and row["video_name"] for row in found), "what wasn't drawn is there, too"
    assert all(float(row["probability"]) == int(row["drawn"]) / int(row["stratum_size"]) for row in found)
    datasheet = (tmp_path / "out" / "datasheet" / "DATASHEET.md").read_text()
    assert "pairs were drawn to be judged" in datasheet and "A row of sampling.csv is" in datasheet
    described = json.loads((tmp_path / "out" / "croissant" / "croissant.json").read_text())
    (records,) = [one for one in described["recordSet"] if one["name"] == "sampling"]
    assert [field["name"] for field in records["field"]] == list(found[0])


def test_croissant_s_own_library_reads_all_three(judged: World, tmp_path: Path) -> None:
    plant(judged)
    draw_pairs(judged)
    asked: dict[str, Any] = {"machine_judges": ["robot"], "posteriors": True}
    released(judged, tmp_path / "out", formats=["croissant"], **asked)
    for name in FURTHER:
        own, read = rows(tmp_path / "out" / name), records(tmp_path / "out", name.removesuffix(".csv"))
        assert [row["query_id"] for row in read] == [row["query_id"] for row in own]
        assert list(read[0]) == list(own[0])


@pytest.mark.parametrize(("draw", "queries", "pairs"), [(draw_queries, 4, 0), (draw_pairs, 0, 4)])
def test_the_command_that_estimates_from_a_sample_reads_it(
    judged: World, tmp_path: Path, draw: Callable[[World], object], queries: int, pairs: int
) -> None:
    reading = pytest.importorskip("evaluation.reading.sampling")
    draw(judged)
    released(judged, tmp_path / "out")
    found = reading.read_sampling(tmp_path / "out" / "sampling.csv")
    assert (len(found.queries), len(found.pairs)) == (queries, pairs)


def test_the_command_asks_for_them(judged: World, tmp_path: Path) -> None:
    plant(judged)
    with pytest.raises(CommandError, match="There is no machine judge 'roboter' here"):
        call_command("export_release", "tiny", str(tmp_path / "no"), "--machine-judges", "roboter", stdout=StringIO())
    assert not (tmp_path / "no").exists()
    said = StringIO()
    asked = ["--posteriors", "--machine-judges", "robot"]
    call_command("export_release", "tiny", str(tmp_path / "out"), "--release", "v1", *asked, stdout=said)
    assert "machine_judgments.csv" in said.getvalue() and "posteriors.csv" in said.getvalue()
    assert check_release(tmp_path / "out") == []


Change = Callable[[list[str]], list[str]]
MACHINES, SAMPLE, CHANCES = "machine_judgments.csv", "sampling.csv", "posteriors.csv"


def but_the_last(lines: list[str]) -> list[str]:
    return lines[:-1]


def the_last_twice(lines: list[str]) -> list[str]:
    return [*lines, lines[-1]]


def with_(new: str, old: str) -> Change:
    return lambda lines: [line.replace(old, new) for line in lines]


def another_pair(lines: list[str]) -> list[str]:
    return [lines[0], "1,1,1,1,0,0,0,0,0,0,dawid-skene\n"]


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        (MACHINES, but_the_last, "rows graded by robot, but the manifest says"),
        (MACHINES, the_last_twice, "robot judges this moment twice"),
        (MACHINES, with_("v8", old="v9"), "found the version 'v8', but the manifest says 'v9'"),
        (MACHINES, with_(",7,", old=",4,"), "found the grade '7', expected 0 to 4"),
        (MACHINES, with_("x]", old="0.75]"), "expected a list of probabilities"),
        (MACHINES, with_("r2", old="robot"), "found the judge 'r2'"),
        (SAMPLE, but_the_last, "found 3 units of stratum 'all', expected 4"),
        (SAMPLE, with_("0.4", old="0.5"), "and their quotient"),
        (SAMPLE, lambda lines: [], "sampling.csv: found the columns"),
        (CHANCES, but_the_last, "has no row by multinomial"),
        (CHANCES, the_last_twice, "is there twice by multinomial"),
        (CHANCES, with_(",0.9", old=",0.0"), "expected five whose sum is 1"),
        (CHANCES, another_pair, "query 1 has no judged pair 1"),
    ],
)
def test_the_check_sees_what_is_wrong_with_them(
    judged: World, tmp_path: Path, name: str, change: Change, problem: str
) -> None:
    plant(judged)
    draw_queries(judged)
    released(judged, tmp_path / "out", posteriors=True, machine_judges=["robot"])
    path = tmp_path / "out" / name
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(change(lines)))
    assert any(problem in one for one in check_release(tmp_path / "out"))
    path.unlink()
    assert f"{name} is missing" in check_release(tmp_path / "out")


def test_the_check_knows_what_a_manifest_should_say(judged: World, tmp_path: Path) -> None:
    plant(judged)
    released(judged, tmp_path / "out", machine_judges=["robot"])
    path = tmp_path / "out" / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "machine_judgments": {"file": "machine_judgments.csv"}}))
    assert "manifest.json doesn't say of machine_judgments what it should" in check_release(tmp_path / "out")
    del manifest["machine_judgments"]
    path.write_text(json.dumps(manifest))
    expected = "machine_judgments.csv is there, but the manifest says nothing of machine_judgments"
    assert expected in check_release(tmp_path / "out")
