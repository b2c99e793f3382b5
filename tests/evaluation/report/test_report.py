"""A page of HTML that shows query by query what runs found."""

from __future__ import annotations

import json
import re
import tarfile
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from evaluation import EvaluationError, load, score
from evaluation.report.queries import MOST_CHARACTERS
from tests.evaluation.files import Moments, run_rows, told, write_json, write_lines
from tests.evaluation.outlets import releases
from tests.evaluation.report.reading import Report

MEASURES = ["NDCG@20,IoU>=0.5", "R@1,IoU>0.7", "uAP,IoU>=0.5"]
HOSTILE = "</td></table></script><script>alert(1)</script><img src=//x onerror='alert(2)'> \" ' &lt; &amp;"
MINE: dict[str, Moments] = {
    "q:1": [
        ("alpha", [0.0, 4.0], 0.9),
        ("alpha", [0.0, 4.25], 0.8),
        ("silent", [1.0, 2.0], 0.5),
        ("gamma", [1.0, 2.0], 0.1),
    ],
    "2": [("alpha", [20.0, 24.0], 0.4)],
}
OTHER: dict[str, Moments] = {"q:1": [("alpha", [3.0, 9.0], 2), (releases.NASTY, [9.5, 11.25], 1)]}


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [
        write_lines(tmp_path / "mine.jsonl", run_rows(*MINE.items())),
        write_lines(tmp_path / "other.jsonl", run_rows(*OTHER.items())),
    ]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return releases.write_release(tmp_path / "mine-v1")


def report(capsys: pytest.CaptureFixture[str], release: Path, *arguments: object) -> tuple[Report, str]:
    """The page and what was said on standard error."""
    out = release.parent / "report.html"
    said = told(capsys, "report", release, *arguments, "--html", out, "--draws", 100)[1]
    return Report(out), said


def test_it_has_the_scores_the_comparison_and_every_query(
    capsys: pytest.CaptureFixture[str], release: Path, runs: list[Path]
) -> None:
    page, said = report(capsys, release, *runs, "--measures", *MEASURES)
    scores = score(load(release).val, runs, MEASURES)
    own = {row["run"]: row for row in scores.dicts()}
    assert page.table_of("measure", "mine", "other") == [
        [name, *(f"{own[run][name]:.4f}" for run in ("mine", "other"))] for name in MEASURES
    ]
    compared = score(load(release).val, runs, MEASURES[:2]).compare(draws=100).dicts()
    for measure, expected in zip(MEASURES[:2], compared, strict=True):
        ordered = sorted(own, key=lambda run: -float(str(own[run][measure])))
        standings = page.table_of("run", "mean", "interval", within=measure)
        assert [row[:2] for row in standings] == [[run, f"{own[run][measure]:.4f}"] for run in ordered]
        assert all(row[2].startswith("[") for row in standings)
        (row,) = page.table_of("first", "second", within=measure)
        assert row[:2] == ["mine", "other"] and row[4] == f"{expected['difference']:+.4f}"
        assert row[7] == f"{expected['Holm']:.4f}", "corrected over both measures: whoever reads may choose one"
    assert MEASURES[2] not in page.tables, "it has no value per query"
    assert "No interval and no test, for want of values by query: uAP,IoU>=0.5." in page.paragraphs
    assert {own["fill"] for tag, own in page.tags if tag == "text"} == {"var(--ink)", "var(--soft)", "var(--grade-4)"}
    values = {(row[0], row[1]): float(str(row[2])) for row in scores.per_query().rows}
    rows = page.table_of("query", "difference", "mine", "other", "text")
    assert [row[0] for row in rows] == ["q:1", "2"], "the larger difference first"
    for query, difference, mine, other, text in rows:
        assert text in ('A man says "a --> b ## c" & <b>leaves</b>. Then it\'s dark.', "Nothing fits.")
        both = values["mine", query], values["other", query]
        assert (mine, other, difference) == (f"{both[0]:.4f}", f"{both[1]:.4f}", f"{both[0] - both[1]:+.4f}")
    warned = [line.removeprefix("warning: ") for line in said.splitlines() if line.startswith("warning: ")]
    assert warned and set(warned) <= set(page.paragraphs)


