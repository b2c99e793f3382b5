"""A release read as far as somebody asks: its folder, its archive, or a single ground truth."""

from __future__ import annotations

import shutil
import weakref
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from math import ceil
from os import PathLike
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import Any
from unicodedata import normalize

from ..errors import EvaluationError, InputError
from ..formats.system_names import SPLITS
from ..moments.ground_truth import Facts, GroundTruth
from ..moments.run import Run
from ..reading.ground_truths import read_ground_truth
from ..reading.json_stream import head
from ..reading.judgments import Judgments, read_judgments
from ..reading.runs import read_run, run_name
from ..reading.tvr import read_durations, read_video_indices
from ..texts import counted
from .manifest import MANIFEST, read_manifest
from .opening import unpack
from .queries import CORPUS_FILE, Query, read_queries

INDICES = ("video_name_duration_id.json", "tvr_video2dur_idx.json")
JUDGMENTS = ("raw_annotations.csv", "raw_annotation.csv")
ARCHIVES = (".tar.gz", ".tgz", ".tar")
PAPERS_WORDS = ("unrelated", "a few points", "in part", "nearly perfect", "perfect")
"""How the paper's grades are called."""


class Release:
    """A release's files, each read when it is asked for and kept.

    Attributes: given: its folder, archive or file; name: what that is called; files: all that it has.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        """`load`."""
        self.given = Path(path)
        self.name = self.given.name.strip(".") or self.given.resolve().name
        self._truths: dict[str, GroundTruth] = {}
        self._scratch: Path | None = None
        self._folder = self.given
        if not self.given.exists():
            raise InputError(self.given, "", found="nothing there", expected="a release's folder or archive")
        if archive := next((ending for ending in ARCHIVES if self.name.endswith(ending)), ""):
            self.name = self.name.removesuffix(archive)
            self._scratch = Path(mkdtemp(prefix="release-"))
            weakref.finalize(self, shutil.rmtree, self._scratch, ignore_errors=True)
            self._folder, self.files = unpack(self.given, self._scratch, _at_the_top_and_small)
        elif self.given.is_dir():
            every = (file.relative_to(self.given).as_posix() for file in self.given.rglob("*") if file.is_file())
            self.files = tuple(sorted(every))
        else:
            self._folder, self.files = self.given.parent, (self.given.name,)

    def __repr__(self) -> str:
        splits, depths = ", ".join(self.splits) or "no split", ", ".join(map(str, self.training_depths)) or "none"
        return f"<release {self.name}: {splits}; training {depths}; {counted(len(self.files), 'file')}>"

    def path(self, *names: str) -> Path:
        """Where the file of the first of these names is that the release has, gzipped or not.

        Raises: EvaluationError if it has none.
        """
        if not (file := self.has(*names)):
            raise EvaluationError(f"{self.name} has no {names[0]}")
        path = self._folder / file
        if self._scratch is not None and not path.exists():
            own = PurePosixPath(path.relative_to(self._scratch))
            unpack(self.given, self._scratch, lambda other: other == own)
        return path

    def has(self, *names: str) -> str:
        """The file of the first of these names that there is, gzipped or not; "" if none is."""
        return next((file for own in names for file in (own, f"{own}.gz") if file in self.files), "")

    @property
    def splits(self) -> tuple[str, ...]:
        """Its ground truths: val and test of a release; of a single file the file's name without its ending."""
        if self._scratch is None and self.given.is_file():
            return (run_name(self.given).split(".json")[0],)
        return tuple(split for split in SPLITS if self.has(f"{split}.json"))

    def truth(self, split: str = "") -> GroundTruth:
        """A split's ground truth; the one that there is, if no split is named.

        Its `facts` are the queries' texts, languages, where they are known, and batches: how many of these were judged.

        Raises: EvaluationError if there is no such split, or several and none is named. InputError as
        `read_ground_truth`.
        """
        splits = self.splits
        if not split and len(splits) == 1:
            (split,) = splits
        if split not in splits:
            there = ", ".join(splits) or "none"
            raise EvaluationError(f"{self.name}: found the split {split!r}, expected one of these: {there}")
        if split not in self._truths:
            truth = read_ground_truth(self.path(f"{split}.json", self.given.name))
            facts: dict[str, Facts] = dict(truth.facts)
            match self.manifest.get("languages"):
                case [str(language)]:
                    facts.setdefault("language", dict.fromkeys(truth.query_ids, language))
            match self.manifest.get("settings"):
                case {"batch_size": int(size)} if size > 0 and self.has(*JUDGMENTS):
                    facts["batches"] = partial(self._batches, size)
            self._truths[split] = replace(truth, facts=facts)
        return self._truths[split]

    @property
    def val(self) -> GroundTruth:
        """The validation queries. Raises: as `truth`."""
        return self.truth("val")

    @property
    def test(self) -> GroundTruth:
        """The test queries. Raises: as `truth`."""
        return self.truth("test")

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """What the release says of itself; empty if it has no manifest.json. Raises: InputError."""
        return read_manifest(self.path(MANIFEST)) if self.has(MANIFEST) else {}

    @cached_property
    def texts(self) -> dict[str, str]:
        """query_id -> text, of all splits."""
        return {query_id: text for split in self.splits for query_id, text in self.truth(split).fact("text").items()}

    def captions(self, split: str) -> dict[tuple[str, str, float, float], str]:
        """The captions of a split's moments, as far as its file has them: by query_id, video_name, start and end.

        They are there for people who look at moments: a system that reads them reads the answer.

        Raises: as `truth`.
        """
        self.truth(split)  # whatever is wrong with the file
        path = self.path(f"{split}.json", self.given.name)
        return {
            (query.query_id, moment.video_name, moment.start, moment.end): moment.caption
            for query in (read_queries(path) if head(path).startswith("[") else ())
            for moment in query.moments
            if moment.caption is not None
        }

    @cached_property
    def durations(self) -> dict[str, float | None]:
        """video_name -> seconds, None where nobody knows. Raises: EvaluationError if no file says them."""
        durations = read_durations(self.path(CORPUS_FILE, *INDICES))
        return {normalize("NFC", video): seconds for video, seconds in durations.items()}

    @cached_property
    def video_indices(self) -> dict[str, int]:
        """video_name -> index, for `read_run` of runs that name videos by index, as TVR-Ranking's systems write them.

        Raises: EvaluationError if no file says them; Qreels' releases have none.
        """
        return read_video_indices(self.path(*INDICES))

    @cached_property
    def sample_run(self) -> Run:
        """The run that the release ships. Raises: EvaluationError if it has none."""
        return read_run(self.path("sample_run.jsonl"))

    @cached_property
    def judgments(self) -> Judgments:
        """The raw judgments. Raises: EvaluationError if the release has none."""
        top_grade, step = 4, 1
        match self.manifest.get("scale"):
            case {"top": int(top_grade), "step": int(step)}:
                pass
        return read_judgments(self.path(*JUDGMENTS), top_grade=top_grade, step=step)

    @property
    def training_depths(self) -> tuple[int, ...]:
        """How many moments a query the training files have: by default 1, 20 and 40."""
        named = (file.removesuffix(".gz").removesuffix(".json") for file in self.files)
        depths = (file.removeprefix("train_top") for file in named if file.startswith("train_top"))
        return tuple(sorted(int(depth) for depth in depths if depth.isdecimal()))

    def training(self, depth: int | None = None, *, corpus: Container[str] | None = None) -> Iterator[Query]:
        """The pseudo-training queries of a training file, one at a time: a file may be larger than memory.

        Args: depth: one of `training_depths`; None takes the deepest. corpus: as of `read_queries`.
        Raises: EvaluationError if there is no such file; InputError naming record, what was found and expected.
        """
        chosen = max(self.training_depths, default=0) if depth is None else depth
        return read_queries(self.path(f"train_top{chosen:02d}.json", f"train_top{chosen}.json"), corpus=corpus)

    def _batches(self, size: int) -> dict[str, str]:
        """query_id -> how many batches of its candidates, of this size, were judged."""
        pairs = Counter(moment[0] for moment in self.judgments.moments or () if moment is not None)
        return {query_id: str(ceil(count / size)) for query_id, count in pairs.items()}


