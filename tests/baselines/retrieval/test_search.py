"""Search over the whole corpus: what it finds is what looking at everything finds, in blocks and after a kill."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from baselines.collation.collator import Collator
from baselines.errors import BaselineError
from baselines.models.checkpoint import read_model, write_model
from baselines.models.interface import RetrievalModel
from baselines.models.registry import model_named
from baselines.retrieval.moments import best_moments
from baselines.retrieval.search import SearchSettings, Told, rank_videos, search, silent
from baselines.retrieval.state import SearchState, StateFile
from baselines.training.loop import Trainer, TrainingSettings
from baselines.training.schedule import Schedule
from evaluation.moments.run import Run
from evaluation.reading import read_run
from tests.baselines.scenes import Collection
from tests.baselines.tiny import tiny_config
from tests.baselines.worlds import CLIP, run_line

BOTH = pytest.mark.parametrize("name", ["xml", "reloclnet"])


def drawn_model(name: str, scenes: Collection, **settings: float) -> tuple[RetrievalModel, Collator]:
    """A model with drawn weights, for the collection's features."""
    torch.manual_seed(5)
    config = replace(tiny_config(name), initial_deviation=0.3, longest=5, **settings)  # type: ignore[arg-type]
    collator = Collator(scenes.feature_file(), config, with_subtitles=True)
    return model_named(name)(config, collator.dimensions).eval(), collator


def searched(
    model: RetrievalModel,
    collator: Collator,
    scenes: Collection,
    settings: SearchSettings | None = None,
    kept: StateFile | None = None,
    told: Told = silent,
) -> Run:
    release = scenes.release()
    queries = release.queries("test")
    return search(model, collator, release.durations, queries, name="mine", settings=settings, kept=kept, told=told)


def by_hand(
    model: RetrievalModel, collator: Collator, scenes: Collection, videos: int
) -> list[list[tuple[str, int, int]]]:
    """Every query's moments by exp(alpha s) P(start) P(end), each computed on its own."""
    release, config = scenes.release(), model.config
    names = sorted(release.durations)
    found = []
    with torch.inference_mode():
        for query in release.queries("test"):
            asked = model.encode_queries(collator.queries([query]))
            scored = []
            for name in names:
                video = model.encode_videos(collator.videos([name]))
                start, end = (logits[0].softmax(0) for logits in model.spans(asked, video))
                video_score = float(model.video_scores(asked, video))
                for first in range(len(start)):
                    for last in range(first + config.shortest, min(first + config.longest, len(start))):
                        score = np.exp(config.score_scale * video_score) * float(start[first] * end[last])
                        scored.append((video_score, score, (name, first, last)))
            best = sorted({one[0] for one in scored}, reverse=True)[:videos]
            rows = sorted((one for one in scored if one[0] in best), key=lambda one: -one[1])
            found.append([place for _, _, place in rows])
    return found


def places(run: Run, query_ids: Sequence[str]) -> list[list[tuple[str, int, int]]]:
    return [
        [(one.video_name, round(one.start / CLIP), round(one.end / CLIP)) for one in run.of_query(query_id)]
        for query_id in query_ids
    ]


@BOTH
@pytest.mark.parametrize(("videos", "block"), [(100, 256), (100, 3), (3, 2)])
def test_it_finds_what_looking_at_every_moment_finds(scenes: Collection, name: str, videos: int, block: int) -> None:
    model, collator = drawn_model(name, scenes)
    run = searched(model, collator, scenes, SearchSettings(videos=videos, moments=12, block=block))
    expected = [one[:12] for one in by_hand(model, collator, scenes, videos)]
    assert places(run, run.query_ids) == expected


