"""A release loaded: its folder, its archive, and what older ones have."""

from __future__ import annotations

import gzip
import json
import tarfile
from pathlib import Path

import pytest

from evaluation import EvaluationError, InputError, load, read_run, score
from tests.evaluation.files import real_files, write_json
from tests.evaluation.notebook.world import TEXTS, write_release


def packed(folder: Path) -> Path:
    path = folder.with_name(f"{folder.name}.tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, arcname="home-v1")
    return path


@pytest.mark.parametrize("archived", [False, True])
def test_it_gives_what_the_release_has(tmp_path: Path, archived: bool) -> None:
    folder = write_release(tmp_path / "home-v1", languages=["en"], settings={"batch_size": 2})
    release = load(packed(folder) if archived else folder)
    assert repr(release) == "<release home-v1: val; training 1, 2; 7 files>"
    assert release.name == "home-v1" and release.splits == ("val",) and release.training_depths == (1, 2)
    assert release.texts == TEXTS and release.manifest["languages"] == ["en"]
    assert release.durations == {"castle_s01e01": 60.5, "ship_s02e03": None}
    assert (len(release.judgments), len(release.judgments.pair_ids)) == (10, 5)
    (query,) = release.training()
    assert (query.query_id, query.text, len(query.moments)) == ("9", "A man sits.", 2)
    moment = query.moments[0]
    assert (moment.video_name, moment.start, moment.end, moment.similarity) == ("ship_s02e03", 1.0, 2.0, 0.5)
    assert [len(one.moments) for one in release.training(1)] == [1]
    scores = score(release, release.sample_run, ["AxIoU@5"])
    assert [row[1:3] for row in scores.by("batches").rows] == [["1", 2], ["2", 1]], "three pairs are two batches of two"
    assert [row[1:3] for row in scores.by("language").rows] == [["en", 3]]


def test_what_an_older_release_lacks_is_told_when_it_is_asked_for(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "old")
    for name in ("train_top01.json", "train_top02.json", "sample_run.jsonl", "video_corpus.json"):
        (folder / name).unlink()
    (folder / "val.json.gz").write_bytes(gzip.compress((folder / "val.json").read_bytes()))
    (folder / "val.json").unlink()
    (folder / "raw_annotations.csv").rename(folder / "raw_annotation.csv")
    release = load(folder)
    assert release.val.query_ids == ("1", "2", "3") and release.manifest == {} and len(release.judgments) == 10
    for ask, said in (
        (lambda: release.test, "old: found the split 'test', expected one of these: val"),
        (lambda: release.sample_run, "old has no sample_run.jsonl"),
        (lambda: release.durations, "old has no video_corpus.json"),
        (lambda: next(release.training()), "old has no train_top00.json"),
        (lambda: score(release, [], ["AxIoU@5"]), "found no run"),
    ):
        with pytest.raises(EvaluationError) as refused:
            ask()
        assert said in str(refused.value)


def test_a_single_file_is_a_release_of_one_split(tmp_path: Path) -> None:
    path = write_json(tmp_path / "dev.json", [{"query_id": 1, "relevant_moment": []}])
    release = load(path)
    assert release.splits == ("dev",) and release.truth().query_ids == ("1",) and release.texts == {}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.tar.gz", b"no archive", "x.tar.gz: found no archive"),
        (
            "train_top01.json",
            b'[{"query_id": 1, "relevant_moment": [{"video_name": "v", "timestamp": [3, 1]}]}]',
            "a reversed",
        ),
        ("train_top01.json", b'[{"query_id": 1, "relevant_moment": []},\n{"query_id": 2, ', "line 2: found"),
        ("train_top01.json", b"[3]", "line 1, record 1: found 3, expected"),
        ("manifest.json", b"[]", "manifest.json: found [], expected a JSON object"),
        ("manifest.json", b"{", "manifest.json: found no JSON"),
        ("video_corpus.json", b'{"v": "long"}', "video 'v': found 'long', expected a duration in seconds above 0, or"),
    ],
)
def test_broken_files_are_told(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as refused:
        release = load(tmp_path / name if "tar" in name else tmp_path)
        list(release.training()) if "train" in name else release.manifest if "manifest" in name else release.durations
    assert said in str(refused.value)


def test_an_archive_writes_nothing_outside_and_there_has_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "evil").write_text("[]")
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "evil", arcname="home/../../../../val.json")
    with pytest.raises(InputError, match=r"val\.json': found no file of a release, expected each file once, within it"):
        load(tmp_path / "x.tar.gz")
    with pytest.raises(InputError, match="found nothing there, expected a release's folder or archive"):
        load(tmp_path / "nowhere")


def test_tvr_rankings_durations_and_charades_sta_are_read() -> None:
    release = load(real_files("tvr_ranking"))
    assert len(release.durations) > 19_000 and min(filter(None, release.durations.values())) > 0
    assert len(release.judgments) == 227_808
    run = read_run(real_files("tvr_ranking") / "val_runs" / "XML_top01.json.gz", video_indices=release.video_indices)
    assert set(run.video_names) <= set(release.durations)
    charades = load(real_files("charades_sta") / "test.json")
    runs = sorted((real_files("charades_sta") / "runs").glob("*.gz"))
    expected = json.loads((real_files("charades_sta") / "expected.json").read_text())
    scores = score(charades, runs[:1])
    name = scores.runs[0].name
    found = {str(key): value for key, value in scores.dicts()[0].items() if key != "run"}
    assert found == pytest.approx(expected[name], abs=1e-6)
