"""The check of a release's tables counts distinct moments and videos as sets would, in a file and not in memory."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.releases.check_figures import Places
from evaluation.releases.figures import extent
from evaluation.releases.untrusted_files import read_records

TIMES = st.integers(0, 3) | st.sampled_from([0.0, -0.0, 0.5, 1.0, 2.25])
MOMENTS = st.lists(st.lists(st.tuples(st.sampled_from(["a", "b", "b\n1.0"]), TIMES, TIMES), max_size=9), max_size=9)


def written(path: Path, queries: list[list[tuple[str, float, float]]]) -> Path:
    records = [{"relevant_moment": [{"video_name": v, "timestamp": [s, e]} for v, s, e in one]} for one in queries]
    path.write_text(json.dumps(records))
    return path


def sizes(path: Path) -> tuple[int, int, int]:
    """Queries, distinct moments and distinct videos of a file."""
    queries, places = 0, Places()
    for query in read_records(path):
        queries += 1
        for moment in query["relevant_moment"]:
            places.add(moment["video_name"], *moment["timestamp"])
    found = extent(places)
    return queries, found["moments"], found["videos"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(MOMENTS)
def test_it_counts_as_sets_do(tmp_path: Path, queries: list[list[tuple[str, float, float]]]) -> None:
    moments = {moment for one in queries for moment in one}
    expected = (len(queries), len(moments), len({video for video, _, _ in moments}))
    assert sizes(written(tmp_path / "val.json", queries)) == expected


def test_a_time_that_no_float_holds_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no number of seconds"):
        sizes(written(tmp_path / "val.json", [[("a", 0, 10**400)]]))
