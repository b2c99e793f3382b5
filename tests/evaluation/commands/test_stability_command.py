"""``python -m evaluation stability``, on small made-up files and on six real systems."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.figures.heat_map import heat_map
from evaluation.figures.line_panels import Panel, PlotLine, line_panels, nice_ticks, spread
from evaluation.figures.svg import RAMP, contrast
from evaluation.stability.studies import STUDIES
from tests.evaluation.files import real_files, run_rows, told, truth_rows, write_json, write_lines

QUERIES = 12


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A graded ground truth, three runs of falling quality, and raw judgments."""
    rng, edges = np.random.default_rng(0), np.array([0, 9])
    truth = truth_rows(*((q, [("a", [0, 10], 3), ("b", [5, 15], 1)]) for q in range(QUERIES)))
    paths = [write_json(tmp_path / "gt.json", truth)]
    for name, scatter in (("good", 0.5), ("fair", 3.0), ("poor", 6.0)):
        rows = run_rows(
            *(
                (
                    q,
                    [
                        ("a", sorted(edges + rng.uniform(0, scatter, 2)), 0.9),
                        ("b", [5.0, 15.0], 0.5),
                    ],
                )
                for q in range(QUERIES)
            )
        )
        paths.append(write_lines(tmp_path / f"{name}.jsonl", rows))
    raw = ["pair_id,query_id,video_name,timestamp,worker,relevance"]
    for q in range(QUERIES):
        raw += [f'{q},{q},a,"[0, 10]",w{grade},{grade}' for grade in (2, 3)]
    (tmp_path / "raw_annotations.csv").write_text("\n".join(raw))
    return paths


SMALL = ["--draws", 50, "--test-sets", 3, "--annotator-draws", 5]
FOUR = ["--measures", "NDCG@2,IoU>=0.5", "NDCG@2,IoU>=0.7", "AxIoU@2", "mIoU"]


