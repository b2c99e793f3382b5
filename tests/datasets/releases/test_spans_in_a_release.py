"""A release has the agreed starts and ends in a file of its own where annotators mark them, and is the same without."""

import csv
from pathlib import Path
from typing import Any

import pytest

from annotation.models import JudgedSpan, Pair
from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from evaluation.errors import InputError
from evaluation.reading import read_ground_truth
from evaluation.reading.spans import with_spans
from evaluation.releases.check_release import check_release
from foundation.models import Collection
from tests.datasets.conftest import World


def write(world: World, folder: Path, **asked: Any) -> Release:
    release = create_release(collection=world.collection, **asked)
    write_release(release=release, folder=folder)
    return release


def relevant() -> list[Pair]:
    return list(Pair.objects.filter(status="consensus", grade__gte=1).order_by("pk"))


def mark(pair: Pair, *marks: tuple[float, float] | None) -> None:
    """Each judgment's marks, in seconds from the moment's start."""
    begin = pair.candidate.moment.start
    for judgment, ends in zip(pair.judgments.filter(counted=True).order_by("pk"), marks, strict=True):
        if ends is not None:
            JudgedSpan.objects.create(judgment=judgment, start=begin + ends[0], end=begin + ends[1])


@pytest.fixture
def marked(judged: World) -> World:
    """The first relevant pair's spans agree, the second's don't, nobody marked the others."""
    Collection.objects.update(has_clips=True, span_agreement=0.5)
    first, second, *_ = [pair for pair in relevant() if pair.judgments.count() == 2 and pair.grade != 1]
    mark(first, (1.0, 3.0), (1.5, 3.5))
    mark(second, (0.0, 1.0), None)
    return judged


def rows_of(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "spans.csv").open(newline="") as file:
        return {row["pair_id"]: row for row in csv.DictReader(file)}


def test_it_has_each_relevant_pair_with_what_was_agreed_on(marked: World, tmp_path: Path) -> None:
    release = write(marked, tmp_path / "out", name="v1")
    assert check_release(tmp_path / "out") == []
    rows = rows_of(tmp_path / "out")
    assert set(rows) == {str(pair.pk) for pair in relevant()}
    agreed = [row for row in rows.values() if row["status"] == "agreed"]
    apart = [row for row in rows.values() if row["status"] == "apart"]
    assert (len(agreed), len(apart)) == (1, 1)
    begin = float(agreed[0]["start"])
    assert (float(agreed[0]["adjusted_start"]), float(agreed[0]["adjusted_end"])) == (begin + 1.25, begin + 3.25)
    assert (agreed[0]["people"], float(agreed[0]["mean_iou"])) == ("2", 0.6)
    assert (apart[0]["adjusted_start"], apart[0]["adjusted_end"]) == (apart[0]["start"], apart[0]["end"])
    said = release.manifest["spans"]
    assert (said["file"], said["agreement"], said["all"]["agreed"], said["all"]["apart"]) == ("spans.csv", 0.5, 1, 1)
    assert sum(said["all"][status] for status in ("whole", "agreed", "apart")) == len(rows)
    assert 0 < said["all"]["mean_iou"] < 1
    assert write(marked, tmp_path / "again", name="v1") == release, "the same name, the same bytes"


def test_without_the_setting_it_is_as_ever(judged: World, tmp_path: Path) -> None:
    before = write(judged, tmp_path / "before")
    assert "spans" not in before.manifest and not (tmp_path / "before" / "spans.csv").exists()
    pair = next(pair for pair in relevant() if pair.judgments.count() == 2)
    mark(pair, (1.0, 3.0), (1.5, 3.5))
    after = write(judged, tmp_path / "after")
    assert (after, after.archive_sha256, after.content_hash) == (before, before.archive_sha256, before.content_hash)
    Collection.objects.update(span_agreement=0.5)
    assert "spans" not in write(judged, tmp_path / "no-clips").manifest, "nobody marks where there are no clips"


@pytest.mark.parametrize(
    ("corrupt", "problem"),
    [
        (lambda text: text.replace(",agreed,", ",nobody,"), "found the status 'nobody'"),
        (lambda text: text.replace(",agreed,", ",apart,"), "expected the moment's"),
        (lambda text: text.rpartition("\n")[0].rpartition("\n")[0] + "\n", "pairs, but the manifest says"),
        (lambda text: text.replace("pair_id", "pair"), "expected ['pair_id'"),
        (lambda text: text + "999999,1,a,0,1,0,1,whole,2,1.0\n", "there is no judgment of pair 999999"),
        (lambda text: text + text.splitlines()[1] + "\n", "is there twice"),
    ],
)
def test_the_check_of_a_release_sees_what_is_wrong_with_them(
    marked: World, tmp_path: Path, corrupt: Any, problem: str
) -> None:
    write(marked, tmp_path / "out")
    file = tmp_path / "out" / "spans.csv"
    file.write_text(corrupt(file.read_text()))
    assert any(problem in told for told in check_release(tmp_path / "out"))
    file.unlink()
    assert "spans.csv is missing" in check_release(tmp_path / "out")


def test_measures_may_use_the_agreed_times(marked: World, tmp_path: Path) -> None:
    write(marked, tmp_path / "out")
    adjusted = {pair: row for pair, row in rows_of(tmp_path / "out").items() if row["status"] == "agreed"}
    for split in ("val", "test"):
        truth = read_ground_truth(tmp_path / "out" / f"{split}.json")
        changed = with_spans(truth, tmp_path / "out" / "spans.csv")
        assert changed.pair_ids == truth.pair_ids and (changed.grade == truth.grade).all()
        for place, pair in enumerate(changed.pair_ids):
            if pair in adjusted:
                assert changed.start[place] == float(adjusted[pair]["adjusted_start"])
            else:
                assert (changed.start[place], changed.end[place]) == (truth.start[place], truth.end[place])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pair_id,start,end\n1,2,3\n", "no column adjusted_start"),
        ("pair_id,adjusted_start,adjusted_end\n1,3,2\n", "line 2: found ['3', '2']"),
        ("pair_id,adjusted_start,adjusted_end\n1,a\n", "expected 0 <= start < end"),
        ("pair_id,adjusted_start,adjusted_end\nnobody,1,2\n", "no pair of val.json"),
    ],
)
def test_spans_of_something_else_are_told(tmp_path: Path, text: str, said: str) -> None:
    truth = tmp_path / "val.json"
    truth.write_text(
        '[{"query_id": 1, "relevant_moment": [{"pair_id": 7, "video_name": "a", "timestamp": [0, 4], "relevance": 3}]}]'
    )
    spans = tmp_path / "spans.csv"
    spans.write_text(text)
    with pytest.raises(InputError, match=said.replace("[", r"\[")):
        with_spans(read_ground_truth(truth), spans)
    with pytest.raises(InputError):
        with_spans(read_ground_truth(truth), tmp_path / "none.csv")
