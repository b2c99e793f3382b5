"""A release as notebooks and scripts read it: its folder or its archive, read as far as somebody asks."""

from __future__ import annotations

import shutil
import tarfile
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import ceil
from os import PathLike
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import Any
from unicodedata import normalize

from ..errors import EvaluationError, InputError, shown
from ..moments.ground_truth import Facts, GroundTruth
from ..moments.run import Run
from ..reading.fields import interval, list_of, name, number, text_id
from ..reading.ground_truths import read_ground_truth
from ..reading.json_stream import head, json_items
from ..reading.judgments import Judgments, read_judgments
from ..reading.runs import read_run, run_name
from ..reading.tvr import read_durations, read_video_indices
from ..releases.manifest import read_manifest
from ..texts import counted

SPLITS = ("val", "test")
INDICES = ("video_name_duration_id.json", "tvr_video2dur_idx.json")
DURATIONS = ("video_corpus.json", *INDICES)
JUDGMENTS = ("raw_annotations.csv", "raw_annotation.csv")
ARCHIVES = (".tar.gz", ".tgz", ".tar")


@dataclass(frozen=True, slots=True)
class TrainingMoment:
    """A moment that is similar to a pseudo-training query. Seconds; what the file doesn't say is None."""

    video_name: str
    start: float
    end: float
    similarity: float | None
    caption: str | None


@dataclass(frozen=True, slots=True)
class TrainingQuery:
    """A pseudo-training query with its moments, the most similar first."""

    query_id: str
    text: str
    moments: tuple[TrainingMoment, ...]


class Release:
    """A release's files, each read when it is asked for and kept.

    Attributes: name: the folder's, the archive's or the file's.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        """`load`."""
        self._path = Path(path)
        self.name = self._path.name
        self._truths: dict[str, GroundTruth] = {}
        self._unpacked: Path | None = None
        if not self._path.exists():
            raise InputError(self._path, "", found="nothing there", expected="a release's folder or archive")
        if archive := next((ending for ending in ARCHIVES if self.name.endswith(ending)), ""):
            self.name = self.name.removesuffix(archive)
            self._unpacked = Path(mkdtemp(prefix="release-"))
            weakref.finalize(self, shutil.rmtree, self._unpacked, ignore_errors=True)
            self.files = self._unpack(lambda file: "/" not in file and not file.startswith("train_"))
        elif self._path.is_dir():
            self.files = tuple(
                sorted(file.relative_to(self._path).as_posix() for file in self._path.rglob("*") if file.is_file())
            )
        else:
            self.files = (self.name,)

    def __repr__(self) -> str:
        splits, depths = ", ".join(self.splits) or "no split", ", ".join(map(str, self.training_depths)) or "none"
        return f"<release {self.name}: {splits}; training {depths}; {counted(len(self.files), 'file')}>"

    def path(self, *names: str) -> Path:
        """Where the file of the first of these names is that the release has, gzipped or not.

        Raises: EvaluationError if it has none.
        """
        file = self._file(*names)
        if not file:
            raise EvaluationError(f"{self.name} has no {names[0]}")
        if self._unpacked is None:
            return self._path / file if self._path.is_dir() else self._path
        unpacked = self._unpacked / file
        if not unpacked.exists():
            self._unpack(lambda other: other == file)
        return unpacked

    def _file(self, *names: str) -> str:
        """The first of these that there is, "" if none is."""
        return next((file for own in names for file in (own, f"{own}.gz") if file in self.files), "")

    @property
    def splits(self) -> tuple[str, ...]:
        """Its ground truths: val and test of a release; of a single file the file's name without its ending."""
        if self._path.is_file() and self._unpacked is None:
            return (run_name(self._path).split(".json")[0],)
        return tuple(split for split in SPLITS if self._file(f"{split}.json"))

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
            truth = read_ground_truth(self.path(f"{split}.json", self.name))
            facts: dict[str, Facts] = dict(truth.facts)
            match self.manifest.get("languages"):
                case [str(language)]:
                    facts.setdefault("language", dict.fromkeys(truth.query_ids, language))
            match self.manifest.get("settings"):
                case {"batch_size": int(size)} if size > 0 and self._file(*JUDGMENTS):
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
        return read_manifest(self.path("manifest.json")) if self._file("manifest.json") else {}

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
        path = self.path(f"{split}.json", self.name)
        captions: dict[tuple[str, str, float, float], str] = {}
        for place, record in json_items(path) if head(path).startswith("[") else ():
            query_id = normalize("NFC", text_id(path, place, record, "query_id"))
            for moment in list_of(path, place, record, "relevant_moment"):
                if isinstance(caption := moment.get("caption"), str):
                    video = normalize("NFC", name(path, place, moment, "video_name"))
                    captions[query_id, video, *interval(path, place, moment.get("timestamp"))] = caption
        return captions

    @cached_property
    def durations(self) -> dict[str, float | None]:
        """video_name -> seconds, None where nobody knows. Raises: EvaluationError if no file says them."""
        return read_durations(self.path(*DURATIONS))

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

    def training(self, depth: int | None = None) -> Iterator[TrainingQuery]:
        """The pseudo-training queries of a training file, one at a time: a file may be larger than memory.

        Args: depth: one of `training_depths`; None takes the deepest.
        Raises: EvaluationError if there is no such file; InputError naming record, what was found and expected.
        """
        chosen = max(self.training_depths, default=0) if depth is None else depth
        path = self.path(f"train_top{chosen:02d}.json", f"train_top{chosen}.json")
        for place, record in json_items(path, streamed=True):
            if not isinstance(record, dict):
                raise InputError(path, place, found=shown(record), expected='{"query_id", "relevant_moment"}')
            query_id = text_id(path, place, record, "query_id")
            moments = list_of(path, f"{place}, query_id {query_id}", record, "relevant_moment")
            own = tuple(_training_moment(path, f"{place}, query_id {query_id}", moment) for moment in moments)
            yield TrainingQuery(query_id, str(record.get("query", "")), own)

    def _batches(self, size: int) -> dict[str, str]:
        """query_id -> how many batches of its candidates, of this size, were judged."""
        pairs = Counter(moment[0] for moment in self.judgments.moments or () if moment is not None)
        return {query_id: str(ceil(count / size)) for query_id, count in pairs.items()}

    def _unpack(self, wanted: Callable[[str], bool]) -> tuple[str, ...]:
        """Unpack the wanted files of the archive. Returns: all that it has, without a top folder."""
        assert self._unpacked is not None
        files = []
        try:
            with tarfile.open(self._path) as archive:
                for entry in archive:
                    file = PurePosixPath(entry.name)
                    source = archive.extractfile(entry) if entry.isfile() else None
                    if source is None or file.is_absolute() or ".." in file.parts:
                        continue
                    files.append(str(PurePosixPath(*(file.parts[1:] or file.parts))))
                    if wanted(files[-1]):
                        target = self._unpacked / files[-1]
                        target.parent.mkdir(parents=True, exist_ok=True)
                        with target.open("wb") as copy:
                            shutil.copyfileobj(source, copy)
        except (OSError, EOFError, tarfile.TarError) as error:
            raise InputError(self._path, "", found=f"no archive ({error})", expected="a release's .tar.gz") from error
        return tuple(sorted(files))


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


def _training_moment(path: Path, place: str, moment: Any) -> TrainingMoment:
    video = name(path, place, moment, "video_name")
    similarity, caption = moment.get("similarity"), moment.get("caption")
    return TrainingMoment(
        video,
        *interval(path, place, moment.get("timestamp")),
        float(similarity) if number(similarity) else None,
        caption if isinstance(caption, str) else None,
    )
