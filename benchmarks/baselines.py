"""How fast a baseline trains and searches at TVR's size, and what memory it takes, beside the same done naively.

    .venv/bin/python benchmarks/baselines.py

The size is the TVR-Ranking paper's: 19,614 videos of 76 s in clips of 1.5 s, 69,317 pseudo-training queries with 40
moments each, 3,281 queries to search for. Features are random (1,024 and 768 numbers a clip, 768 a word), in a file of
features as `python -m baselines features` writes it. The model is XML with its published parameters, new.

- training: steps of 128 pairs, as `Trainer` makes them: each video and query read and encoded once, all scores at once.
  ``naive_step``: features read anew for each pair, each pair encoded on its own, each query scored by a loop over the
  videos. Both go forward and back; without dropout and with the hardest negative the two losses are the same, to 1e-4.
- retrieval: all queries over the whole corpus in two walks. ``naive_search``, for a few queries over a few of the
  videos: each by itself, every video encoded, scored and localised one after the other. Times are those of one query in
  one video; the moments found are the same.

Memory is the process's greatest, after making the data, after our search, and after our steps. The last line is one
JSON object; ``ratios`` is our time / the peer's time.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from baselines.collation.collator import Collator
from baselines.features.store import FORMAT, FeatureFile
from baselines.models.interface import Batch, Encoded, RetrievalModel
from baselines.models.xml.model import XML, XMLConfig
from baselines.reading.release import Query, Training
from baselines.retrieval.moments import best_moments
from baselines.retrieval.search import SearchSettings, search
from baselines.training.optimizer import BertAdam
from baselines.training.pairs import PseudoPairs
from benchmarks.harness.measuring import Turns, figure, parser, peak_memory, report, say
from evaluation.arrays import IntArray
from evaluation.moments.run import Run

CLIP = 1.5
HARDEST = replace(XMLConfig(), hard_pool=1, input_dropout=0.0, dropout=0.0)
"""Leaves nothing to the draw, so that two ways of computing it can be compared."""


@dataclass(frozen=True, slots=True)
class Size:
    """TVR's, and how much of it each contender does."""

    videos: int = 19_614
    queries: int = 69_317
    top: int = 40
    searched: int = 3_281
    visual: int = 1_024
    subtitles: int = 768
    words: int = 768
    batch: int = 128
    steps: int = 3
    naive_searched: int = 2
    naive_videos: int = 300


SMALL = Size(
    videos=30, queries=60, top=4, searched=8, visual=12, subtitles=8, words=8, batch=16, steps=1, naive_videos=20
)


@dataclass(frozen=True, eq=False)
class World:
    """Features on disk, pseudo pairs and queries in memory."""

    features: FeatureFile
    training: Training
    queries: list[Query]
    durations: dict[str, float | None]


@contextmanager
def world_of(size: Size) -> Iterator[World]:
    """Everything drawn from one seed, in a folder that goes again."""
    folder = Path(tempfile.mkdtemp(prefix="qreels-bench-"))
    try:
        draw = np.random.default_rng(1)
        clips = np.clip(draw.normal(51, 9, size.videos).astype(int), 8, 128)
        names = [f"video{number:05d}" for number in range(size.videos)]
        queries = [Query(str(number), f"query {number}") for number in range(size.queries + size.searched)]
        _write_features(folder / "features.h5", size, dict(zip(names, clips, strict=True)), queries, draw)
        video = draw.integers(size.videos, size=size.queries * size.top)
        start = draw.random(len(video)) * (clips[video] - 6) * CLIP
        training = Training(
            size.top,
            tuple(queries[: size.queries]),
            tuple(names),
            np.arange(size.queries + 1) * size.top,
            video,
            start,
            start + 2 + draw.random(len(video)) * 7,
            np.tile(np.linspace(1, 0.5, size.top), size.queries),
        )
        durations: dict[str, float | None] = {name: float(n * CLIP) for name, n in zip(names, clips, strict=True)}
        yield World(FeatureFile(folder / "features.h5"), training, queries[size.queries :], durations)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_features(
    path: Path, size: Size, clips: dict[str, int], queries: list[Query], draw: np.random.Generator
) -> None:
    """Rows are pieces of one long sequence of random rows, from a place of its own for each video and query."""
    sizes = {"visual": size.visual, "subtitles": size.subtitles, "words": size.words, "shared": None}
    maker = {"name": "drawn", "library": "none", "weights": "0" * 64}
    manifest = {"format": FORMAT, "frames": maker, "text": maker, "clip_seconds": CLIP, "dimensions": sizes}
    with h5py.File(path, "w") as file:
        file.attrs["manifest"] = json.dumps(manifest)
        for group, width in (("visual", size.visual), ("subtitles", size.subtitles)):
            rows = draw.normal(size=(5_000, width)).astype(np.float16)
            for name, count in clips.items():
                first = int(draw.integers(len(rows) - count))
                dataset = file.create_dataset(f"{group}/{name}", data=rows[first : first + count])
                dataset.attrs.update(duration=count * CLIP, source="drawn")
        words = draw.integers(6, 20, len(queries))
        offset = np.concatenate(([0], np.cumsum(words)))
        file["words/texts"] = np.array([query.text.encode() for query in queries])
        file["words/offset"] = offset
        vectors = file.create_dataset("words/vectors", (int(offset[-1]), size.words), np.float16)
        rows = draw.normal(size=(50_000, size.words)).astype(np.float16)
        for at in range(0, len(vectors), len(rows)):
            vectors[at : at + len(rows)] = rows[: len(vectors) - at]