def test_a_query_has_its_judged_moments_and_what_each_prediction_takes(
    capsys: pytest.CaptureFixture[str], release: Path, runs: list[Path]
) -> None:
    page, _ = report(capsys, release, *runs, "--measures", *MEASURES)
    assert page.table_of("grade", "video", "seconds", "caption", within="q1") == [
        ["4 perfect", "alpha", "0–4.25", "A man leaves.", "1", "-"],
        ["2 in part", "alpha", "3–9", "It is dark.", "-", "1"],
        ["1 a few points", releases.NASTY, "9.5–11.25", "Somebody talks.", "-", "2"],
        ["0 unrelated", "gamma", "1–2", "", "4", "-"],
    ]
    mine, other = [table[1:] for table in page.tables["q1"] if table[0][0] == "rank"]
    assert mine == [
        ["1", "alpha", "0–4", "0.9", "0.94", "4 perfect"],
        ["2", "alpha", "0–4.25", "0.8", "1.00", "a better rank has the moment"],
        ["3", "silent", "1–2", "0.5", "0.00", "unjudged"],
        ["4", "gamma", "1–2", "0.1", "1.00", "0 unrelated"],
    ]
    assert [row[-1] for row in other] == ["2 in part", "1 a few points"]
    assert "other: no predictions" in page.paragraphs
    assert any("a system that reads them reads the answer" in text for text in page.paragraphs)


def test_what_is_written_in_texts_and_names_stays_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pair = {"pair_id": 1, "video_name": HOSTILE, "timestamp": [0, 4], "caption": f"{HOSTILE} \ud800", "relevance": 3}
    longest = {"query_id": "long", "query": "x" * 9 * MOST_CHARACTERS, "relevant_moment": []}
    record = {"query_id": HOSTILE, "query": HOSTILE, "language": HOSTILE, "relevant_moment": [pair]}
    words: dict[str, Any] = {str(grade): {"word": HOSTILE} for grade in range(5)}
    manifest = {"digest": HOSTILE, "scale": {"top": 4, "languages": ["en"], "words": {"en": words}}}
    release = releases.write_release(
        tmp_path / "<b onclick=x>&v1", val=[record, longest], test=None, video_corpus={HOSTILE: 9}, manifest=manifest
    )
    rows = run_rows((HOSTILE, [(HOSTILE, [0, 4], 1)]))
    run = write_lines(tmp_path / "<script>alert(3)<!--'\".jsonl", rows)
    page, _ = report(capsys, release, run, "--measures", "NDCG@20,IoU>=0.5")
    shown = " ".join(HOSTILE.split())
    longest_row, row = page.table_of("query")
    assert [row[0], row[-1]] == [shown, shown]
    (judged,) = page.table_of("grade", "video", within="q2")
    assert judged == [f"3 {shown}", shown, "0–4", f"{shown} ?", "1"]
    assert longest_row[-1] == "x" * (MOST_CHARACTERS - 1) + "…"
    assert f"Digest of the release: {HOSTILE}" in page.paragraphs
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"img", "b", "iframe", "link", "base", "object", "form"}
    (script,) = page.scripts
    assert [tag for tag, _ in page.tags].count("script") == 1
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "srcset", "action")], tag
        assert re.fullmatch(r"#q\d+|", attributes.get("href", "")), "leads to no other place"
        assert "url(" not in attributes.get("style", "")
    policy = next(own["content"] for _, own in page.tags if own.get("http-equiv") == "Content-Security-Policy")
    assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none';")


def test_the_page_names_no_address_and_is_the_same_again(
    capsys: pytest.CaptureFixture[str], release: Path, runs: list[Path]
) -> None:
    report(capsys, release, *runs)
    first = (release.parent / "report.html").read_text(encoding="utf-8")
    report(capsys, release, *runs)
    assert (release.parent / "report.html").read_text(encoding="utf-8") == first
    assert not [part for part in ("://", "url(", "@import", "src=") if part in first]


def test_it_shows_as_much_as_is_asked_for_and_says_how_much(
    capsys: pytest.CaptureFixture[str], release: Path, runs: list[Path]
) -> None:
    page, _ = report(capsys, release, *runs, "--queries", 1, "--depth", 2)
    assert [own["id"] for tag, own in page.tags if tag == "details"] == ["q1"]
    assert any(text.startswith("1 of 2 queries, the first of the table.") for text in page.paragraphs)
    assert [own["href"] for tag, own in page.tags if tag == "a"] == ["#q1"]
    assert [len(table[1:]) for table in page.tables["q1"] if table[0][0] == "rank"] == [2, 2]
    alone, _ = report(capsys, release, runs[1], "--queries", 0)
    rows = alone.table_of("query", "other", "text")
    assert [row[0] for row in rows] == ["2", "q:1"], "of one run the lowest value first"
    assert not [tag for tag, _ in alone.tags if tag == "details"]


