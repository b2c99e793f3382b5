"""A release in the formats of the field: what each holds is the release's, and what it can't hold is told."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from evaluation.formats.trec_ids import read_id, split_moment_id, written_id
from evaluation.outlets.registry import OUTLETS
from evaluation.reading import read_ground_truth
from evaluation.reading.subtitle_files import read_subtitles
from evaluation.reading.timed_text import timed_text
from evaluation.reading.tvr import read_video_indices
from tests.evaluation.files import REPOSITORY, told
from tests.evaluation.outlets.releases import DURATIONS, NASTY, TEST, VAL, graded, write_release

SPLITS = ("val", "test")
Pairs = list[tuple[str, str, float, float, int]]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "mine-v1")


def export(capsys: pytest.CaptureFixture[str], release: Path, to: str, *options: object) -> tuple[Path, str]:
    out = release.parent / to
    _, said = told(capsys, "export", release, out, "--to", to, *options)
    return out, said


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_qvhighlights_has_windows_and_saliency(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, said = export(capsys, release, "qvhighlights")
    assert "2 pairs below grade 1 left out" in said
    assert "1 query without a moment from grade 1 on left out" in said
    for split in SPLITS:
        path = out / f"highlight_{split}_release.jsonl"
        records = lines(path)
        windows = [(r["query_id"], r["vid"], *window) for r in records for window in r["relevant_windows"]]
        assert sorted(windows) == sorted(own[:4] for own in graded(split, 1))
        truth = read_ground_truth(path)
        assert len(truth) == len(records) == len({record["qid"] for record in records})
        for record in records:
            # As standalone_eval makes an array of it.
            ratings = np.zeros((int(record["duration"] / 2), 3))
            ratings[np.array(record["relevant_clip_ids"])] = record["saliency_scores"]
            assert ratings.max() == max(
                own[4] for own in graded(split) if own[:2] == (record["query_id"], record["vid"])
            )
    first = lines(out / "highlight_val_release.jsonl")[0]
    assert first["saliency_scores"] == [[4, 4, 4]] * 2 + [[2, 2, 2]] * 3  # 0-4.25 of grade 4, 3-9 of grade 2
    assert first["relevant_clip_ids"] == [0, 1, 2, 3, 4]
    (train,) = lines(out / "highlight_train_release.jsonl")
    assert "saliency_scores" not in train
    assert train["relevant_windows"] == [[2.0, 7.0]]


def test_saliency_of_another_scale_is_brought_to_qvhighlights_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = {"scale": {"top": 8, "step": 1, "languages": ["en"], "words": {"en": {}}}, "collection": "mine"}
    out, _ = export(capsys, write_release(tmp_path / "r", manifest=manifest), "qvhighlights", "--relevant", 2)
    first = lines(out / "highlight_val_release.jsonl")[0]
    assert [own[0] for own in first["saliency_scores"]] == [2, 2, 1, 1, 1]


def test_tvr_has_one_line_a_relevant_moment_and_subtitles(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subtitles = release.parent / "subtitles"
    subtitles.mkdir()
    (subtitles / "alpha.srt").write_text("1\n00:00:00,500 --> 00:00:02,000\nHello <i>there</i>.\n")
    (subtitles / "elsewhere.srt").write_text("1\n00:00:00,500 --> 00:00:02,000\nBye.\n")
    out, said = export(capsys, release, "tvr", "--subtitles", subtitles)
    assert "1 video without a known duration left out" in said
    assert "3 videos without subtitles" in said
    known = read_video_indices(out / "tvr_video2dur_idx.json")
    assert sorted(known) == sorted(set(DURATIONS) - {"unused"})
    written = [record for split in ("train", *SPLITS) for record in lines(out / f"tvr_{split}_release.jsonl")]
    assert [record["desc_id"] for record in written] == list(range(1, len(written) + 1))
    for split in SPLITS:
        records = lines(out / f"tvr_{split}_release.jsonl")
        assert [(r["query_id"], r["vid_name"], *r["ts"], r["relevance"]) for r in records] == graded(split, 1)
        truth = read_ground_truth(out / f"tvr_{split}_release.jsonl")
        assert sorted(zip(truth.start, truth.end, strict=True)) == sorted(own[2:4] for own in graded(split, 1))
        assert all(r["duration"] >= r["ts"][1] and r["type"] == "v" for r in records)
    said_in = read_subtitles(out / "tvqa_preprocessed_subtitles.jsonl")
    assert {video: [line.text for line in own] for video, own in said_in.items()} == {"alpha": ["Hello there."]}


@pytest.mark.parametrize(
    ("evidence", "kind"), [(None, "v"), (["picture"], "v"), (["picture", "sound"], "vt"), (["subtitles"], "vt")]
)
def test_a_description_is_of_what_annotators_could_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], evidence: list[str] | None, kind: str
) -> None:
    release = write_release(tmp_path / "r", manifest={"settings": {"evidence": evidence}})
    out, _ = export(capsys, release, "tvr")
    assert {record["type"] for record in lines(out / "tvr_val_release.jsonl")} == {kind}


def test_charades_sta_has_a_line_a_relevant_moment(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, said = export(capsys, release, "charades-sta", "--relevant", 2)
    assert "below grade 2 left out" in said
    whose = pd.read_csv(out / "lines.csv", dtype=str)
    for split in SPLITS:
        found = []
        rows = whose[whose["file"] == f"charades_sta_{split}.txt"]
        texts = (out / f"charades_sta_{split}.txt").read_text().splitlines()
        for text, (_, own) in zip(texts, rows.iterrows(), strict=True):
            place, _sentence = text.split("##")
            video, start, end = place.split(" ")
            found.append((own["query_id"], read_id(video), float(start), float(end), int(own["relevance"])))
        assert found == graded(split, 2)
        lengths = pd.read_csv(out / f"Charades_v1_{split}.csv")
        assert {read_id(video) for video in lengths["id"]} == {own[1] for own in found}


def test_activitynet_has_videos_with_sentences(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = export(capsys, release, "activitynet")
    for split in SPLITS:
        videos = json.loads((out / f"{split}.json").read_text())
        found = [
            (query, video, *times, grade)
            for video, own in videos.items()
            for query, times, grade, _ in zip(
                own["query_ids"], own["timestamps"], own["relevances"], own["sentences"], strict=True
            )
        ]
        assert sorted(found) == sorted(graded(split, 1))


def test_didemo_has_segments_that_hold_the_moment(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = export(capsys, release, "didemo")
    for split in SPLITS:
        records = json.loads((out / f"{split}_data.json").read_text())
        assert [(r["query_id"], r["video"], *r["seconds"], r["relevance"]) for r in records] == graded(split, 1)
        for record in records:
            ((first, last),) = record["times"]
            start, end = record["seconds"]
            assert 5 * first <= start < 5 * (first + 1)
            assert 5 * last < end <= 5 * (last + 1)
            assert last < record["num_segments"]


def test_pyterriers_frames_are_read_by_pandas(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, said = export(capsys, release, "pyterrier")
    assert "1 document without a caption" in said

    def frame(name: str) -> pd.DataFrame:
        return pd.read_csv(out / name, dtype={"qid": str, "docno": str}, keep_default_na=False)

    documents = frame("documents.csv").set_index("docno")
    assert documents.loc["alpha@3.0-9.0", "text"] == "It is dark. Night falls."
    for split, queries in (("val", VAL), ("test", TEST)):
        topics, qrels = frame(f"topics.{split}.csv"), frame(f"qrels.{split}.csv")
        assert list(topics.columns) == ["qid", "query"]
        assert list(topics["query"]) == [" ".join(str(query["query"]).split()) for query in queries]
        found = [(read_id(qid), *split_moment_id(docno), int(label)) for qid, docno, label in qrels.to_numpy()]
        assert [(own[0], read_id(own[1]), *own[2:]) for own in found] == graded(split)
        assert set(qrels["docno"]) <= set(documents.index)


def test_players_read_the_tracks(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    av = pytest.importorskip("av")
    out, _ = export(capsys, release, "webvtt", "--relevant", 0)
    assert (out / "val" / "Café a%2Fb 50%25.vtt").is_file()
    for split, queries in (("val", VAL), ("test", TEST)):
        found = []
        for path in (out / split).iterdir():
            with av.open(str(path)) as track:
                times = [
                    (float(packet.pts * packet.time_base), float(packet.duration * packet.time_base))
                    for packet in track.demux()
                    if packet.pts is not None
                ]
            cues = timed_text(path, path.read_text(encoding="utf-8"), lambda *why: pytest.fail(str(why)))
            assert np.allclose(times, [(cue.start, cue.end - cue.start) for cue in cues])
            found += [
                (path.stem.replace("%2F", "/").replace("%25", "%"), cue.start, cue.end, cue.rows[0]) for cue in cues
            ]
        assert sorted((*own[:3], int(own[3][1])) for own in found) == sorted(own[1:] for own in graded(split))
        texts = {" ".join(str(query["query"]).split()).replace("<b>", "").replace("</b>", "") for query in queries}
        assert {text.partition("] ")[2] for *_, text in found} == texts
    assert "[4: perfect]" in (out / "val" / "alpha.vtt").read_text()


def test_trecvid_has_shots_topics_qrels_and_a_run(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = release.parent / "ids.csv"
    ids.write_text(f"video_name,start,end,moment_id\nalpha,0,4.25,shot7_1\n{NASTY},9.5,11.25,shot7_2\n")
    out, said = export(capsys, release, "trecvid", "--moment-ids", ids)
    assert "3 moments without an id elsewhere, numbered here" in said
    shots = {row.shot_id: (row.video_name, row.start, row.end) for row in pd.read_csv(out / "shots.csv").itertuples()}
    assert shots["shot7_1"] == ("alpha", 0.0, 4.25)
    whose = {str(row.topic): row.query_id for row in pd.read_csv(out / "topics.csv", dtype=str).itertuples()}
    for split in SPLITS:
        rows = [row.split() for row in (out / f"qrels.{split}.txt").read_text().splitlines()]
        judged = {(whose[topic], *shots[shot], int(grade)) for topic, _, shot, grade in rows}
        assert judged == set(graded(split))
        numbers = [line.partition(" ")[0] for line in (out / f"topics.{split}.txt").read_text().splitlines()]
        results = ElementTree.parse(out / f"ideal.{split}.xml").iter("videoAdhocSearchTopicResult")
        returned = {
            result.attrib["tNum"]: [shots[item.attrib["shotId"]] for item in result if item.tag == "item"]
            for result in results
        }
        assert list(returned) == numbers
        for number, moments in returned.items():
            best = sorted((own for own in graded(split, 1) if own[0] == whose[number]), key=lambda own: -own[4])
            assert moments == [own[1:4] for own in best]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("alpha,0,4.25,a\nalpha,0,4.25,b\n", "line 3: found moment_id b a second time"),
        ("alpha,0,4.25,a\nalpha,3,9,a\n", "line 3: found moment_id a a second time"),
        ("alpha,4,0,a\n", "line 2: found ('4', '0'), expected 0 <= start < end in seconds"),
        ("alpha,0,4.25,a b\n", "line 2: found moment_id 'a b', expected an id without blanks"),
        ("alpha,0,4.25,shot1_2\n", "found the moment id shot1_2 for two moments"),
    ],
)
def test_moment_ids_that_are_not_one_a_moment_are_refused(
    release: Path, capsys: pytest.CaptureFixture[str], rows: str, found: str
) -> None:
    ids = release.parent / "ids.csv"
    ids.write_text("video_name,start,end,moment_id\n" + rows)
    out = release.parent / "out"
    _, said = told(capsys, "export", release, out, "--to", "trecvid", "--moment-ids", ids, code=2)
    assert found in said
    assert not out.exists()


def test_mtebs_layout_is_what_its_loader_takes(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, said = export(capsys, release, "mteb")
    assert "1 moment without a caption left out" in said
    assert "2 pairs of moments without a text left out" in said
    for kind in ("moments", "videos"):
        corpus = {record["_id"] for record in lines(out / kind / "corpus.jsonl")}
        queries = {record["_id"]: record["text"] for record in lines(out / kind / "queries.jsonl")}
        assert queries[written_id("q:1")] == VAL[0]["query"]
        for split in SPLITS:
            rows = lines(out / kind / f"qrels.{split}.jsonl")
            assert {row["corpus-id"] for row in rows} <= corpus
            assert {row["query-id"] for row in rows} <= set(queries)
    videos = {(row["query-id"], row["corpus-id"]): row["score"] for row in lines(out / "videos" / "qrels.val.jsonl")}
    assert videos == {("q%3A1", "alpha"): 4, ("q%3A1", written_id(NASTY)): 1, ("2", "alpha"): 0}


def test_an_archive_is_exported_as_its_folder(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tarfile.open(release.parent / "mine-v1.tar.gz", "w:gz") as archive:
        archive.add(release, arcname="mine-v1")
    first, _ = export(capsys, release, "charades-sta")
    told(capsys, "export", release.parent / "mine-v1.tar.gz", release.parent / "again", "--to", "charades-sta")
    written = [{path.name: path.read_bytes() for path in out.iterdir()} for out in (first, release.parent / "again")]
    assert written[0] == written[1] and "charades_sta_train.txt" in written[0]


@pytest.mark.parametrize("to", OUTLETS)
def test_an_export_is_whole_or_not_there(to: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = [*TEST, {"query_id": 3, "query": "Again.", "relevant_moment": []}]
    release = write_release(tmp_path / "r", test=broken)
    _, said = told(capsys, "export", release, tmp_path / "out" / to, "--to", to, code=2)
    assert "test.json, line 1, record 2: found query_id '3' a second time, expected each query once" in said
    train = write_release(tmp_path / "t", train_top01=[{"query_id": 1, "query": "A.", "relevant_moment": [{}]}])
    if to != "webvtt":  # which reads no training file
        told(capsys, "export", train, tmp_path / "out" / to, "--to", to, code=2)
        assert list((tmp_path / "out").iterdir()) == []
    whole = write_release(tmp_path / "w")
    (tmp_path / "out" / to).mkdir()
    told(capsys, "export", whole, tmp_path / "out" / to, "--to", to)
    _, said = told(capsys, "export", whole, tmp_path / "out" / to, "--to", to, code=2)
    assert "found a folder with files, expected an empty folder or none" in said


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"video_corpus": None}, "found no video_corpus.json, expected a release's folder"),
        ({"val": None, "test": None}, "found no judged query"),
        ({"test": [{**TEST[0], "query": "half \ud83d"}]}, "found half of a surrogate pair, '\\ud83d' in a text"),
        (
            {"video_corpus": {"alpha": 60.5}},
            "moment 3: found video_name 'Café a/b 50%', expected a video of video_corpus",
        ),
        (
            {"val": [{"query_id": 1, "query": "A.", "relevant_moment": [{"video_name": "alpha"}]}]},
            "found timestamp None",
        ),
    ],
)
def test_what_is_no_release_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, Any], found: str
) -> None:
    release = write_release(tmp_path / "r", **files)
    _, said = told(capsys, "export", release, tmp_path / "out", "--to", "tvr", code=2)
    assert found in said


def test_every_outlet_is_in_the_manual() -> None:
    manual = (REPOSITORY / "docs" / "evaluation.md").read_text(encoding="utf-8")
    assert [name for name in OUTLETS if f"| `{name}` |" not in manual] == []
