"""Check a release from its files alone: no database, none of the code that wrote it.

Every grade is computed anew from raw_annotations.csv with the consensus rule.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

from ..judgments.consensus import PAPER, Rule
from ..progress import BYTES, Stage, untold
from ..texts import counted, normalise
from .check_formats import check_formats
from .check_further import check_further
from .check_leakage import CheckedLeakage
from .check_spans import check_spans
from .judged_pairs import JudgedPairs, decided_by, wrong_number
from .spilled import Spilled
from .untrusted_files import (
    GRADES,
    PairFields,
    UnreadableFile,
    facts_of,
    is_list,
    read_adjudicated,
    read_object,
    read_raw,
    read_records,
    sha256_of,
)

SPLITS = ("val", "test")
PAPERS_DEPTHS = [1, 20, 40]
"""Of the training files, where a damaged manifest doesn't state them."""
QUERY_FIELDS = {"query_id", "query", "relevant_moment"}
TRAINING_FIELDS = {"video_name", "timestamp", "duration", "caption", "similarity"}
GRADED_FIELDS = TRAINING_FIELDS | {"pair_id", "relevance"}
SHOWN = 200
"""Problems listed one by one; beyond that only their number."""


def check_release(folder: Path, stage: Stage = untold) -> list[str]:
    """All problems of a release's files and manifest; empty if there are none.

    Args: stage: called as each stage begins; what it returns is called as that goes on.

    Checked: the manifest's hashes, sizes and counts, and that it lists every file; that a pair has two judgments, or
    four where the first two (in file order) were in dispute, by different workers; that exactly the pairs in
    consensus are in val.json or test.json, with the grade that the rule gives, and say the same as
    raw_annotations.csv; that no query is in two splits, nor its caption among the training queries; that the training
    files are each other's beginnings, and have the captions that leakage.csv names; that videos and durations are those
    of video_corpus.json; that the other formats say the same.
    """
    if not folder.is_dir():
        return [f"{folder} is not a folder"]
    return _Check(folder, stage).run()


def verdict(checked: str, problems: Sequence[str]) -> str:
    """What was found of a release, in a sentence. Args: checked: what to call it."""
    if problems:
        return f"{checked} is not consistent: {counted(len(problems), 'problem')}."
    return f"{checked} is consistent: all files, grades, splits and formats."


