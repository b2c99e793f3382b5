"""Search over the whole corpus: the best videos of every query, or the best segments, then the best moments in them.

Videos go by in blocks, so memory doesn't grow with the corpus: a first walk ranks videos, a second one localises in
each query's best. Encodings are kept from the first walk to the second as far as they fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from baselines.arrays import SingleArray
from baselines.collation.collator import Collator
from baselines.models.interface import Encoded, RetrievalModel, SegmentModel
from baselines.reading.release import Query
from baselines.retrieval.moments import best_moments
from baselines.retrieval.proposals import proposals, without_doubles
from baselines.retrieval.state import SearchState, StateFile
from evaluation.arrays import IntArray
from evaluation.moments.run import Prediction, Run

QUERIES_AT_ONCE = 256
PAIRS_AT_ONCE = 1024
WINDOWS_AT_ONCE = 256
KEPT_BYTES = 1 << 30
"""Encodings kept in memory between the walks."""

RANKING, LOCALISING = "ranking videos", "localising"

Told = Callable[[str, int, int], None]
"""Hears of progress: which walk, how many blocks are done, of how many."""
Ranking = Mapping[str, Sequence[tuple[str, float]]]
"""query_id -> videos with their scores, best first, as another system ranked them."""


@dataclass(frozen=True)
class SearchSettings:
    """How wide a search goes.

    Attributes: videos: in how many of its best a query's moments are looked for. moments: how many each query gets.
    block: videos encoded at once.
    """

    videos: int = 100
    moments: int = 100
    block: int = 256


def silent(walk: str, done: int, of: int) -> None:
    """Tells nobody."""


@torch.inference_mode()
def search(
    model: RetrievalModel,
    collator: Collator,
    durations: Mapping[str, float | None],
    queries: Sequence[Query],
    *,
    name: str,
    settings: SearchSettings | None = None,
    ranking: Ranking | None = None,
    kept: StateFile | None = None,
    told: Told = silent,
) -> Run:
    """Every query's best moments in the corpus.

    Args:
        durations: the corpus: its videos, and at which second a moment ends at the latest. name: the run's.
        ranking: the videos to look in, for a model that `needs_retriever`.
        kept: where the state is kept, so that a killed search goes on.
    """
    settings = settings or SearchSettings()
    model.eval()
    kind = _SegmentWalks if isinstance(model, SegmentModel) else _Walks
    walks = kind(model, collator, list(durations), queries, settings)
    state = (kept.read() if kept else None) or SearchState.empty(len(queries), walks.kept_places, settings.moments)
    if ranking is not None and not state.ranked:
        walks.take_ranking(state, ranking)
        walks.score_again(state)
    if not state.ranked:
        walks.walk(RANKING, walks.rank, state, kept, told)
        state.ranked, state.block = True, 0
    walks.walk(LOCALISING, walks.localise, state, kept, told)
    return walks.run(state, name, durations)


@torch.inference_mode()
def rank_videos(
    model: RetrievalModel,
    collator: Collator,
    durations: Mapping[str, float | None],
    queries: Sequence[Query],
    *,
    depth: int,
    block: int = SearchSettings.block,
    kept: StateFile | None = None,
    told: Told = silent,
) -> tuple[tuple[str, ...], NDArray[np.int32], SingleArray]:
    """Every query's best videos, for another system to localise in; the first of the two walks.

    Args: kept: where the state is kept, so that a killed walk goes on, and one that is done isn't done again.
    Returns: the corpus's names; places in them (Q, K) int32, best first, K = ``depth`` or the corpus's size; the
    model's scores (Q, K).
    """
    state = (kept.read() if kept else None) or SearchState.empty(len(queries), min(depth, len(durations)), 0)
    if not state.ranked:
        model.eval()
        walks = _Walks(model, collator, list(durations), queries, SearchSettings(block=block))
        walks.walk(RANKING, walks.rank, state, kept, told)
        state.ranked = True
        if kept:
            kept.write(state)
    return tuple(_in_walking_order(collator, durations)), state.video.astype(np.int32), state.video_score


def _in_walking_order(collator: Collator, videos: Iterable[str]) -> list[str]:
    """Videos of one length together: less padding."""
    return sorted(videos, key=lambda name: (collator.clips(name), name))


class _Walks:
    """The corpus in blocks, and what each walk does with one."""

    def __init__(
        self,
        model: RetrievalModel,
        collator: Collator,
        videos: Sequence[str],
        queries: Sequence[Query],
        settings: SearchSettings,
    ) -> None:
        self.model = model
        self.collator = collator
        self.settings = settings
        self.device = next(model.parameters()).device
        self.names = _in_walking_order(collator, videos)
        self.blocks = -(-len(self.names) // settings.block)
        self.kept_places = min(settings.videos, len(self.names))
        self.query_ids = [query.query_id for query in queries]
        self.queries = self._encoded_queries(queries)
        self._kept: dict[int, Encoded] = {}
        self._room = KEPT_BYTES

    def walk(
        self,
        name: str,
        visit: Callable[[SearchState, int], None],
        state: SearchState,
        kept: StateFile | None,
        told: Told,
    ) -> None:
        """Visit the blocks that are left, keep the state and tell after each."""
        for block in range(state.block, self.blocks):
            visit(state, block)
            state.block = block + 1
            if kept:
                kept.write_if_due(state)
            told(name, block + 1, self.blocks)

    def rank(self, state: SearchState, block: int) -> None:
        """Put a block's videos among the queries' best."""
        encoded = self._encoded(block)
        for at in range(0, len(self.queries), QUERIES_AT_ONCE):
            rows = torch.arange(at, min(at + QUERIES_AT_ONCE, len(self.queries)), device=self.device)
            places, scores = self._scored(self.queries.rows(rows), encoded, block * self.settings.block)
            state.take_videos(slice(at, at + len(rows)), places, scores.float().cpu().numpy())

    def _scored(self, queries: Encoded, videos: Encoded, first: int) -> tuple[IntArray, torch.Tensor]:
        """Places in the corpus, (P,) or (Q, P), and each query's scores of them, (Q, P).

        Args: first: the place of the first of these videos.
        """
        return np.arange(first, first + len(videos)), self.model.video_scores(queries, videos)

    def localise(self, state: SearchState, block: int) -> None:
        """Put the best moments of a block's videos among those of the queries that ranked them high."""
        config = self.model.config
        for rows, places, queries, videos in self._pairs(state, block):
            starts, ends = self.model.spans(queries, videos)
            score, start, end = best_moments(
                starts,
                ends,
                videos.mask,
                self._there(state.video_score[rows, places]),
                shortest=config.shortest,
                longest=config.longest,
                scale=config.score_scale,
                depth=self.settings.moments,
            )
            video = state.video[rows, places]
            state.take_moments(rows, video, score.cpu().numpy(), start.cpu().numpy(), end.cpu().numpy())

    def _pairs(self, state: SearchState, block: int) -> Iterator[tuple[IntArray, IntArray, Encoded, Encoded]]:
        """The queries and their best videos in a block, some at a time: where they stand in the state, and encoded."""
        first = block * self.settings.block
        row, place = np.nonzero((state.video >= first) & (state.video < first + self.settings.block))
        encoded = self._encoded(block) if len(row) else None
        for at in range(0, len(row), PAIRS_AT_ONCE):
            assert encoded is not None
            rows, places = row[at : at + PAIRS_AT_ONCE], place[at : at + PAIRS_AT_ONCE]
            videos = encoded.rows(self._there(state.video[rows, places] - first))
            yield rows, places, self.queries.rows(self._there(rows)), videos

    def take_ranking(self, state: SearchState, ranking: Ranking) -> None:
        """Use another system's videos in place of a first walk."""
        places = {name: place for place, name in enumerate(self.names)}
        for row, query_id in enumerate(self.query_ids):
            known = [(places[name], score) for name, score in ranking.get(query_id, ()) if name in places]
            for column, (video, score) in enumerate(known[: state.video.shape[1]]):
                state.video[row, column], state.video_score[row, column] = video, score
        state.ranked = True

    def score_again(self, state: SearchState) -> None:
        """Replace the retriever's scores by the model's own, if it has any: log softmax over a query's videos."""
        logits = np.full(state.video.shape, -np.inf, np.float32)
        for block in range(self.blocks):
            for rows, places, queries, videos in self._pairs(state, block):
                scores = self.model.pair_scores(queries, videos)
                if scores is None:
                    return
                logits[rows, places] = scores.float().cpu().numpy()
        state.video_score = torch.from_numpy(logits).log_softmax(1).numpy()

    def run(self, state: SearchState, name: str, durations: Mapping[str, float | None]) -> Run:
        """What was found, as a run. Times are the clips' own; a moment ends no later than its video."""
        return Run.of(
            name,
            ((query_id, list(self._found(state, row, durations))) for row, query_id in enumerate(self.query_ids)),
        )

    def _found(self, state: SearchState, row: int, durations: Mapping[str, float | None]) -> Iterator[Prediction]:
        for place in np.flatnonzero(state.score[row] > -np.inf):
            name = self.names[state.found_video[row, place]]
            seconds, duration = self.collator.clip_seconds(name), durations[name]
            start, end = float(state.start[row, place]) * seconds, float(state.end[row, place]) * seconds
            if duration is not None and duration > start:
                end = min(end, duration)
            yield Prediction(name, start, end, float(state.score[row, place]))

    def _encoded(self, block: int) -> Encoded:
        found = self._kept.get(block)
        if found is None:
            names = self.names[block * self.settings.block : (block + 1) * self.settings.block]
            found = self.model.encode_videos(self.collator.videos(names).to(self.device))
            size = sum(part.nbytes for part in found.parts)
            if size <= self._room:
                self._room -= size
                self._kept[block] = found
        return found

    def _encoded_queries(self, queries: Sequence[Query]) -> Encoded:
        pieces = []
        for at in range(0, len(queries), QUERIES_AT_ONCE):
            words = self.collator.queries(queries[at : at + QUERIES_AT_ONCE], full=True)
            pieces.append(self.model.encode_queries(words.to(self.device)))
        parts = [torch.cat(columns) for columns in zip(*(piece.parts for piece in pieces), strict=True)]
        return Encoded(tuple(parts), torch.cat([piece.mask for piece in pieces]))

    def _there(self, values: IntArray | SingleArray) -> torch.Tensor:
        return torch.from_numpy(values).to(self.device)


