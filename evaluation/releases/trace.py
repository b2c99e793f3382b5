"""Walk from a query of a release to the judgments that its grades rest on, and to what these come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import EvaluationError, InputError, shown
from ..formats.system_names import SPLITS
from ..judgments.consensus import Rule
from ..progress import Stage, untold
from .check_further import POOL
from .checked_rows import Row
from .manifest import MANIFEST
from .origins import CAPTION_ORIGINS, JUDGMENT_ORIGINS, OF_CAPTION, OF_JUDGMENT
from .untrusted_files import (
    ADJUDICATED,
    ADJUDICATED_COLUMNS,
    RAW,
    csv_rows,
    read_object,
    read_raw,
    read_records,
    sha256_of,
)

POOL_FILE = "pool.csv"
NEEDED = (*(f"{split}.json" for split in SPLITS), RAW)
"""Files that a trace reads of every release; `FURTHER` where there are such."""
FURTHER = (POOL_FILE, ADJUDICATED, JUDGMENT_ORIGINS, CAPTION_ORIGINS)


@dataclass(frozen=True, slots=True)
class TracedJudgment:
    """A judgment. Attributes: origin: its row of judgment_origins.csv, None where the release doesn't state it."""

    worker: str
    grade: int
    origin: Row | None


@dataclass(slots=True)
class TracedPair:
    """A pair of a query and a moment.

    Attributes: start, end: seconds. grade: of val.json or test.json, None for a discarded pair. caption: by which the
    moment was found, None if it was found without. caption_origin, pool, adjudicated: its rows of caption_origins.csv,
    pool.csv and adjudicated.csv, None where there are none.
    """

    pair_id: str
    video_name: str
    start: float
    end: float
    caption: str | None
    similarity: float | None
    grade: int | None = None
    judgments: list[TracedJudgment] = field(default_factory=list)
    caption_origin: Row | None = None
    pool: Row | None = None
    adjudicated: Row | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """What a query's scores rest on.

    Attributes: sha256: of the files that it was read from, by name. caption_origin: as of `TracedPair`, of the query.
    pairs: those that were decided, in the order of raw_annotations.csv.
    """

    manifest: Mapping[str, Any]
    split: str
    query_id: str
    text: str
    sha256: Mapping[str, str]
    caption_origin: Row | None
    pairs: Sequence[TracedPair]

    @property
    def graded(self) -> list[TracedPair]:
        """The pairs with a grade."""
        return [pair for pair in self.pairs if pair.grade is not None]

    @property
    def guidelines(self) -> dict[str, Mapping[str, Any]]:
        """The published versions of the guideline."""
        return {str(one["version"]): one for one in self.manifest["guideline"]["versions"]}

    @property
    def not_stated(self) -> list[str]:
        """What the release's files don't say of it."""
        told = []
        if JUDGMENT_ORIGINS not in self.sha256:
            told.append(
                "of each judgment when it was given, under which version of the guideline, here or elsewhere, in which "
                f"batch, and who closed that ({JUDGMENT_ORIGINS})"
            )
        if CAPTION_ORIGINS not in self.sha256:
            told.append(f"of each caption who or what made and checked it, and what ranked by it ({CAPTION_ORIGINS})")
        return told


@dataclass(frozen=True, slots=True)
class Scored:
    """A run's score of the query.

    Attributes: run: its name. sha256: of its file. values: measure -> value, None where it has none for this query.
    found: pair_id -> (rank from 1 on, IoU) of the prediction that took its moment, at the boundary `boundary`.
    """

    run: str
    sha256: str
    values: Mapping[str, float | None]
    found: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    boundary: str = ""


def trace_query(folder: Path, query_id: str, stage: Stage = untold) -> Trace:
    """Read what a release's files say of a query, with every judgment.

    Raises: EvaluationError for a query that has no grade there, and for a file that is missing, damaged, or another
        than the manifest states: nothing is told of a release that was changed.
    """
    manifest = read_object(folder / MANIFEST)
    listed = manifest.get("files")
    if not isinstance(listed, dict):
        raise InputError(folder / MANIFEST, "", found="no files", expected="a release's manifest, with its files")
    names = [*NEEDED, *(name for name in FURTHER if name in listed)]
    sha256 = {name: _unchanged(folder, name, listed) for name in names}
    split, query = _query(folder, query_id, stage)
    pairs = _pairs(folder, query, manifest, stage)
    own = {
        name: {row["pair_id"]: row for row in _rows_of(folder / name, columns, query_id)} if name in sha256 else {}
        for name, columns in ((POOL_FILE, POOL), (ADJUDICATED, ADJUDICATED_COLUMNS), (CAPTION_ORIGINS, OF_CAPTION))
    }
    for pair_id, pair in pairs.items():
        pair.pool, pair.adjudicated = own[POOL_FILE].get(pair_id), own[ADJUDICATED].get(pair_id)
        pair.caption_origin = own[CAPTION_ORIGINS].get(pair_id)
    caption = own[CAPTION_ORIGINS].get("")
    return Trace(manifest, split, query_id, str(query["query"]), sha256, caption, list(pairs.values()))