class _Check:
    def __init__(self, folder: Path, stage: Stage) -> None:
        self.folder = folder
        self.stage = stage
        self.problems: list[str] = []
        self.untold = 0
        self.durations: dict[str, Any] = {}
        self.pairs = JudgedPairs()
        self.seen_pairs = Spilled()
        """pair_id -> the file that has it and its grade, of val and test."""
        self.query_files: dict[str, str] = {}
        """query_id -> file, of val and test."""
        self.texts: dict[str, str] = {}
        self.captions: dict[str, str] = {}
        """Normal form of a val or test caption -> query_id."""
        self.adjudicated: dict[str, int] = {}
        """pair_id -> the lead's grade, in a release that has them."""
        self.counts: Counter[str] = Counter()
        self.rule, self.any_order = PAPER, False
        self.grades: Sequence[str] = GRADES
        self.training: dict[int, str] = {}
        """Depth -> training file, rising."""
        self.stated_training: int | None = None
        """Training queries by the manifest, where it says so."""

    def run(self) -> list[str]:
        manifest = self._read_manifest()
        self.rule = self._read_rule(manifest)
        if self.rule.top_grade > PAPER.top_grade:
            self.grades = tuple(map(str, range(0, self.rule.top_grade + 1, self.rule.step)))
        with suppress(KeyError, TypeError, AttributeError):
            self.any_order = bool(manifest["making"].get("repeated_ids"))
        if "tvr-ranking" in manifest.get("formats", ["tvr-ranking"]):
            self._check_tvr_ranking(manifest)
        self.tell_all(check_formats(self.folder, manifest, self.stage))
        return self.problems + ([f"... and {counted(self.untold, 'more problem')}"] if self.untold else [])

    def _check_tvr_ranking(self, manifest: dict[str, Any]) -> None:
        with suppress(KeyError, TypeError, ValueError):
            self.stated_training = int(manifest["counts"]["training"]["queries"])
        with self._reading():
            self.durations = read_object(self.folder / "video_corpus.json")
        with self._reading():
            self._read_raw()
        with self._reading():
            self._read_adjudicated(manifest)
        for split in SPLITS:
            with self._reading():
                self._check_split(split)
        self._check_judging()
        self.tell_all(check_spans(self.folder, manifest, self.pairs))
        self.tell_all(check_further(self.folder, manifest, self.pairs, self.seen_pairs, int(self.grades[-1])))
        leakage = CheckedLeakage(self.folder, manifest)
        self.tell_all(leakage.read(self.query_files, self.texts))
        with self._reading():
            self._check_training(leakage)
        self._check_counts(manifest)

    def tell(self, problem: str) -> None:
        if len(self.problems) < SHOWN:
            self.problems.append(problem)
        else:
            self.untold += 1

    def tell_all(self, problems: Iterable[str]) -> None:
        for problem in problems:
            self.tell(problem)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except UnreadableFile as error:
            self.tell(str(error))

    def _read_manifest(self) -> dict[str, Any]:
        manifest: dict[str, Any] = {}
        with self._reading():
            manifest = read_object(self.folder / "manifest.json")
        listed = manifest.get("files")
        if not isinstance(listed, dict):
            self.tell("manifest.json lists no files")
            listed = {}
        self.training = {depth: f"train_top{depth:02d}.json" for depth in sorted(_depths(manifest))}
        lists = {*(f"{split}.json" for split in SPLITS), *self.training.values()}
        files = {*lists, "video_corpus.json", "raw_annotations.csv"}
        expected = files if "tvr-ranking" in manifest.get("formats", ["tvr-ranking"]) else set()
        there = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()}
        for path in sorted(there - set(listed) - {"manifest.json"}):
            self.tell(f"{path} is not in the manifest")
        for path in sorted({*listed, *expected} - there):
            self.tell(f"{path} is missing")
        known = sorted(set(listed) & there)
        hashed = self.stage("Hashing", sum((self.folder / path).stat().st_size for path in known), BYTES)
        for path in known:
            self._check_listed(path, listed[path])
            hashed((self.folder / path).stat().st_size)
        for path in sorted(there - lists):
            if "/" not in path and path.endswith(".json") and is_list(self.folder / path):
                self.tell(f"{path} is a list, and only val, test and training files may be")
        return manifest

    def _read_rule(self, manifest: dict[str, Any]) -> Rule:
        """The numbers of the consensus rule by which the release was made."""
        try:
            return Rule.of(manifest["settings"]["consensus"])
        except (KeyError, TypeError, ValueError):
            self.tell("manifest.json doesn't state the numbers of the consensus rule")
            return PAPER

    def _check_listed(self, path: str, stated: Any) -> None:
        file = self.folder / path
        found = {"sha256": sha256_of(file), "size": file.stat().st_size}
        if found != stated:
            self.tell(f"{path}: found {found}, but the manifest says {stated}")

    def _read_raw(self) -> None:
        read = self.stage("Judgments", None, "judgments")
        for line, pair_id, facts, worker, grade in read_raw(self.folder / "raw_annotations.csv", self.grades):
            read(1)
            pair = self.pairs.take(pair_id, facts)
            if pair.facts != facts:
                differing = _difference(pair.facts, facts)
                self.tell(f"raw_annotations.csv, line {line}: pair {pair_id} has another {differing} than above")
            if worker in pair.workers:
                self.tell(f"raw_annotations.csv, line {line}: {worker} judges pair {pair_id} twice")
            pair.grades.append(grade)
            pair.workers.append(worker)
            self.counts["judgments"] += 1

    def _read_adjudicated(self, manifest: dict[str, Any]) -> None:
        stated = manifest.get("adjudication", {})
        there = (self.folder / "adjudicated.csv").exists()
        if not stated.get("included", False):
            if there:
                self.tell("adjudicated.csv is there, but the manifest says that no adjudicated grade is")
            return
        self.adjudicated = read_adjudicated(self.folder / "adjudicated.csv", self.grades)
        if (number := sum(stated["pairs"].values())) != len(self.adjudicated):
            self.tell(f"found {len(self.adjudicated)} adjudicated pairs, but the manifest says {number}")

    def _check_split(self, split: str) -> None:
        file = f"{split}.json"
        read = self.stage(split, None, "queries")
        for query in read_records(self.folder / file):
            read(1)
            if not self._check_query(file, query, self.query_files):
                continue
            query_id = str(query["query_id"])
            self.query_files[query_id] = file
            self.texts[query_id] = query["query"]
            other = self.captions.setdefault(normalise(query["query"]), query_id)
            if other != query_id:
                self.tell(f"{file}: query {query_id} has the same caption as query {other}")
            self.counts[f"{split} queries"] += 1
            self._check_moments(f"{file}, query {query_id}", query, GRADED_FIELDS, self._check_graded_pair(file))
            self.counts[f"{split} pairs"] += len(query["relevant_moment"])

    def _check_query(self, file: str, query: dict[str, Any], earlier: dict[str, str] | Spilled) -> bool:
        if set(query) != QUERY_FIELDS:
            self.tell(f"{file}: found a query with the fields {sorted(query)}, expected {sorted(QUERY_FIELDS)}")
            return False
        query_id = query["query_id"]
        if isinstance(query_id, bool) or not isinstance(query_id, int | str):
            self.tell(f"{file}: found query_id {query_id!r}, expected a number or a text")
        elif str(query_id) in earlier:
            self.tell(f"{file}: query {query_id} is in {earlier[str(query_id)]} already")
        elif not isinstance(query["query"], str) or not query["query"]:
            self.tell(f"{file}, query {query_id}: found no text")
        elif not isinstance(query["relevant_moment"], list) or not query["relevant_moment"]:
            self.tell(f"{file}, query {query_id}: found no moments")
        else:
            return True
        return False

    def _check_moments(
        self,
        place: str,
        query: dict[str, Any],
        fields: set[str],
        check: Callable[[str, dict[str, Any], PairFields], None],
    ) -> None:
        moments = set()
        similarities = []
        for moment in query["relevant_moment"]:
            if not isinstance(moment, dict) or set(moment) != fields:
                found = sorted(moment) if isinstance(moment, dict) else repr(moment)
                self.tell(f"{place}: found a moment with the fields {found}, expected {sorted(fields)}")
                continue
            try:
                facts = facts_of(query, moment)
            except ValueError as error:
                self.tell(f"{place}: found {error}")
                continue
            if (facts.video_name, facts.timestamp) in moments:
                self.tell(f"{place}: {facts.video_name} {list(facts.timestamp)} is there twice")
            moments.add((facts.video_name, facts.timestamp))
            similarities.append(facts.similarity)
            if facts.video_name not in self.durations:
                self.tell(f"{place}: {facts.video_name} is not in video_corpus.json")
            elif facts.duration != self.durations[facts.video_name]:
                stated = self.durations[facts.video_name]
                self.tell(f"{place}: {facts.video_name} lasts {facts.duration} s, but {stated} s in video_corpus.json")
            if "relevance" not in fields and None in (facts.caption, facts.similarity):
                self.tell(f"{place}: {facts.video_name} {list(facts.timestamp)} lacks its caption or similarity")
            check(place, moment, facts)
        # Where a moment has no similarity, the pool wasn't ranked by it.
        known = [similarity for similarity in similarities if similarity is not None]
        if len(known) == len(similarities) and any(before < after for before, after in pairwise(known)):
            self.tell(f"{place}: its moments are not in the order of similarity")

    def _check_graded_pair(self, file: str) -> Callable[[str, dict[str, Any], PairFields], None]:
        def check(place: str, moment: dict[str, Any], facts: PairFields) -> None:
            pair_id, grade = str(moment["pair_id"]), moment["relevance"]
            if pair_id in self.seen_pairs:
                self.tell(f"{place}: pair {pair_id} is in {self.seen_pairs[pair_id][0]} already")
                return
            self.seen_pairs[pair_id] = (file, grade)
            judged = self.pairs.get(pair_id)
            if judged is None:
                self.tell(f"{place}: pair {pair_id} has no judgments in raw_annotations.csv")
                return
            if judged.facts != facts:
                differing = _difference(judged.facts, facts)
                self.tell(f"{place}: pair {pair_id} has another {differing} than in raw_annotations.csv")
            outcome = decided_by(judged.grades, self.rule, self.any_order)
            if outcome is None:
                return  # told of by _check_judging
            if outcome[0] == "discarded" and pair_id in self.adjudicated:
                if isinstance(grade, bool) or grade != self.adjudicated[pair_id]:
                    expected = f"{self.adjudicated[pair_id]} by adjudicated.csv"
                    self.tell(f"{place}: pair {pair_id} has relevance {grade!r}, expected {expected}")
            elif outcome[0] != "consensus":
                self.tell(f"{place}: pair {pair_id} is there, but its grades {judged.grades} make it discarded")
            elif isinstance(grade, bool) or not isinstance(grade, int) or grade != outcome[1]:
                expected = f"{outcome[1]} by its judgments {judged.grades}"
                self.tell(f"{place}: pair {pair_id} has relevance {grade!r}, expected {expected}")

        return check

    def _check_judging(self) -> None:
        for pair_id, pair in self.pairs.items():
            outcome = decided_by(pair.grades, self.rule, self.any_order)
            if outcome is None:
                self.tell(f"pair {pair_id} {wrong_number(pair.grades, self.rule)}")
            elif outcome[0] == "consensus" and pair_id not in self.seen_pairs:
                self.tell(f"pair {pair_id} has the grade {outcome[1]}, but is in neither val.json nor test.json")
            elif outcome[0] == "discarded":
                self.counts["discarded"] += 1
                if pair_id in self.adjudicated and pair_id not in self.seen_pairs:
                    self.tell(f"pair {pair_id} is adjudicated, but is in neither val.json nor test.json")
            self._check_facts(pair_id, pair.facts)

        for pair_id in self.adjudicated:
            judged = self.pairs.get(pair_id)
            if judged is None or (decided_by(judged.grades, self.rule, self.any_order) or ("",))[0] != "discarded":
                self.tell(f"pair {pair_id} is in adjudicated.csv, but its judgments don't make it discarded")

    def _check_facts(self, pair_id: str, facts: PairFields) -> None:
        """Check facts of pairs that the split files don't contain, such as discarded ones."""
        if self.texts.setdefault(facts.query_id, facts.query) != facts.query and pair_id not in self.seen_pairs:
            self.tell(f"pair {pair_id} of query {facts.query_id} has another text than that query")
        self.captions.setdefault(normalise(facts.query), facts.query_id)
        if facts.duration != self.durations.get(facts.video_name) and pair_id not in self.seen_pairs:
            self.tell(f"pair {pair_id}: {facts.video_name} doesn't last {facts.duration} s in video_corpus.json")

    def _check_training(self, leakage: CheckedLeakage) -> None:
        files = list(self.training.values())
        earlier = Spilled()
        readers = [read_records(self.folder / file) for file in files]
        read = self.stage("Training", self.stated_training, "queries")
        for queries in zip_longest(*readers):
            read(1)
            present = [file for file, query in zip(files, queries, strict=True) if query is not None]
            longest = queries[-1]
            if longest is None or len(present) < len(files):
                self.tell(f"the training files don't hold equally many queries: {', '.join(present)} hold more")
                return
            if not self._check_query(files[-1], longest, earlier):
                continue
            query_id = str(longest["query_id"])
            earlier[query_id] = files[-1]
            self.counts["training queries"] += 1
            self._check_disjoint(query_id, longest["query"])
            self.tell_all(leakage.saw(query_id, longest["query"]))
            for (depth, file), query in zip(self.training.items(), queries, strict=True):
                if query != longest | {"relevant_moment": longest["relevant_moment"][:depth]}:
                    self.tell(f"{file}, query {query_id}: not the top {depth} of {files[-1]}")
            place = f"{files[-1]}, query {query_id}"
            self._check_moments(place, longest, TRAINING_FIELDS, lambda place, moment, facts: None)
        self.tell_all(leakage.missing())

    def _check_disjoint(self, query_id: str, text: str) -> None:
        if query_id in self.query_files:
            self.tell(f"training query {query_id} is in {self.query_files[query_id]} too")
        other = self.captions.get(normalise(text))
        if other is not None:
            file = self.query_files.get(other, "raw_annotations.csv")
            self.tell(f"training query {query_id} has the same caption as query {other} of {file}")

    def _check_counts(self, manifest: dict[str, Any]) -> None:
        stated: Any = manifest.get("counts")
        try:
            expected = {
                **{f"{split} {name}": stated[split][name] for split in SPLITS for name in ("queries", "pairs")},
                "training queries": stated["training"]["queries"],
                "judgments": sum(stated[split]["judgments"] for split in SPLITS),
                "discarded": sum(stated[split]["pairs_discarded"] for split in SPLITS),
            }
        except (KeyError, TypeError):
            self.tell("manifest.json doesn't have the counts of val, test and training")
            return
        for name, number in expected.items():
            if self.counts[name] != number:
                self.tell(f"found {self.counts[name]} {name}, but the manifest says {number}")


def _depths(manifest: dict[str, Any]) -> list[int]:
    stated = manifest.get("training_depths")
    if isinstance(stated, list) and stated and all(isinstance(depth, int) and depth > 0 for depth in stated):
        return stated
    return PAPERS_DEPTHS


def _difference(first: PairFields, second: PairFields) -> str:
    left, right = first._asdict(), second._asdict()
    return ", ".join(name for name in left if left[name] != right[name])