def test_moments_lie_within_their_videos_and_are_as_long_as_allowed(scenes: Collection) -> None:
    model, collator = drawn_model("xml", scenes)
    run = searched(model, collator, scenes)
    durations = scenes.release().durations
    assert len(run) == 5 * 100
    for query_id in run.query_ids:
        scores = [one.score or 0.0 for one in run.of_query(query_id)]
        assert scores == sorted(scores, reverse=True)
        for one in run.of_query(query_id):
            assert 0 <= one.start < one.end <= (durations[one.video_name] or 0)
            assert 2 * CLIP <= one.end - one.start <= 4 * CLIP


def test_a_short_video_has_one_moment_the_whole_of_it() -> None:
    mask = torch.tensor([[1.0, 0, 0, 0], [1.0, 1, 0, 0], [1.0, 1, 1, 1]])
    logits = torch.zeros(3, 4).masked_fill(mask == 0, -1e10)
    score, start, end = best_moments(
        logits, logits, mask, torch.tensor([0.1, 0.2, 0.3]), shortest=2, longest=16, scale=10.0, depth=9
    )
    there = score > -torch.inf
    assert there.sum(1).tolist() == [1, 1, 3]
    assert [(int(start[i, 0]), int(end[i, 0])) for i in (0, 1)] == [(0, 1), (0, 2)]
    found = {(int(a), int(b)) for a, b in zip(start[2][there[2]], end[2][there[2]], strict=True)}
    assert found == {(0, 2), (1, 3), (0, 3)}
    assert float(score[2, 0]) == pytest.approx(3 - 2 * np.log(4))


@pytest.mark.parametrize(("name", "stopped"), [("xml", 1), ("xml", 3), ("xml", 5), ("spr", 2), ("spr", 4)])
def test_a_killed_search_goes_on_and_finds_the_same(
    scenes: Collection, tmp_path: Path, name: str, stopped: int
) -> None:
    model, collator = drawn_model(name, scenes)
    settings = SearchSettings(videos=4, moments=9, block=3)
    whole = searched(model, collator, scenes, settings)
    blocks: list[tuple[str, int]] = []
    kept = StateFile(tmp_path / "state.npz", "this search", seconds_between=0)

    def told(walk: str, done: int, of: int) -> None:
        blocks.append((walk, done))
        if len(blocks) == stopped:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        searched(model, collator, scenes, settings, kept, told)
    before = len(blocks)
    again = searched(model, collator, scenes, settings, StateFile(kept.path, "this search"), told)
    assert len(blocks) - before == 6 - stopped
    assert again.score.tolist() == whole.score.tolist()
    assert places(again, again.query_ids) == places(whole, whole.query_ids)


def test_a_killed_ranking_for_another_system_goes_on_and_is_done_once(scenes: Collection, tmp_path: Path) -> None:
    model, collator = drawn_model("xml", scenes)
    release = scenes.release()
    queries = release.queries("test")

    def ranked(told: Told = silent, kept: StateFile | None = None) -> list[Any]:
        names, video, score = rank_videos(
            model, collator, release.durations, queries, depth=4, block=3, kept=kept, told=told
        )
        return [names, video.tolist(), score.tolist()]

    blocks: list[int] = []

    def told(walk: str, done: int, of: int) -> None:
        blocks.append(done)
        if len(blocks) == 2:
            raise KeyboardInterrupt

    whole, path = ranked(), tmp_path / "state.npz"
    with pytest.raises(KeyboardInterrupt):
        ranked(told, StateFile(path, "these", seconds_between=0))
    assert ranked(told, StateFile(path, "these")) == whole
    assert blocks == [1, 2, 3]
    assert ranked(told, StateFile(path, "these")) == whole
    assert blocks == [1, 2, 3]
    assert ranked(told, StateFile(path, "others")) == whole
    assert blocks == [1, 2, 3, 1, 2, 3]


def test_the_state_of_another_search_or_a_broken_one_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    StateFile(path, "one").write(SearchState.empty(2, 3, 4))
    assert StateFile(path, "another").read() is None
    found = StateFile(path, "one").read()
    assert found is not None
    assert found.video.shape == (2, 3)
    path.write_bytes(path.read_bytes()[:300])
    assert StateFile(path, "one").read() is None