def _unchanged(folder: Path, name: str, listed: Mapping[str, Any]) -> str:
    """The file's SHA-256. Raises: EvaluationError if it isn't the one that the manifest states."""
    if not (folder / name).is_file():
        raise EvaluationError(f"{name} is missing: a trace is read from the files of the format tvr-ranking")
    found, stated = sha256_of(folder / name), listed.get(name)
    if not isinstance(stated, dict) or stated.get("sha256") != found:
        expected = stated.get("sha256") if isinstance(stated, dict) else "a file that it lists"
        raise InputError(name, "", found=f"the SHA-256 {found}", expected=f"{expected}, as {MANIFEST} states")
    return found


def _query(folder: Path, query_id: str, stage: Stage) -> tuple[str, dict[str, Any]]:
    for split in SPLITS:
        read = stage(split, None, "queries")
        for query in read_records(folder / f"{split}.json"):
            read(1)
            if str(query.get("query_id")) == query_id:
                return split, query
    files = " or ".join(f"{split}.json" for split in SPLITS)
    raise EvaluationError(f"found the query {shown(query_id)}, expected the query_id of one in {files}")


def _pairs(folder: Path, query: Mapping[str, Any], manifest: Mapping[str, Any], stage: Stage) -> dict[str, TracedPair]:
    """The query's pairs with their judgments and grades, by id."""
    query_id = str(query["query_id"])
    try:
        rule = _stated_rule(manifest)
        grades = {str(moment["pair_id"]): int(moment["relevance"]) for moment in query["relevant_moment"]}
    except (KeyError, TypeError, ValueError) as error:
        raise EvaluationError(f"{MANIFEST} or query {query_id} doesn't state what a release does: {error}") from error
    origins: dict[tuple[str, str], Row] = {}
    if JUDGMENT_ORIGINS in manifest["files"]:
        rows = _rows_of(folder / JUDGMENT_ORIGINS, OF_JUDGMENT, query_id)
        origins = {(row["pair_id"], row["worker"]): row for row in rows}
    pairs: dict[str, TracedPair] = {}
    read = stage("Judgments", None, "judgments")
    written = tuple(map(str, range(0, rule.top_grade + 1, rule.step)))
    for _, pair_id, facts, worker, grade in read_raw(folder / RAW, written):
        read(1)
        if facts.query_id == query_id:
            new = TracedPair(pair_id, facts.video_name, *facts.timestamp, facts.caption, facts.similarity)
            pair = pairs.setdefault(pair_id, new)
            pair.grade = grades.get(pair_id)
            pair.judgments.append(TracedJudgment(worker, grade, origins.get((pair_id, worker))))
    if missing := sorted(set(grades) - set(pairs)):
        raise InputError(RAW, "", found=f"no judgment of pair {missing[0]}", expected="one of each graded pair")
    return pairs


def _stated_rule(manifest: Mapping[str, Any]) -> Rule:
    """The consensus rule, once all that a trace tells of the manifest is known to be there.

    Raises: KeyError, TypeError or ValueError if it isn't.
    """
    told = [manifest["release"], manifest["collection"], manifest["settings"]["consensus"]["grade"]]
    told += [manifest["code"]["version"], manifest["adjudication"]["included"]]
    told += [one[name] for one in manifest["guideline"]["versions"] for name in ("version", "published", "sha256")]
    if any(isinstance(one, dict | list) for one in [*told, manifest.get("created_at"), manifest.get("digest")]):
        raise TypeError("found a list or an object, expected a text or number")
    return Rule.of(manifest["settings"]["consensus"])


def _rows_of(path: Path, columns: Sequence[str], query_id: str) -> Iterator[Row]:
    return (row for _, row in csv_rows(path, columns) if row["query_id"] == query_id)
