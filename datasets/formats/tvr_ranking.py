"""The files of TVR-Ranking: val, test, train_topNN, video_corpus, raw_annotations (rule 9).

Lists hold one record a line. Numbers, order and spelling follow from the state alone: the same state
gives the same bytes.

- val.json, test.json: the queries with at least one graded pair, in the order of the draw; their graded pairs
  (grade 0 included) in rank order. A query without one isn't judged, which is not the same as nothing relevant:
  it is left out, and counted in the manifest. A query whose judging goes on has the pairs that have a grade so far.
- train_topNN.json: every pseudo-training query with its NN most similar moments, fewer where it has fewer;
  by default of 1, 20 and 40.
- raw_annotations.csv: one row per counted judgment of a decided pair, discarded pairs included; val, then test, by
  query, rank, and the order of judging.
- video_corpus.json: all of the collection's videos. A duration that no source states is the latest end of the
  video's moments (a lower bound; the manifest says how many); null where there is no moment either.
- sample_run.jsonl: a run to try the measures on; README.md says what they give for it (`sample_run.py`).
"""

from array import array
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TextIO

import numpy as np

from datasets.content.moment_locations import MomentLocation
from datasets.content.splits import SPLITS, GradedPair, RawJudgment
from datasets.content.training import DECIMALS
from datasets.formats.material import Material, create, create_csv, to_json
from datasets.formats.sample_run import write_sample_run
from evaluation.reading.judgment_rows import COLUMNS

TRAINING_DEPTHS = (1, 20, 40)
RAW_COLUMNS = COLUMNS
QUERIES_AT_ONCE = 1000
BUFFER = 1 << 20
"""Bytes of a training file that are written at once."""
END = "}, "
"""Of a moment's record, where another follows."""
THREE = np.array([b"%03d" % number for number in range(1000)])
SHORT = np.array([digits.rstrip(b"0") for digits in THREE.tolist()])
"""The ends of decimals: three digits as they are, and without zeros at the end."""


def write_tvr_ranking(material: Material) -> None:
    """Write all files."""
    splits, folder = material.splits, material.folder
    for split in SPLITS:
        with create(folder / f"{split}.json") as file:
            _write_list(file, _judged(material, split))
    write_training(material)
    with create(folder / "video_corpus.json") as file:
        file.write(to_json(splits.durations) + "\n")
    with create_csv(folder / "raw_annotations.csv", RAW_COLUMNS) as writer:
        for split in SPLITS:
            writer.writerows(_raw_row(judgment) for judgment in splits.raw_judgments(split))
    write_sample_run(material)


def _write_list(file: TextIO, records: Iterable[str]) -> None:
    before = "[\n"
    for record in records:
        file.write(before + record)
        before = ",\n"
    file.write("\n]\n" if before == ",\n" else "[]\n")


def _judged(material: Material, split: str) -> Iterator[str]:
    for query in material.splits.judged_queries(split):
        moments = [_graded_record(pair) for pair in query.pairs]
        yield to_json({"query_id": query.query_id, "query": query.text, "relevant_moment": moments})
        material.progress(1)


def _graded_record(pair: GradedPair) -> dict[str, Any]:
    return {
        "pair_id": pair.pair_id,
        **_place_record(pair.place),
        "caption": pair.caption,
        "similarity": pair.similarity,
        "relevance": pair.grade,
    }


def _place_record(place: MomentLocation) -> dict[str, Any]:
    return {
        "video_name": place.video_name,
        "timestamp": list(place.timestamp),
        "duration": place.duration,
    }


def _raw_row(judgment: RawJudgment) -> tuple[Any, ...]:
    place = judgment.place
    return (
        judgment.pair_id,
        judgment.query_id,
        judgment.query,
        place.video_name,
        to_json(list(place.timestamp)),
        "" if place.duration is None else place.duration,
        judgment.caption,
        judgment.similarity,
        judgment.worker,
        judgment.grade,
    )


def training_file_name(depth: int) -> str:
    """The training file that holds so many moments a query."""
    return f"train_top{depth:02d}.json"


def write_training(material: Material) -> None:
    """The training files, of every depth, in one walk over the queries."""
    beginnings = _Beginnings(material.training.captions(), material.folder)
    with ExitStack() as stack:
        paths = [material.folder / training_file_name(depth) for depth in material.depths]
        files = [stack.enter_context(path.open("wb", buffering=BUFFER)) for path in paths]
        before, queries = "[\n", iter(material.training)
        while block := list(islice(queries, QUERIES_AT_ONCE)):
            begin = beginnings.of(np.concatenate([query.captions for query in block]))
            similarity = iter(_written(np.concatenate([query.similarities for query in block])))
            for query in block:
                head = f'{before}{{"query_id": {to_json(query.query_id)}, "query": {to_json(query.text)}, '
                count = len(query.captions)
                # A moment is two parts: all but its similarity, beginning with the end of the one before, and that.
                parts: list[bytes | memoryview] = [f'{head}"relevant_moment": ['.encode()] * (2 * count + 1)
                parts[1::2] = islice(begin, count)
                parts[2::2] = islice(similarity, count)
                parts[1:2] = [own[len(END) :] for own in parts[1:2]]
                end = b"}]}" if count else b"]}"
                for file, depth in zip(files, material.depths, strict=True):
                    file.write(b"".join([*parts[: 2 * depth + 1], end]))
                before = ",\n"
            material.progress(len(block))
        for file in files:
            file.write(b"\n]\n" if before == ",\n" else b"[]\n")


def _written(numbers: np.ndarray) -> list[bytes]:
    """The `repr` of numbers of six decimals, made of their digits together: one by one they take most of the time.

    >>> _written(np.array([1.0, 0.75, 0.5012, 0.000101, 0.00001, -0.5]))
    [b'1.0', b'0.75', b'0.5012', b'0.000101', b'1e-05', b'-0.5']
    """
    plain = (numbers >= 1e-4) & (numbers < 1)
    first, last = np.divmod(np.rint(np.where(plain, numbers, 0) * 10**DECIMALS).astype(np.int64), 1000)
    digits = np.empty(len(numbers), dtype=[("point", "S2"), ("first", "S3"), ("last", "S3")])
    digits["point"], digits["last"] = b"0.", SHORT[last]
    digits["first"] = np.where(last > 0, THREE[first], SHORT[first])
    written: list[bytes] = digits.view("S8").tolist()
    for place in np.flatnonzero(~plain).tolist():
        written[place] = b"%r" % float(numbers[place])
    return written


class _Beginnings:
    """The records of moments without their similarity, by the caption's place, each after the end of another record.

    A record is the same text in every query: it is made once and copied 2.8 million times at the paper's scale. They
    lie in an unnamed file that is mapped into memory, 220 bytes each, so the system can reclaim its pages.
    """

    def __init__(self, captions: Iterable[tuple[str, MomentLocation]], folder: Path) -> None:
        ends = array("q", [0])
        with TemporaryFile(dir=folder) as file:
            for caption, place in captions:
                begin = END + to_json({**_place_record(place), "caption": caption})[:-1] + ', "similarity": '
                ends.append(ends[-1] + file.write(begin.encode()))
            file.flush()
            # Slices of a view are joined without a copy of each.
            self._text = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ) if ends[-1] else b"")
        self._ends = np.array(ends)

    def of(self, captions: np.ndarray) -> Iterator[memoryview]:
        places = map(slice, self._ends[captions].tolist(), self._ends[captions + 1].tolist())
        return map(self._text.__getitem__, places)