def load(release: str | PathLike[str]) -> Release:
    """A release's folder, its .tar.gz, or a single ground truth.

    It reads what older releases and TVR-Ranking's own files have; what they lack is an error once it is asked for.

    Args: release: the folder, the archive, or a file that `read_ground_truth` reads.
    Raises: InputError if there is nothing, or no archive; what is in the files is checked when they are read.

    >>> import json
    >>> folder = Path(mkdtemp())
    >>> moment = {"video_name": "v", "timestamp": [0, 9], "relevance": 3}
    >>> record = {"query_id": 7, "query": "A man reads.", "relevant_moment": [moment]}
    >>> _ = (folder / "val.json").write_text(json.dumps([record]))
    >>> near = {"video_name": "v", "timestamp": [0, 9], "caption": "He reads.", "similarity": 0.8}
    >>> record = {"query_id": 8, "query": "He reads.", "relevant_moment": [near]}
    >>> _ = (folder / "train_top01.json").write_text(json.dumps([record]))
    >>> release = load(folder)
    >>> release.splits, release.texts, release.val.grade.tolist()
    (('val',), {'7': 'A man reads.'}, [3.0])
    >>> [(query.text, query.moments[0].similarity) for query in release.training()]
    [('He reads.', 0.8)]
    >>> shutil.rmtree(folder)
    """
    return Release(release)


def _at_the_top_and_small(file: PurePosixPath) -> bool:
    return len(file.parts) <= 2 and not file.name.startswith("train_")


def words_of_grades(manifest: Mapping[str, Any], top_grade: float) -> dict[int, str]:
    """How each grade is called, in the first of the manifest's languages.

    Without a scale these are the paper's words if the highest grade is the paper's, and none otherwise.
    """
    try:
        scale = manifest["scale"]
        words = scale["words"][scale["languages"][0]]
        return {int(grade): str(text["word"]) for grade, text in words.items()}
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return dict(enumerate(PAPERS_WORDS)) if top_grade == len(PAPERS_WORDS) - 1 else {}
