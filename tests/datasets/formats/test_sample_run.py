"""A release's README says how to score its sample run, and what comes out."""

import json
import re
import shlex
from pathlib import Path

import pytest

from datasets.formats import FORMATS
from datasets.publishing.publish import items_of
from datasets.releases.make_release import create_release, write_release
from evaluation.__main__ import main
from evaluation.releases.check_release import check_release
from tests.datasets.conftest import World
from tests.evaluation import oracle

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("formats", [["tvr-ranking"], list(FORMATS)])
def test_the_readmes_line_gives_the_figures_beneath_it(
    formats: list[str],
    judged: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    release = create_release(collection=judged.collection, name="v1", formats=formats)
    write_release(release=release, folder=tmp_path / "out")
    assert check_release(tmp_path / "out") == []
    text = (tmp_path / "out" / "README.md").read_text()
    assert "    pip install ./evaluation\n" in text
    (line,) = re.findall(r"^    qreels-eval (.*)$", text, re.MULTILINE)
    monkeypatch.chdir(tmp_path / "out")
    capsys.readouterr()
    assert main([*shlex.split(line), "--json"]) == 0
    (scored,) = json.loads(capsys.readouterr().out).values()
    expected = dict(re.findall(r"^\| (NDCG@\S+) \| ([0-9.]+) \|$", text, re.MULTILINE))
    assert {measure: f"{value:.4f}" for measure, value in scored.items()} == expected
    assert len(expected) == 9
    assert expected["NDCG@20,IoU>=0.7"] == f"{by_hand(tmp_path / 'out'):.4f}" != expected["NDCG@20,IoU>=0.3"]


def by_hand(folder: Path) -> float:
    """NDCG@20,IoU>=0.7 of the sample run by the slow oracle."""
    run = [json.loads(line) for line in (folder / "sample_run.jsonl").read_text().splitlines()]
    values = []
    for query, answer in zip(json.loads((folder / "val.json").read_text()), run, strict=True):
        assert answer["query_id"] == query["query_id"]
        judged = [(m["video_name"], *m["timestamp"], m["relevance"]) for m in query["relevant_moment"]]
        ranked = [(p["video_name"], *p["timestamp"]) for p in answer["predictions"]]
        values.append(oracle.ndcg(judged, ranked, 20, 0.7, strict=False))
    return sum(values) / len(values)


def test_the_readme_goes_with_the_files_that_it_speaks_of(judged: World) -> None:
    alone = create_release(collection=judged.collection, name="v1")
    assert {"README.md", "sample_run.jsonl"} <= {item.goes_to for item in items_of(alone, "tvr-ranking")}
    trec = create_release(collection=judged.collection, name="v2", formats=["trec", "parquet"])
    assert "sample_run.jsonl" not in trec.files
    assert "README.md" in trec.files
