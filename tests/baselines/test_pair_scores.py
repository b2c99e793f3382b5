"""Scores of pairs by text-to-frame similarity: of a release's pairs, or of a file of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from baselines.floors.text_to_frame import pair_similarities
from baselines.reading.pairs import Pair, read_pairs
from tests.baselines.test_floors import Compass
from tests.baselines.worlds import run_line, write_features, write_release

HEAD = "pair_id,query,narrative,video_name,start,end,clip\n"


def compass(folder: Path) -> Any:
    """Night points east, noon north in its last two clips, and back before."""
    east, north, back = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
    clips = {"night": [east] * 6, "noon": [back] * 6 + [north] * 2, "morning": [east, back, back, back]}
    return Compass(folder / "f.h5", clips)


def test_a_pair_is_as_similar_as_the_clips_that_its_moment_touches(tmp_path: Path) -> None:
    pairs = [
        Pair("a", "A woman eats.", "noon", 9.0, 12.0),
        Pair("b", "A woman eats.", "noon", 8.0, 10.0),
        Pair("c", "A dog barks.", "noon", 0.1, 0.2),
        Pair("d", "A dog barks.", "night", 3.0, 99.0),
    ]
    assert pair_similarities(pairs, compass(tmp_path)).tolist() == pytest.approx([1.0, 0.5, -1.0, 1.0], abs=1e-3)


def test_a_moment_beyond_the_features_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"found 4 clips of 1\.5 s for the video 'morning', expected some from 6 s on"):
        pair_similarities([Pair("a", "A dog barks.", "morning", 6.0, 7.0)], compass(tmp_path))


def test_a_file_of_pairs_is_read_by_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(HEAD + 'c17,"A dog barks, twice.",,noon,1.5,3,/clips/x.mp4\n')
    assert read_pairs(path) == [Pair("c17", "A dog barks, twice.", "noon", 1.5, 3.0)]


def test_a_release_s_pairs_are_those_of_val_and_test(tmp_path: Path) -> None:
    release = write_release(tmp_path)
    for split, number in (("val", 1), ("test", 10)):
        records = json.loads((release / f"{split}.json").read_text())
        for record in records:
            for moment in record["relevant_moment"]:
                moment["pair_id"], number = number, number + 1
        (release / f"{split}.json").write_text(json.dumps(records))
    pairs = read_pairs(release)
    assert [pair.pair_id for pair in pairs] == ["1", "2", "10", "11", "12"]
    assert pairs[2] == Pair("10", "A woman eats.", "noon", 0.0, 3.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: found no column pair_id, expected columns pair_id, query, video_name, start, end"),
        ("pair_id,query\n", "line 1: found no column video_name"),
        (HEAD, "found no pair"),
        (HEAD + "a,,,noon,0,1,\n", "line 2: found an empty cell"),
        (HEAD + "a,q,,noon,1,x,\n", "line 2: found ['1', 'x'], expected 0 <= start < end in seconds"),
        (HEAD + "a,q,,noon,2,1,\n", "line 2: found ['2', '1']"),
        (HEAD + "a,q,,noon,0,1,\na,q,,noon,0,1,\n", "line 3: found pair_id 'a' a second time"),
        (HEAD + "a,caf\udce9,,noon,0,1,\n", "line 2: found"),
    ],
)
def test_a_bad_file_is_refused_with_its_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    path, out = tmp_path / "pairs.csv", tmp_path / "scores.csv"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    write_features(tmp_path / "f.h5").close()
    assert run_line("pair-scores", path, tmp_path / "f.h5", "--out", out) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_the_command_needs_a_space_shared_with_texts_and_a_file_that_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "pairs.csv", tmp_path / "scores.csv"
    path.write_text(HEAD + "a,q,,noon,0,1,\n")
    write_features(tmp_path / "f.h5").close()
    assert run_line("pair-scores", path, tmp_path / "f.h5", "--out", out) == 2
    assert "has no space that it shares with texts" in capsys.readouterr().err
    assert run_line("pair-scores", tmp_path / "none.csv", tmp_path / "f.h5", "--out", out) == 2
    assert "found nothing, expected a release's folder or a CSV file" in capsys.readouterr().err


def test_the_command_writes_what_a_judge_on_similarity_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    features = compass(tmp_path)
    monkeypatch.setattr("baselines.features.opening.open_features", lambda path: features)
    path, out = tmp_path / "pairs.csv", tmp_path / "scores.csv"
    path.write_text(HEAD + "c1,A woman eats.,,noon,9,12,\nc2,A dog barks.,,noon,0,1.5,\n")
    assert run_line("pair-scores", path, tmp_path / "f.h5", "--out", out) == 0
    assert out.read_text() == "pair_id,score\nc1,1.000000\nc2,-1.000000\n"
    assert "2 pairs of 2 queries" in capsys.readouterr().out
