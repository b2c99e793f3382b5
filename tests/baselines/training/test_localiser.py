"""CONQUER trained and searched in another system's videos, and every model on QuadLinear-AP."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from baselines.collation.collator import Collator
from baselines.errors import BaselineError
from baselines.models.conquer.model import ConquerConfig
from baselines.models.interface import Losses
from baselines.retrieval.candidates import Candidates, candidates_from
from baselines.runs import manifest_path
from baselines.training.objectives import objective_named
from baselines.training.pairs import PseudoPairs
from evaluation import Prediction, Run
from evaluation.formats.writing import qreels_text
from evaluation.reading import read_run
from tests.baselines.scenes import Collection
from tests.baselines.tiny import tiny_batch
from tests.baselines.worlds import run_line

CPU = torch.device("cpu")
SMALL = ["--set", "hidden=16", "--set", "heads=2", "--batch-size", "16", "--lr", "0.01", "--device", "cpu"]
CONQUER = [*SMALL, "--set", "intermediate=16", "--set", "clusters=2", "--set", "channels=4"]


@pytest.fixture(scope="module")
def xml(scenes: Collection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """XML trained for an epoch: the other system."""
    out = tmp_path_factory.mktemp("retriever") / "xml"
    given = [scenes.folder, scenes.features, out, "--top", 4, "--epochs", 1, "--evaluate-every", 1]
    assert run_line("train", "xml", *given, *SMALL) == 0
    return out


def test_conquer_is_trained_and_searched_in_another_models_videos(
    scenes: Collection, xml: Path, tmp_path: Path
) -> None:
    given = [scenes.folder, scenes.features, tmp_path / "conquer", "--top", 4, "--epochs", 2, "--evaluate-every", 1]
    trained = ["train", "conquer", *given, *CONQUER, "--videos-from", xml, "--set", "candidates=3"]
    assert run_line(*trained) == 0
    log = (tmp_path / "conquer" / "log.jsonl").read_text()
    assert len(log.splitlines()) == 2
    searched = (tmp_path / "conquer" / "candidates.npz").stat().st_mtime_ns
    assert run_line(*trained) == 0  # done already: nothing is searched or trained again
    assert (tmp_path / "conquer" / "candidates.npz").stat().st_mtime_ns == searched
    assert (tmp_path / "conquer" / "log.jsonl").read_text() == log

    run = tmp_path / "run.jsonl"
    asked = ["retrieve", tmp_path / "conquer", scenes.folder, scenes.features, run, "--split", "test"]
    assert run_line(*asked, "--videos-from", xml) == 0
    assert sorted(path.name for path in tmp_path.glob("run*")) == ["run.jsonl", "run.manifest.json"]
    found = read_run(run)
    assert len(found.query_ids) == 5
    for row in range(5):
        assert len(set(found.video[found.offset[row] : found.offset[row + 1]].tolist())) <= 3
    manifest = json.loads(manifest_path(run).read_text())
    assert manifest["videos_from"]["system"] == "xml"
    length = found.end - found.start
    assert length.min() >= 1.5
    assert length.max() <= 24 * 1.5


def test_conquers_own_head_may_score_the_videos(scenes: Collection, xml: Path, tmp_path: Path) -> None:
    given = [scenes.folder, scenes.features, tmp_path / "own", "--top", 1, "--epochs", 1, "--evaluate-every", 1]
    own = ["--set", "exclusive=true", "--loss", "quadlinear", "--videos-from", xml]
    assert run_line("train", "conquer", *given, *CONQUER, *own) == 0
    (line,) = (tmp_path / "own" / "log.jsonl").read_text().splitlines()
    assert set(json.loads(line)["losses"]) == {"span", "quadlinear"}
    run = tmp_path / "run.jsonl"
    asked = ["retrieve", tmp_path / "own", scenes.folder, scenes.features, run, "--split", "val"]
    assert run_line(*asked, "--videos-from", xml) == 0
    # log r + log P(begin) + log P(end) of one query's videos: probabilities, together at most 1.
    found = read_run(run)
    assert np.exp(found.score[: found.offset[1]]).sum() <= 1.001


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["train", "conquer"], "conquer localises in another system's videos: name it by --videos-from"),
        (["train", "xml", "--videos-from", "{xml}"], "xml searches by itself: leave out --videos-from"),
        (["train", "spr", "--videos-from", "{xml}"], "spr searches by itself: leave out --videos-from"),
        (["train", "conquer", "--videos-from", "nowhere"], "nowhere: found nothing, expected a trained model or a run"),
        (
            ["train", "conquer", "--videos-from", "{xml}", "--set", "negatives=7"],
            "that aren't paired with it, expected 7 as negatives",
        ),
    ],
)
def test_a_training_says_whose_videos_it_lacks(
    scenes: Collection, xml: Path, tmp_path: Path, line: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = [part.format(xml=xml) for part in line[2:]]
    given = [*line[:2], scenes.folder, scenes.features, tmp_path / "out", "--top", 4, *more, *SMALL]
    assert run_line(*given) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out" / "model.pt").exists()


def test_a_run_gives_its_videos_in_the_order_of_their_best_moments(scenes: Collection, tmp_path: Path) -> None:
    release = scenes.release()
    queries = release.queries("test")
    answers = [
        ("12", [Prediction("v0", 0, 3, 0.1)]),
        (
            queries[0].query_id,
            [
                Prediction("v3", 0, 3, -0.5),
                Prediction("elsewhere", 0, 3, -0.6),
                Prediction("v3", 3, 6, -0.7),
                Prediction("v1", 0, 3, -0.9),
                Prediction("v2", 0, 3, -1.0),
            ],
        ),
    ]
    path = tmp_path / "other.jsonl"
    path.write_text("".join(qreels_text(Run.of("other", answers))))
    found = candidates_from(path, queries, scenes.feature_file(), release.durations, depth=2, device=CPU)
    ranked = found.ranked(queries[0].query_id)
    assert [name for name, _ in ranked] == ["v3", "v1"]
    assert [score for _, score in ranked] == pytest.approx([-0.5, -0.9])
    assert found.videos_of("12") == []
    with pytest.raises(BaselineError, match=r"other.jsonl: found no video for 4 of 5 queries"):
        found.ranking(queries, 2)


def ranked_as(order: list[str], scenes: Collection) -> Candidates:
    """The same videos for every query of the training."""
    rows = {query.query_id: 0 for query in scenes.release().training_of(4).queries}
    video = np.arange(len(order), dtype=np.int32)[None]
    return Candidates(rows, tuple(order), video, -video.astype(np.float32), {"name": "drawn"})


def test_negatives_are_the_retrievers_best_that_a_query_is_not_paired_with(scenes: Collection) -> None:
    release = scenes.release()
    training = release.training_of(4)
    collator = Collator(scenes.feature_file(), ConquerConfig(), with_subtitles=True)
    order = [f"v{number}" for number in range(8)]
    pairs = PseudoPairs(training, collator, retriever=ranked_as(order, scenes), negatives=2, pool=1)
    batch = pairs.batch(np.arange(len(pairs)), draw=(1, 2))
    assert batch.negatives is not None
    assert batch.negatives.shape == (len(pairs), 2)
    assert len(batch.videos) >= int(batch.negatives.max()) + 1
    for pair in range(len(pairs)):
        negatives = batch.negatives[pair].tolist()
        assert len(set(negatives)) == 2
        assert not batch.related[batch.query[pair], negatives].any()
    again, other = (pairs.batch(np.arange(len(pairs)), draw=(1, step)) for step in (2, 3))
    assert torch.equal(again.negatives, batch.negatives)  # type: ignore[arg-type]
    assert not torch.equal(other.negatives, batch.negatives)  # type: ignore[arg-type]


def quadlinear_of(
    scores: torch.Tensor, *, relevance: torch.Tensor | None = None, related: torch.Tensor | None = None
) -> dict[str, torch.Tensor]:
    """What --loss quadlinear makes of a model with two parts, on a tiny batch."""
    batch = tiny_batch(4)
    batch = replace(
        batch,
        relevance=batch.relevance if relevance is None else relevance,
        related=batch.related if related is None else related,
    )
    losses = Losses({"span": torch.tensor(0.5), "hinge": torch.tensor(9.0)}, frozenset({"hinge"}), scores)
    objective = objective_named("quadlinear", torch.tensor([0.4, 0.6, 0.8, 1.0]))
    return objective(losses, batch)


def test_quadlinear_takes_the_place_of_the_parts_that_rank() -> None:
    right = quadlinear_of(torch.eye(4).requires_grad_())
    assert set(right) == {"span", "quadlinear"}
    assert right["quadlinear"] == 0
    wrong = quadlinear_of(1 - torch.eye(4))
    assert wrong["quadlinear"] > 0.9


def test_a_more_similar_video_is_asked_to_stand_above_a_less_similar_one() -> None:
    relevance = torch.diag(torch.ones(4))
    relevance[0, 1] = 0.4
    related = relevance > 0
    in_order = quadlinear_of(torch.eye(4) + 0.5 * relevance, relevance=relevance, related=related)
    swapped = torch.eye(4)
    swapped[0, 0], swapped[0, 1] = 0.5, 1.0
    assert in_order["quadlinear"] == 0
    assert quadlinear_of(swapped, relevance=relevance, related=related)["quadlinear"] > 0


def test_a_pair_without_similarity_neither_counts_as_positive_nor_as_negative() -> None:
    related = torch.eye(4, dtype=torch.bool)
    related[0, 1] = True
    scores = torch.eye(4)
    scores[0, 1] = 5.0
    assert quadlinear_of(scores, related=related)["quadlinear"] == 0


def test_similarities_that_are_all_0_are_refused() -> None:
    with pytest.raises(BaselineError, match="found none above 0"):
        objective_named("quadlinear", torch.zeros(3))


@pytest.mark.parametrize("model", ["xml", "reloclnet", "spr"])
def test_a_model_is_trained_on_quadlinear(scenes: Collection, tmp_path: Path, model: str) -> None:
    given = [scenes.folder, scenes.features, tmp_path / "out", "--top", 4, "--epochs", 4, "--evaluate-every", 4]
    assert run_line("train", model, *given, *SMALL, "--loss", "quadlinear") == 0
    (line,) = (tmp_path / "out" / "log.jsonl").read_text().splitlines()
    assert 0 < json.loads(line)["losses"]["quadlinear"] < 1