def test_a_notebook_writes_the_same_page(
    capsys: pytest.CaptureFixture[str], release: Path, runs: list[Path], tmp_path: Path
) -> None:
    report(capsys, release, *runs)
    loaded = load(release)
    scores = score(loaded.val, runs)
    scores.report(tmp_path / "own.html", loaded, draws=100)
    assert (tmp_path / "own.html").read_bytes() == (release.parent / "report.html").read_bytes()
    scores.report(tmp_path / "bare.html", measure="NDCG@10,IoU>=0.5", draws=100)
    bare = Report(tmp_path / "bare.html")
    assert "4 perfect" in [row[0] for row in bare.table_of("grade", "video", within="q1")]
    assert "caption" not in bare.tables["q1"][0][0]
    assert next(own for own in bare.tables if own) == "NDCG@10,IoU>=0.5", "it is the first"
    with pytest.raises(EvaluationError, match="found no split with the queries of ground truth"):
        score({"q": [("v", 0, 9, 1)]}, {"mine": {"q": []}}).report(tmp_path / "none.html", loaded)
    assert not (tmp_path / "none.html").exists()


def test_queries_of_several_languages_have_means_by_language(
    capsys: pytest.CaptureFixture[str], release: Path, runs: list[Path], tmp_path: Path
) -> None:
    path = release / "val.json"
    records = json.loads(path.read_text(encoding="utf-8"))
    write_json(path, [record | {"language": language} for record, language in zip(records, ("de", "en"), strict=True)])
    kinds = tmp_path / "kinds.csv"
    kinds.write_text("query_id,kind,place\nq:1,x,here\n2,x,there\n")
    page, _ = report(capsys, release, *runs, "--measures", *MEASURES, "--by", f"{kinds}:kind")
    by_language = score(load(release).val, runs, MEASURES[:1]).by("language").dicts()
    assert page.table_of("language", within=MEASURES[0]) == [
        [row["language"], "1", f"{row['mine']:.4f}", f"{row['other']:.4f}"] for row in by_language
    ]
    assert [row[:2] for row in page.table_of("kind", within=MEASURES[1])] == [["x", "2"]]
    said, _ = told(capsys, "score", path, *runs, "--measures", *MEASURES, "--by", "language", "--json")
    assert [row for row in json.loads(said)["by"]["language"] if row["measure"] == MEASURES[0]] == by_language
    said, _ = told(capsys, "score", path, runs[0], "--measures", *MEASURES, "--by", "language")
    assert "By language" in said and re.search(r"NDCG@20,IoU>=0.5 +de +1 +", said)
    assert "doesn't say batches" in told(capsys, "score", path, *runs, "--by", "batches", code=2)[1]


def test_it_takes_archives_and_single_files_too(
    capsys: pytest.CaptureFixture[str], release: Path, runs: list[Path]
) -> None:
    folder, _ = report(capsys, release, *runs)
    archive = release.with_name("mine-v1.tar.gz")
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(release, arcname="mine-v1")
    assert report(capsys, archive, *runs)[0].tables == folder.tables
    records = json.loads((release / "val.json").read_text(encoding="utf-8"))
    for moment in (moment for record in records for moment in record["relevant_moment"]):
        moment.pop("caption")
    page, _ = report(capsys, write_json(release.parent / "alone.json", records), *runs)
    best, *_ = page.table_of("grade", "video", "seconds", "rank in mine", within="q1")
    assert best[-2:] == ["1", "-"]
    assert not [text for text in page.paragraphs if "reads the answer" in text], "there are none to warn of"


def test_what_cant_be_reported_is_told_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str], release: Path, runs: list[Path], tmp_path: Path
) -> None:
    out = tmp_path / "none.html"
    both = write_lines(tmp_path / "both.jsonl", run_rows(("2", []), ("3", [])))
    unknown = write_lines(tmp_path / "unknown.jsonl", run_rows(("nobody's", [])))
    videos = ("--format", "tvr", "--task", "VR")
    ranked = {"video2idx": {"alpha": 0}, "VR": [{"desc_id": 2, "desc": "", "predictions": [[0, 0, 0, 1.0]]}]}
    untimed = write_json(tmp_path / "untimed.json", ranked)
    for arguments, sentence in [
        ((both,), "found runs with queries of val and test, expected one split: name it with --split"),
        ((unknown,), "found no split of which every run has a query"),
        ((*runs, "--split", "train"), "found the split 'train', expected one of these: val, test"),
        ((*runs, "--measures", "uAP,IoU>=0.5"), "no value per query"),
        ((untimed, *videos, "--measures", "VR@5"), "ranks videos without times"),
        ((*runs, "--strict"), "--strict allows none"),
        ((tmp_path / "nowhere.jsonl",), "nowhere.jsonl"),
    ]:
        said = told(capsys, "report", release, *arguments, "--html", out, code=2)[1]
        assert sentence in said and not out.exists(), said
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "expected" in told(capsys, "report", empty, *runs, "--html", out, code=2)[1]
    report(capsys, release, both, "--split", "test")
