"""Tables 1 and 4 in the paper's layout: its own numbers printed as it prints them, and a small collection by hand."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from datasets.content.moment_locations import MomentLocation
from datasets.content.statistics import release_statistics
from evaluation.releases.figures import extent
from evaluation.releases.paper_tables import paper_tables
from evaluation.releases.statistics_tables import statistics_tables
from evaluation.releases.tables import Table, as_csv, latex
from tests.datasets.conftest import World
from tests.datasets.content.test_statistics import counted, lead_of

__all__ = ["counted"]


def spread(least: float, mean: float, most: float) -> dict[str, float]:
    return {"least": least, "mean": mean, "median": mean, "most": most}


def split(
    size: tuple[int, int, int, int, int], hours: tuple[float, float], lengths: tuple[int, float, int],
    moment: tuple[float, float, float], video: tuple[float, float, float], ratio: float,
) -> dict[str, Any]:  # fmt: skip
    queries, moments, videos, vocabulary, verbs = size
    extent = {
        "moments": moments,
        "videos": videos,
        "moment_hours": hours[0],
        "video_hours": hours[1],
        "moment_seconds": spread(*moment),
        "video_seconds": spread(*video),
        "moment_video_ratio": ratio,
    }
    counts = {"queries": queries, "vocabulary": vocabulary, "verbs": verbs}
    return counts | {"words": spread(*lengths), "extent": extent, "top": 40}


VIDEO = {"train": (2.02, 76.14, 272.02), "val": (2.02, 76.59, 272.02), "test": (2.02, 76.23, 272.02)}
PAPER = {
    "train": split((69317, 94259, 19614, 10865, 3846), (228.91, 414.86), (4, 13.98, 122), (0.26, 8.74, 239.38),
                   VIDEO["train"], 0.12),
    "val": split((500, 12191, 9272, 994, 330), (29.48, 197.27), (7, 14.11, 35), (0.27, 8.71, 121.86),
                 VIDEO["val"], 0.11) | {"relevant_per_query": {"1": 27.1}},
    "test": split((2781, 42472, 18146, 2517, 837), (101.60, 384.23), (6, 13.97, 108), (0.26, 8.61, 138.02),
                  VIDEO["test"], 0.11) | {"relevant_per_query": {"1": 27.0}},
}  # fmt: skip


def test_the_papers_numbers_come_out_as_it_prints_them() -> None:
    one, four = paper_tables(PAPER)
    assert one.columns == ("", "#Query", "#Moment", "#Video", "Vocab.", "#Verb", "M.Dur", "V.Dur")
    assert one.rows == (
        ("Training", "69,317", "94,259", "19,614", "10,865", "3,846", "228.91", "414.86"),
        ("Validation", "500", "12,191", "9,272", "994", "330", "29.48", "197.27"),
        ("Test", "2,781", "42,472", "18,146", "2,517", "837", "101.60", "384.23"),
    )
    assert four.columns == ("", "Pseudo training set, N=40", "Validation Set", "Test Set")
    assert four.rows == (
        ("Min Query Length", "4", "7", "6"),
        ("Avg. Query Length", "13.98", "14.11", "13.97"),
        ("Max Query Length", "122", "35", "108"),
        ("Min Moment Duration (s)", "0.26", "0.27", "0.26"),
        ("Avg. Moment Duration (s)", "8.74", "8.71", "8.61"),
        ("Max Moment Duration (s)", "239.38", "121.86", "138.02"),
        ("Min Video Duration (s)", "2.02", "2.02", "2.02"),
        ("Avg. Video Duration (s)", "76.14", "76.59", "76.23"),
        ("Max Video Duration (s)", "272.02", "272.02", "272.02"),
        ("Avg. Moment-Video Duration Ratio", "0.12", "0.11", "0.11"),
        ("Avg. Relevant Moments per Query", "N.A", "27.1", "27.0"),
    )


@pytest.mark.parametrize("name", ["train", "val", "test"])
def test_the_papers_durations_are_over_distinct_moments_and_videos(name: str) -> None:
    """Why ours are: its totals in hours divided by its distinct moments and videos are its averages."""
    found = PAPER[name]["extent"]
    assert round(found["moment_hours"] * 3600 / found["moments"], 2) == found["moment_seconds"]["mean"]
    assert round(found["video_hours"] * 3600 / found["videos"], 2) == found["video_seconds"]["mean"]


def test_an_extent_counts_a_video_once_and_averages_the_ratio_over_moments() -> None:
    places = [
        MomentLocation("a", (0.0, 9.0), 90.0),
        MomentLocation("a", (10.0, 28.0), 90.0),
        MomentLocation("b", (0.0, 6.0), 30.0),
    ]
    found = extent([*places, MomentLocation("c", (1.0, 4.0), None)])
    assert (found["moments"], found["videos"]) == (4, 3)
    assert (found["moment_hours"], found["video_hours"]) == (round(36 / 3600, 4), round(120 / 3600, 4))
    assert found["moment_seconds"] == {"least": 3.0, "mean": 9.0, "median": 7.5, "most": 18.0}
    assert found["video_seconds"] == {"least": 30.0, "mean": 60.0, "median": 60.0, "most": 90.0}
    assert found["moment_video_ratio"] == round((0.1 + 0.2 + 0.2) / 3, 4)
    assert extent([])["moment_seconds"] is None


def test_training_counts_the_moments_of_its_queries_top_candidates(counted: World) -> None:
    splits = release_statistics(collection=counted.collection)["splits"]
    # Seven queries about seven moments; their top six are eleven of the twelve moments, each 4.25 s.
    assert (splits["train"]["moments"], splits["train"]["extent"]["moments"]) == (7, 11)
    assert splits["train"]["extent"]["moment_hours"] == round(11 * 4.25 / 3600, 4)
    assert splits["val"]["extent"]["moments"] == 3 and splits["test"]["extent"]["moments"] == 2
    assert splits["val"]["queries_by_batches"] == {"1": 1}


def test_a_collection_without_candidates_has_tables_with_dashes() -> None:
    before = PAPER | {"train": PAPER["train"] | {"extent": None}}
    one, four = paper_tables(before)
    assert one.rows[0] == ("Training", "69,317", "–", "–", "10,865", "3,846", "–", "–")
    assert [row[1] for row in four.rows] == ["4", "13.98", "122", *"–––––––", "N.A"]


def test_latex_and_csv_hold_the_same_cells() -> None:
    table = Table("A & B", ("", "#Query", "share"), (("a_b", "1,234", "97.79 %"), ("c", "–", "0 %")), "50 %.", key="k")
    assert latex(table).splitlines() == [
        r"\begin{table}",
        r"  \centering",
        r"  \caption{A \& B. 50 \%.}",
        r"  \label{tab:k}",
        r"  \begin{tabular}{lrr}",
        r"    \toprule",
        r"     & \#Query & share \\",
        r"    \midrule",
        r"    a\_b & 1,234 & 97.79 \% \\",
        r"    c & -- & 0 \% \\",
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    assert as_csv(table) == ",#Query,share\na_b,1234,97.79 %\nc,,0 %\n"


def test_page_and_command_give_each_table_as_latex_and_csv(counted: World) -> None:
    client, found = lead_of(counted), release_statistics(collection=counted.collection)
    tables = statistics_tables(found)
    assert len({table.key for table in tables}) == len(tables)
    for table in tables:
        answer = client.get(f"/c/tiny/statistics/{table.key}.tex")
        assert answer.content.decode() == latex(table)
        assert f'filename="tiny-{table.key}.tex"' in answer["Content-Disposition"]
        assert client.get(f"/c/tiny/statistics/{table.key}.csv").content.decode() == as_csv(table)
    assert client.get("/c/tiny/statistics/material.pdf").status_code == 404
    assert client.get("/c/tiny/statistics/nothing.tex").status_code == 404
    out = StringIO()
    call_command("release_statistics", "tiny", "--as", "tex", stdout=out)
    assert out.getvalue() == "".join(map(latex, tables))