class _SegmentWalks(_Walks):
    """The same with segments in place of videos, and one moment in each proposal made of them.

    A segment's place in the corpus is its video's times ``stride``, and its own; the stride leaves one place free, so
    that the last segment of a video and the first of the next don't follow one another.
    """

    model: SegmentModel

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        config = self.model.config
        self.stride = -(-config.max_clips // config.segment) + 1
        there = sum(-(-self.collator.clips(name) // config.segment) for name in self.names)
        self.kept_places = max(1, min(config.segments, int(config.share * there)))

    def _scored(self, queries: Encoded, videos: Encoded, first: int) -> tuple[IntArray, torch.Tensor]:
        scores = self.model.segment_scores(queries, videos)
        best = scores.flatten(1).topk(min(self.kept_places, scores[0].numel()))
        video, segment = np.divmod(best.indices.cpu().numpy(), scores.shape[2])
        return (first + video) * self.stride + segment, best.values

    def localise(self, state: SearchState, block: int) -> None:
        """Put the best moment of each proposal in a block's videos among those of its query."""
        begin, behind = (at * self.settings.block * self.stride for at in (block, block + 1))
        row, column = np.nonzero((state.video >= begin) & (state.video < behind))
        if not len(row):
            return
        encoded = self._encoded(block)
        made = proposals(row, state.video[row, column] - begin, longest=self.model.config.longest_proposal)
        found = [
            self._refined(encoded, *(part[at : at + WINDOWS_AT_ONCE] for part in made))
            for at in range(0, len(made.row), WINDOWS_AT_ONCE)
        ]
        score, start, end = (np.concatenate(parts) for parts in zip(*found, strict=True))
        video = made.first // self.stride + block * self.settings.block
        row, video, score, start, end = without_doubles(made.row, video, score, start, end)
        state.take_moments(row, video, score[:, None], start[:, None], end[:, None])

    def _refined(self, videos: Encoded, *proposal: IntArray) -> tuple[SingleArray, ...]:
        """The best moment of each proposal in these videos: score, start and end in clips of its video."""
        config, (row, first, last) = self.model.config, (self._there(part) for part in proposal)
        video, clips = first // self.stride, videos.mask.sum(1).long()
        begin, end = self.model.around(first % self.stride, last % self.stride, clips[video])
        queries, windows = self.queries.rows(row), self.model.windows(videos, video, begin, end)
        starts, ends = self.model.spans(queries, windows)
        score, start, stop = best_moments(
            starts,
            ends,
            windows.mask,
            self.model.pair_scores(queries, windows),
            shortest=config.shortest,
            longest=config.longest,
            scale=config.score_scale,
            depth=1,
        )
        moment = score.squeeze(1), start.squeeze(1) + begin, stop.squeeze(1) + begin
        return tuple(part.cpu().numpy() for part in moment)
