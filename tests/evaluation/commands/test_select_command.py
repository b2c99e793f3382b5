"""``python -m evaluation select``: model selection as in section 6.6 of the AxIoU paper."""

from __future__ import annotations

import json
import math
import statistics
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from evaluation.measures.usual import SINGLE
from tests.evaluation import oracle
from tests.evaluation.files import run_rows, told, truth_rows, write_json, write_lines

QUERIES, VARIANTS = 15, 12
JUDGED = [("a", 0.0, 10.0, 1.0)]


@pytest.fixture
def world(tmp_path: Path) -> tuple[list[Path], dict[str, list[list[tuple[str, float, float]]]]]:
    """Variants that place moments with scatter; the paths of the command, and what each file holds."""
    rng = np.random.default_rng(4)
    paths, held = [], {}
    for split in ("val", "test"):
        truth = truth_rows(*((q, [(video, [s, e], 1) for video, s, e, _ in JUDGED]) for q in range(QUERIES)))
        paths.append(write_json(tmp_path / f"{split}.json", truth))
        (tmp_path / split).mkdir()
        paths.append(tmp_path / split)
        for variant in range(VARIANTS):
            lists = [
                [("a", 0.0, float(end)) for end in rng.uniform(2 + variant / 3, 12 + variant, rng.integers(1, 12))]
                for _ in range(QUERIES)
            ]
            held[f"{split}/v{variant:02d}"] = lists
            rows = run_rows(*((q, [(v, [s, e], -i) for i, (v, s, e) in enumerate(own)]) for q, own in enumerate(lists)))
            write_lines(tmp_path / split / f"v{variant:02d}.jsonl.gz", rows)
    return paths, held


def by_hand(measure: str, lists: list[list[tuple[str, float, float]]]) -> float:
    k = int(measure.partition("@")[2].partition(",")[0])
    if measure.startswith("AxIoU"):
        return statistics.fmean(oracle.axiou(JUDGED, own, k) for own in lists)
    mu = float(measure.partition(">")[2])
    return statistics.fmean(oracle.recall(JUDGED, own, k, mu, strict=True) for own in lists)


def test_twelve_measures_select_and_eight_score_their_choices(
    world: tuple[list[Path], dict[str, list[list[tuple[str, float, float]]]]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths, held = world
    out, _ = told(capsys, "select", *paths, "--json", "--figures", tmp_path / "drawn")
    found = json.loads(out)
    assert found["variants"] == VARIANTS
    assert list(found["selected"]) == SINGLE
    chosen = {}
    for measure, choice in found["selected"].items():
        values = {f"v{v:02d}": by_hand(measure, held[f"val/v{v:02d}"]) for v in range(VARIANTS)}
        best = max(values.values())
        assert choice["variant"] == next(name for name, value in values.items() if math.isclose(value, best))
        assert choice["tied"] == sum(math.isclose(value, best) for value in values.values())
        assert len(choice["scores"]) == 8
        assert "R@10,IoU>0.3" not in choice["scores"]
        chosen[measure] = choice["variant"]
    assert len(set(chosen.values())) > 2
    for on_test in found["selected"]["AxIoU@5"]["scores"]:
        scores = [by_hand(on_test, held[f"test/{variant}"]) for variant in chosen.values()]
        for measure, score in zip(chosen, scores, strict=True):
            own = found["selected"][measure]
            assert own["scores"][on_test] == pytest.approx(score)
            z = (score - statistics.fmean(scores)) / statistics.pstdev(scores) if len(set(scores)) > 1 else 0
            assert own["z"][on_test] == pytest.approx(z, abs=1e-9)
    drawn = ET.parse(tmp_path / "drawn" / "model-selection.svg").getroot()
    words = [element.text or "" for element in drawn.iter() if element.tag.endswith("text")]
    assert [word for word in words if word.startswith("Selected by")] == [
        f"Selected by {heading}" for heading in ("R@1", "R@5", "R@10", "AxIoU")
    ]
    assert len([element for element in drawn.iter() if element.tag.endswith("polyline")]) == 2 * 12  # with their stubs
    out, _ = told(capsys, "select", *paths, "--measures", "AxIoU@10", "R@1,IoU>0.5")
    assert f"12 variants; each measure's best on {paths[0].name}" in out
    (row,) = [line.split() for line in out.splitlines() if line.startswith("AxIoU@10")]
    assert row[1] == chosen["AxIoU@10"]


def test_a_variant_has_one_name_whatever_its_files_end_in(
    world: tuple[list[Path], dict[str, list[list[tuple[str, float, float]]]]], capsys: pytest.CaptureFixture[str]
) -> None:
    """TVR-Ranking's own runs are one JSON object in a .json file."""
    paths, held = world
    expected, _ = told(capsys, "select", *paths, "--json")
    for variant in range(VARIANTS):
        (paths[1] / f"v{variant:02d}.jsonl.gz").unlink()
        rows = {
            q: [{"video_name": v, "timestamp": [s, e], "model_scores": -i} for i, (v, s, e) in enumerate(own)]
            for q, own in enumerate(held[f"val/v{variant:02d}"])
        }
        write_json(paths[1] / f"v{variant:02d}.json", rows)
    assert told(capsys, "select", *paths, "--json")[0] == expected


def test_what_cannot_be_selected_is_refused(
    world: tuple[list[Path], dict[str, list[list[tuple[str, float, float]]]]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths, _ = world
    (paths[3] / "v03.jsonl.gz").unlink()
    _, said = told(capsys, "select", *paths, code=2)
    assert "has no run of 1 variant, v03 for one: expected a file of the same name as in" in said
    _, said = told(capsys, "select", *paths[:3], tmp_path / "none", code=2)
    assert "none is no folder" in said
    (tmp_path / "empty").mkdir()
    _, said = told(capsys, "select", paths[0], tmp_path / "empty", *paths[2:], code=2)
    assert "has no run: expected files that end in .jsonl" in said