def model_for(collator: Collator) -> XML:
    """XML with weights drawn from one seed, wide enough that scores differ."""
    torch.manual_seed(2)
    return XML(replace(HARDEST, initial_deviation=0.1), collator.dimensions)


def naive_step(model: XML, world: World, optimizer: BertAdam, pairs: IntArray, batch: Batch) -> float:
    """The same step, pair by pair."""
    loss = naive_loss(model, world, pairs, batch)
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]  # torch has no types for it
    optimizer.step(0.0)
    return float(loss.detach())


def naive_loss(model: XML, world: World, pairs: IntArray, batch: Batch) -> Tensor:
    """The loss of a batch, pair by pair."""
    training = world.training
    queries, videos = [], []
    for pair in pairs:
        alone = Collator(world.features, model.config, with_subtitles=True, cache_bytes=0)
        queries.append(model.encode_queries(alone.queries([training.queries[training.query[pair]]])))
        videos.append(model.encode_videos(alone.videos([training.video_names[training.video[pair]]])))
    scores = torch.stack([torch.stack([model.video_scores(q, v)[0, 0] for v in videos]) for q in queries])
    positive = batch.positive
    losses = []
    for i, (query, video) in enumerate(zip(queries, videos, strict=True)):
        starts, ends = model.spans(query, video)
        loss = model.config.weight_span * -(
            starts.log_softmax(1)[0, batch.span[i, 0]] + ends.log_softmax(1)[0, batch.span[i, 1]]
        )
        for line, related in ((scores[i], positive[i]), (scores[:, i], positive[:, i])):
            negatives = line[~related]
            if len(negatives):
                loss = loss + (model.config.margin + negatives.max() - scores[i, i]).clamp(min=0)
        losses.append(loss * batch.weight[i])
    return torch.stack(losses).mean()


def our_step(model: XML, pairs: PseudoPairs, optimizer: BertAdam, rows: IntArray) -> float:
    """One step as `Trainer` makes it."""
    loss = model.losses(pairs.batch(rows), hard_negatives=True).total()
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]  # torch has no types for it
    optimizer.step(0.0)  # the weights stay, so that the peer's loss is to be the same
    return float(loss.detach())