def test_another_systems_ranking_says_in_which_videos_to_look(scenes: Collection) -> None:
    model, collator = drawn_model("xml", scenes)
    release = scenes.release()
    queries = release.queries("test")
    ranking = {query.query_id: [("v3", 0.9), ("v1", 0.5)] for query in queries}
    run = search(model, collator, release.durations, queries, name="mine", ranking=ranking)
    assert {one.video_name for one in run.of_query(run.query_ids[0])} == {"v3", "v1"}


@pytest.fixture(scope="module")
def trained(scenes: Collection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model that was trained for a moment."""
    out = tmp_path_factory.mktemp("trained") / "xml"
    settings = TrainingSettings("xml", tiny_config("xml"), 4, 1, Schedule(1, 1.0))
    Trainer(settings, scenes.release(), scenes.feature_file(), out, device=torch.device("cpu")).run()
    return out


def test_the_command_writes_a_run_with_what_made_it(
    scenes: Collection, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "runs" / "XML-top4-test-seed1.jsonl"
    assert run_line("retrieve", trained, scenes.folder, scenes.features, out, "--split", "test", "--depth", 7) == 0
    assert "5 queries, 35 moments" in capsys.readouterr().out
    run = read_run(out)
    assert [len(run.of_query(query_id)) for query_id in run.query_ids] == [7] * 5
    manifest = json.loads(out.with_name("XML-top4-test-seed1.manifest.json").read_text())
    assert {name: manifest[name] for name in ("system", "split", "seed", "top", "loss")} == {
        "system": "xml",
        "split": "test",
        "seed": 1,
        "top": 4,
        "loss": "paper",
    }
    assert manifest["config"]["hidden"] == 16
    assert manifest["search"]["videos"] == 100
    assert manifest["checkpoint"] == read_model(trained).digest
    assert sorted(path.name for path in out.parent.iterdir()) == [
        "XML-top4-test-seed1.jsonl",
        "XML-top4-test-seed1.manifest.json",
    ]


def test_a_broken_or_foreign_checkpoint_is_named(
    scenes: Collection, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (trained / "model.pt").read_bytes()
    cut, text, empty, training = (tmp_path / name for name in ("cut.pt", "text.pt", "empty", "training.pt"))
    cut.write_bytes(whole[: len(whole) // 2])
    text.write_text("no model")
    empty.mkdir()
    training.write_bytes((trained / "training.pt").read_bytes())
    for checkpoint, said in (
        (tmp_path / "nowhere", "expected what train made, or one of random"),
        (empty, "model.pt: found nothing, expected a model that `train` made"),
        (cut, "cut.pt: found a file that is cut off"),
        (text, "text.pt: found a file that is cut off or none of 'qreels model 1'"),
        (training, "found 'qreels training 1', expected 'qreels model 1'"),
    ):
        line = ("retrieve", checkpoint, scenes.folder, scenes.features, tmp_path / "run.jsonl", "--split", "val")
        assert run_line(*line) == 2
        assert said in capsys.readouterr().err
    assert not (tmp_path / "run.jsonl").exists()


def test_features_of_another_kind_than_the_models_are_refused(
    scenes: Collection, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = read_model(trained)
    features = other.about["features"] | {"clip_seconds": 2.0}
    write_model(tmp_path / "model.pt", other.model, other.about | {"features": features})
    line = ("retrieve", tmp_path, scenes.folder, scenes.features, tmp_path / "run.jsonl", "--split", "val")
    assert run_line(*line) == 2
    assert "found clip_seconds = 1.5, expected 2.0" in capsys.readouterr().err
    content = torch.load(tmp_path / "model.pt", weights_only=True)
    facts = json.loads(content["facts"]) | {"config": {"unknown": 1}}
    torch.save(content | {"facts": json.dumps(facts)}, tmp_path / "model.pt")
    with pytest.raises(BaselineError, match="xml has no setting 'unknown'"):
        read_model(tmp_path)
