"""Search by segments: it finds what looking at every segment and proposal by itself finds, and beats chance."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from baselines.collation.collator import Collator
from baselines.models.interface import Encoded
from baselines.models.spr.model import SPR
from baselines.retrieval.search import WINDOWS_AT_ONCE, SearchSettings, search
from evaluation import evaluate
from evaluation.moments.run import Run
from evaluation.reading import read_ground_truth, read_run
from tests.baselines.retrieval.test_search import drawn_model, places
from tests.baselines.scenes import Collection
from tests.baselines.worlds import run_line

MEASURE = "NDCG@20,IoU>=0.5"
Moment = tuple[str, int, int]


def in_proposals(segments: list[tuple[str, int]], longest: int) -> list[tuple[str, int, int]]:
    """Segments of one video that follow one another, so many at most, as first and last."""
    made: list[tuple[str, int, int]] = []
    for name, segment in sorted(segments):
        if made and made[-1][0] == name and made[-1][2] == segment - 1 and segment - made[-1][1] < longest:
            made[-1] = (name, made[-1][1], segment)
        else:
            made.append((name, segment, segment))
    return made


def best_moment(model: SPR, asked: Encoded, video: Encoded, first: int, last: int) -> tuple[float, int, int]:
    """A proposal's best moment by exp(alpha s) P(start) P(end), every span looked at."""
    config, clips = model.config, int(video.mask.sum())
    begin = max(0, first * config.segment - config.context)
    end = min((last + 1) * config.segment + config.context, clips)
    window = model.windows(video, *torch.tensor([[0], [begin], [end]]))
    own = Encoded(asked.parts[1:], asked.mask)
    score = config.score_scale * model.refiner.video_scores(own, window)[0, 0]
    start, stop = (logits[0].log_softmax(0) for logits in model.spans(asked, window))
    if end - begin <= config.shortest:
        return float(score + start[0] + stop[-1]), begin, end
    return max(
        (float(score + start[at] + stop[to]), begin + at, begin + to)
        for at in range(end - begin)
        for to in range(at + config.shortest, min(at + config.longest, end - begin))
    )


@torch.inference_mode()
def by_hand(model: SPR, collator: Collator, scenes: Collection, kept: int) -> list[list[Moment]]:
    """Every query's moments, best first."""
    release, found = scenes.release(), []
    videos = {name: model.encode_videos(collator.videos([name])) for name in release.durations}
    for query in release.queries("test"):
        asked = model.encode_queries(collator.queries([query]))
        scored = [
            (score, (name, segment))
            for name, video in videos.items()
            for segment, score in enumerate(model.segment_scores(asked, video)[0, 0].tolist())
        ]
        best = [place for _, place in sorted(scored, reverse=True)[:kept]]
        moments: dict[Moment, float] = {}
        for name, first, last in in_proposals(best, model.config.longest_proposal):
            score, start, end = best_moment(model, asked, videos[name], first, last)
            moments[name, start, end] = max(score, moments.get((name, start, end), score))
        found.append(sorted(moments, key=lambda moment: -moments[moment]))
    return found


@pytest.mark.parametrize("block", [256, 3])
@pytest.mark.parametrize(("settings", "kept"), [({"share": 0.5, "context": 2}, 14), ({"share": 1.0, "window": 18}, 28)])
def test_it_finds_what_looking_at_every_segment_finds(
    scenes: Collection, block: int, settings: dict[str, float], kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("baselines.retrieval.search.WINDOWS_AT_ONCE", 7)
    model, collator = drawn_model("spr", scenes, **settings)
    assert isinstance(model, SPR)
    release = scenes.release()
    found = search(
        model, collator, release.durations, release.queries("test"), name="mine", settings=SearchSettings(block=block)
    )
    assert WINDOWS_AT_ONCE > 7
    assert places(found, found.query_ids) == by_hand(model, collator, scenes, kept)


def scored(path: Path, scenes: Collection, split: str) -> float:
    (record,) = evaluate(read_ground_truth(scenes.folder / f"{split}.json"), [read_run(path)], [MEASURE])
    return record.value


@pytest.mark.long
def test_a_trained_one_beats_chance_and_finds_videos_for_another(scenes: Collection, tmp_path: Path) -> None:
    given, small = (scenes.folder, scenes.features), ["--set", "hidden=16", "--set", "heads=2", "--device", "cpu"]
    how = ["--top", 4, "--epochs", 30, "--evaluate-every", 10, "--batch-size", 16, "--lr", 0.01, *small]
    assert run_line("train", "spr", *given, tmp_path / "spr", *how, "--set", "weight_span=1.0") == 0
    run, floor = tmp_path / "spr.jsonl", tmp_path / "random.jsonl"
    assert run_line("retrieve", tmp_path / "spr", *given, run, "--split", "test") == 0
    assert run_line("retrieve", "random-moments", *given, floor, "--split", "test") == 0
    assert scored(run, scenes, "test") > 0.6 > 2 * scored(floor, scenes, "test")
    ours: Run = read_run(run)
    for query_id in ours.query_ids:
        moments = ours.of_query(query_id)
        assert len({(one.video_name, one.start, one.end) for one in moments}) == len(moments)
        assert all(one.score >= two.score for one, two in pairwise(moments) if one.score and two.score)
    manifest = json.loads((tmp_path / "spr.manifest.json").read_text())
    assert manifest["config"]["segments"] == 200

    more = ["--videos-from", tmp_path / "spr", "--set", "intermediate=16", "--set", "candidates=3"]
    line = ["--top", 4, "--epochs", 1, "--evaluate-every", 1, *small, *more]
    assert run_line("train", "conquer", *given, tmp_path / "conquer", *line) == 0