def measure_training(size: Size, world: World, turns: Turns) -> dict[str, float]:
    """Steps of ours, then of the peer."""
    begun = time.perf_counter()
    collator = Collator(world.features, HARDEST, with_subtitles=True)
    pairs = PseudoPairs(world.training, collator)
    prepared = time.perf_counter() - begun
    model = model_for(collator)
    optimizer = BertAdam(model)
    order = pairs.order(1, 0)
    batches = [order[at * size.batch : (at + 1) * size.batch] for at in range(size.steps)]
    ours = [turns.take("step", partial(our_step, model, pairs, optimizer, rows)) for rows in batches]
    memory = peak_memory()
    reading = time.perf_counter()
    pairs.batch(order[-size.batch :])
    reading = time.perf_counter() - reading
    say(f"a step: {turns.wall('step'):.2f} s, {reading:.2f} s of it putting a batch together")
    for rows, loss in zip(batches, ours, strict=True):
        batch = pairs.batch(rows)

        peer = turns.take("naive_step", partial(naive_step, model, world, optimizer, rows, batch))
        assert abs(peer - loss) < 1e-4, (peer, loss)
    return {
        "pairs": len(pairs),
        "prepare_seconds": figure(prepared),
        "batch_seconds": figure(reading),
        "steps_a_second": figure(1 / turns.wall("step")),
        "pairs_a_second": figure(size.batch / turns.wall("step")),
        "training_mib": figure(memory),
    }


@torch.inference_mode()
def naive_search(
    model: RetrievalModel, world: World, videos: dict[str, float | None], queries: list[Query], settings: SearchSettings
) -> list[set[str]]:
    """The best moments of each query, found one video at a time."""
    best = []
    for query in queries:
        alone = Collator(world.features, model.config, with_subtitles=True, cache_bytes=0)
        asked = model.encode_queries(alone.queries([query]))
        scored: list[tuple[float, str, Encoded]] = []
        for name in videos:
            video = model.encode_videos(alone.videos([name]))
            scored.append((float(model.video_scores(asked, video)), name, video))
            scored = sorted(scored, key=lambda row: -row[0])[: settings.videos]
        moments = []
        for score, name, video in scored:
            starts, ends = model.spans(asked, video)
            values, start, end = best_moments(
                starts, ends, video.mask, torch.tensor([score]), shortest=2, longest=16, scale=20.0, depth=100
            )
            rows = zip(values[0].tolist(), start[0].tolist(), end[0].tolist(), strict=True)
            moments += [(value, f"{name} {first} {last}") for value, first, last in rows]
        best.append({moment for _, moment in sorted(moments, reverse=True)[: settings.moments]})
    return best


def measure_search(size: Size, world: World, turns: Turns) -> dict[str, float]:
    """All queries by ours, a few by the peer."""
    settings = SearchSettings(moments=20)
    collator = Collator(world.features, HARDEST, with_subtitles=True, cache_bytes=0)
    model = model_for(collator).eval()

    def ours(queries: list[Query], durations: dict[str, float | None]) -> Run:
        return search(model, collator, durations, queries, name="ours", settings=settings)

    before = peak_memory()
    run = turns.take("search", lambda: ours(world.queries, world.durations), units=size.searched * size.videos)
    memory = peak_memory()
    seconds = turns.wall("search") * size.searched * size.videos
    say(f"{size.searched} queries over {size.videos} videos: {seconds:.1f} s")
    few, part = world.queries[: size.naive_searched], dict(list(world.durations.items())[: size.naive_videos])
    peer = turns.take(
        "naive_search", lambda: naive_search(model, world, part, few, settings), units=len(few) * len(part)
    )
    run_of_part = ours(few, part)
    for query, expected in zip(few, peer, strict=True):
        moments = {
            f"{p.video_name} {round(p.start / CLIP)} {round(p.end / CLIP)}"
            for p in run_of_part.of_query(query.query_id)
        }
        assert len(moments & expected) >= 0.9 * len(expected), "the two searches find other moments"
    return {
        "search_seconds": figure(seconds),
        "moments": float(len(run)),
        "search_mib": figure(memory),
        "before_search_mib": figure(before),
    }


def main() -> None:
    """Measure and report."""
    options = parser(__doc__).parse_args()
    size = SMALL if options.small else Size()
    training, searching = Turns(), Turns()
    with world_of(size) as world:
        say(f"features: {world.features.path.stat().st_size / 2**30:.2f} GiB")
        figures = measure_search(size, world, searching) | measure_training(size, world, training)
        world.features.close()
    steps = training.figures(ours="step")
    searches = searching.figures(ours="search")
    joined = {name: {**steps[name], **searches[name]} for name in steps if name != "turns"}
    joined["turns"] = min(steps["turns"], searches["turns"])
    report({**joined, **figures, "threads": torch.get_num_threads()})


if __name__ == "__main__":
    main()