def test_all_studies_come_as_json(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    raw = files[0].parent / "raw_annotations.csv"
    out, _ = told(capsys, "stability", *files, *FOUR, *SMALL, "--raw", raw, "--json")
    answers = json.loads(out)
    assert list(answers) == list(STUDIES)
    assert answers["agreement"]["measures"] == FOUR[1:]
    assert answers["self-agreement"]["full"]["draws"] == 50
    assert set(answers["label-noise"]) == {"paper", "code"}
    assert set(answers["label-noise"]["paper"]["rmse"]) == {"1", "2", "3", "4"}
    assert list(answers["label-noise"]["paper"]["median_iou"]) == ["1", "2", "3", "4"]
    by_first = list(answers["scores"]["NDCG@2,IoU>=0.5"].values())
    assert by_first == sorted(by_first, reverse=True)
    assert len(answers["queries"]) == 4 * 3
    assert len(answers["unjudged"]) == 3 * 4
    own = answers["annotators"]["own"]
    assert own["low"]["AxIoU@2"]["good"] <= own["observed"]["AxIoU@2"]["good"]


def test_all_studies_come_as_text_and_the_same_again(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = told(capsys, "stability", *files, *FOUR, *SMALL)
    for heading in (
        "Scores",
        "Agreement",
        "Self-agreement",
        "Label noise",
        "All-tied",
        "Theory",
        "Test-set",
        "Unjudged",
    ):
        assert f"\n{heading}" in out
    again, _ = told(capsys, "stability", *files, *FOUR, *SMALL)
    assert again == out


def test_the_figures_are_drawn(files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "figures"
    told(capsys, "stability", *files, *FOUR, *SMALL, "--figures", folder)
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "agreement.svg",
        *(f"self-agreement-{a}-{b}.svg" for a in ("full", "subset") for b in ("mean", "variance")),
        *(f"label-noise-{model}.svg" for model in ("paper", "code")),
        *(f"gaussian-noise-{part}.svg" for part in ("bias", "variance", "error", "by-deviation", "by-threshold")),
        "scores.svg",
        "all-tied.svg",
    }
    for path in folder.iterdir():
        drawn = ET.parse(path).getroot()
        assert drawn.tag.endswith("svg")
        words = [element.text or "" for element in drawn.iter() if element.tag.endswith("text")]
        assert any("n = " in text for text in words), path.name  # n is stated


def test_one_run_gets_the_studies_that_need_no_other(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = told(capsys, "stability", *files[:2], *FOUR, *SMALL, "--json")
    assert list(json.loads(out)) == ["label-noise", "theory", "unjudged"]
    _, said = told(capsys, "stability", *files[:2], *FOUR, "--studies", "ties", code=2)
    assert "at least two runs" in said


def test_what_cannot_be_studied_is_refused(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, said = told(capsys, "stability", *files, *FOUR, "--studies", "annotators", code=2)
    assert "needs --raw raw_annotations.csv" in said
    _, said = told(capsys, "stability", *files, "--measures", "uAP,IoU>=0.5", "--studies", "ties", code=2)
    assert "no value per query" in said
    (tmp_path / "file").write_text("")
    arguments = [*FOUR, "--studies", "theory", "--figures", tmp_path / "file"]
    _, said = told(capsys, "stability", *files, *arguments, code=2)
    assert "cannot be written" in said


def test_the_axiou_papers_statements_come_out_of_its_six_systems(capsys: pytest.CaptureFixture[str]) -> None:
    folder = real_files("charades_sta")
    runs = sorted((folder / "runs").iterdir())
    out, _ = told(
        capsys, "stability", folder / "test.json", *runs, "--studies", "agreement", "ties", "--json"
    )  # fmt: skip
    answers = json.loads(out)
    names, tau = answers["agreement"]["measures"], np.array(answers["agreement"]["tau_b"])
    tau_ap, overlap = (np.array(answers["agreement"][alike]) for alike in ("tau_ap", "rbo"))
    assert tau_ap.shape == overlap.shape == tau.shape
    assert np.diag(overlap) == pytest.approx(np.ones(len(tau)))
    assert set(np.diag(tau_ap).round(6)) == {1.0, 0.85}  # by R@1 two pairs of systems tie, about which nothing agrees
    recalls = [i for i, name in enumerate(names) if name.startswith("R@")]
    assert len(recalls) == 9
    # AxIoU@5 and AxIoU@10 agree with every R@K, while most R@K turn against some other R@K.
    for name in ("AxIoU@5", "AxIoU@10"):
        assert tau[names.index(name), recalls].min() >= 0.2
        assert np.median(tau[names.index(name), recalls]) >= 0.6
    disagreeing = [name for i, name in enumerate(names) if i in recalls and tau[i, recalls].min() < 0]
    assert {"R@1,IoU>0.3", "R@1,IoU>0.5", "R@1,IoU>0.7", "R@10,IoU>0.3", "R@10,IoU>0.5"} <= set(disagreeing)
    # R@10,IoU>0.3 saturates: the system that never looks at the video reaches 0.996.
    scores = answers["ties"]["scores"]["R@10,IoU>0.3"]
    assert max(scores, key=scores.__getitem__) == "Blind"
    assert scores["Blind"] == pytest.approx(0.996, abs=5e-4)
    tied = answers["ties"]["all_tied"]
    assert max(tied, key=tied.__getitem__) == "R@10,IoU>0.3"
    assert max(tied[name] for name in ("AxIoU@1", "AxIoU@5", "AxIoU@10")) < 0.06


@settings(deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_ticks_enclose_what_they_measure(low: float, width: float) -> None:
    ticks = nice_ticks(low, low + width)
    slack = 1e-6 * max(1.0, abs(low), width)
    assert ticks[0] <= low + slack
    assert ticks[-1] >= low + width - slack
    assert 2 <= len(ticks) <= 13


@settings(deadline=None)
@given(st.lists(st.floats(0, 200), max_size=8))
def test_labels_are_pushed_apart_in_order(places: list[float]) -> None:
    spots = spread(sorted(places), 13)
    assert len(spots) == len(places)
    assert all(b - a >= 13 - 1e-6 for a, b in pairwise(spots))


def test_figures_survive_what_is_not_defined() -> None:
    nan = float("nan")
    square = heat_map(np.array([[1.0, nan], [nan, -0.5]]), ["a<b", "c"], title="t", note="n = 1")
    assert "a&lt;b" in square
    assert square.count("<rect") == 2
    panel = Panel("p", [PlotLine("x", [(0, nan), (1, 0.5)]), PlotLine("y", [(0, 0.5), (1, 0.5)])])
    drawn = line_panels([panel], title="t", x_label="x", y_label="y", note="n = 1")
    assert RAMP[2] in drawn
    assert "nan" not in drawn


def test_every_value_of_a_square_is_read_on_its_ground() -> None:
    size = 32
    square = heat_map(
        np.linspace(-1, 1, size**2).reshape(size, size), [str(n) for n in range(size)], title="t", note=""
    )
    cells = re.findall(r'<rect [^>]*fill="(#\w+)"/>\n<text [^>]*fill="(#\w+)"', square)
    assert len(cells) == size**2
    assert min(contrast(*cell) for cell in cells) >= 4.5


def test_panels_of_different_things_have_heights_of_their_own() -> None:
    panels = [
        Panel("score", [PlotLine("a", [(1, 0.2), (9, 0.8)])]),
        Panel("loss", [PlotLine("b", [(1, 0.01), (9, 0.04)])]),
    ]
    shared = line_panels(panels, title="t", x_label="x", y_label="", note="n", from_zero=True)
    own = line_panels(panels, title="t", x_label="x", y_label="", note="n", from_zero=True, own_heights=True)
    assert [drawn.count(">0.8<") for drawn in (shared, own)] == [2, 1]
    assert [drawn.count(">0.04<") for drawn in (shared, own)] == [0, 1]
