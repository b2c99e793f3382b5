"""A release says what its moments are called elsewhere, where they are called anything, and exports call them so."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpus.models import Moment
from evaluation.reading.moment_ids import read_moment_ids
from evaluation.releases.check_release import check_release
from tests.datasets.conftest import World
from tests.datasets.releases.test_further_files import released, rows
from tests.evaluation.files import told


def name_some(world: World) -> dict[tuple[str, float, float], str]:
    """Every other moment is called after its shot. Returns: what they are called."""
    moments = Moment.objects.filter(video__collection=world.collection).select_related("video").order_by("pk")
    given = {}
    for place, moment in enumerate(moments[::2]):
        moment.external_id = f"shot{place + 7}_1"
        moment.save(update_fields=["external_id"])
        given[moment.video.name, moment.start, moment.end] = moment.external_id
    return given


def test_ids_are_in_a_file_of_their_own_and_change_no_other(
    judged: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = released(judged, tmp_path / "plain")
    assert "moment_ids.csv" not in plain.files and "moment_ids" not in plain.manifest
    given = name_some(judged)
    release = released(judged, tmp_path / "out")
    assert set(release.files) - set(plain.files) == {"moment_ids.csv"}
    assert {path for path in plain.files if plain.files[path] != release.files[path]} == {"manifest.json", "README.md"}
    assert release.manifest["moment_ids"] == {"file": "moment_ids.csv", "moments": len(given)}
    assert read_moment_ids(tmp_path / "out" / "moment_ids.csv") == given
    places = [(one["video_name"], float(one["start"])) for one in rows(tmp_path / "out" / "moment_ids.csv")]
    assert places == sorted(places)
    for name, ids in (("out", given), ("plain", {})):
        _, said = told(capsys, "export", tmp_path / name, tmp_path / f"{name}-trecvid", "--to", "trecvid")
        shots = rows(tmp_path / f"{name}-trecvid" / "shots.csv")
        for shot in shots:
            usual = ids.get((shot["video_name"], float(shot["start"]), float(shot["end"])))
            assert shot["shot_id"] == usual if usual else shot["shot_id"].startswith("shot")
        assert bool(ids) == ("without an id elsewhere, numbered here" in said)
        assert (set(ids.values()) & {shot["shot_id"] for shot in shots} != set()) == bool(ids)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: text.replace("shot8_1", "shot7_1"), "found moment_id shot7_1 a second time"),
        (lambda text: text.replace("alpha,", "omega,", 1), "is not in video_corpus.json"),
        (lambda text: text.rpartition("\nb")[0] + "\n", "but the manifest says"),
        (lambda text: text.replace("moment_id", "shot"), "found no column moment_id"),
    ],
)
def test_a_file_that_was_changed_is_found(
    judged: World, tmp_path: Path, change: Callable[[str], str], problem: str
) -> None:
    name_some(judged)
    released(judged, tmp_path / "out")
    path = tmp_path / "out" / "moment_ids.csv"
    text: Any = path.read_text()
    assert change(text) != text
    path.write_text(change(text))
    found = check_release(tmp_path / "out")
    assert any(problem in one and one.startswith("moment_ids.csv") for one in found), found
