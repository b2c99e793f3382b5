"""Check a release from its files alone: no database, none of the code that wrote it.

Every grade is computed anew from raw_annotations.csv with the consensus rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ..formats.system_names import SPLITS
from ..judgments.consensus import PAPER, Rule, State
from ..progress import Stage, untold
from ..texts import counted, normalise
from .check_figures import Recount
from .check_files import check_files, formats_of, training_files
from .check_formats import check_formats
from .check_further import check_further
from .check_queries import QueryChecks
from .check_sample_run import check_sample_run
from .checked_rows import Judged
from .claims import Claims
from .judged_pairs import decided_by, wrong_number
from .manifest import MANIFEST
from .spilled import Spilled
from .untrusted_files import (
    ADJUDICATED,
    RAW,
    JudgedPair,
    PairFields,
    read_adjudicated,
    read_object,
    read_raw,
    read_records,
)

HISTORY = ("draw", "models", "guideline", "work", "making")
"""Of a manifest: told of how the collection was made, which no file shows."""


def verify_release(folder: Path, stage: Stage = untold) -> Claims:
    """What a release claims, recomputed from its files alone.

    Args: stage: called as each stage begins; what it returns is called as that goes on.

    Checked: the manifest's hashes, sizes and counts, and that it lists every file; that a pair has two judgments, or
    four where the first two (in file order) were in dispute, by different workers; that exactly the pairs in
    consensus are in val.json or test.json, with the grade that the rule gives, and say the same as
    raw_annotations.csv; that no query is in two splits, nor its caption among the training queries; that the training
    files are each other's beginnings, and have the captions that leakage.csv names; that videos and durations are those
    of video_corpus.json; that the statistics, the sample run's scores and all files beside the ground truth say what
    follows from these; that the other formats say the same.
    """
    return _Check(folder, stage).run()


def check_release(folder: Path, stage: Stage = untold) -> list[str]:
    """All problems of a release's files and manifest, as `verify_release` finds them; empty if there are none."""
    if not folder.is_dir():
        return [f"{folder} is not a folder"]
    return verify_release(folder, stage).problems()


def verdict(checked: str, problems: Sequence[str]) -> str:
    """What was found of a release, in a sentence. Args: checked: what to call it."""
    if problems:
        return f"{checked} is not consistent: {counted(len(problems), 'problem')}."
    return f"{checked} is consistent: all files, grades, splits and formats."


class _Check:
    def __init__(self, folder: Path, stage: Stage) -> None:
        self.folder = folder
        self.stage = stage
        self.claims = Claims()
        self.durations: dict[str, Any] = {}
        self.captions: dict[str, str] = {}
        """Normal form of a val or test caption -> query_id."""
        self.adjudicated: dict[str, int] = {}
        """pair_id -> the lead's grade, in a release that has them."""
        self.manifest = check_files(folder, self.claims, stage)
        self.rule, self.any_order = self._read_rule(), False
        self.grades = tuple(map(str, range(0, self.rule.top_grade + 1, self.rule.step)))
        """As the files write them."""
        self.judged = Judged(self.manifest, self.rule, stage)
        self.pairs, self.seen_pairs = self.judged.pairs, self.judged.graded
        self.query_files, self.texts = self.judged.files, self.judged.texts
        with suppress(KeyError, TypeError, AttributeError):
            self.any_order = bool(self.manifest["making"].get("repeated_ids"))
        self.training = training_files(self.manifest)
        """Depth -> training file, rising."""
        self.recount = Recount(self.manifest, self.rule.top_grade)

    def run(self) -> Claims:
        figures = None
        if "tvr-ranking" in formats_of(self.manifest):
            self.claims.figures = figures = self._check_tvr_ranking()
        else:
            for name in ("judgments", "grades", "splits", "counts", "table 1", "table 4"):
                self.claims.needs(name, "its files are those of the format tvr-ranking, and it has others")
        check_formats(self.folder, self.manifest, self.claims, figures, self.stage)
        check_sample_run(self.folder, self.claims)
        if told := [name for name in HISTORY if name in self.manifest]:
            self.claims.needs("history", f"{', '.join(told)} of manifest.json need the collection itself")
        return self.claims

    def _check_tvr_ranking(self) -> dict[str, Any]:
        claims = self.claims
        with claims.reading("moments"):
            self.recount.durations = self.durations = read_object(self.folder / "video_corpus.json")
        with claims.reading("judgments"):
            self._read_raw()
        with claims.reading("grades"):
            self._read_adjudicated()
        claims.check("splits")
        languages = self.manifest.get("languages")
        checks = QueryChecks(claims, self.durations, languages if isinstance(languages, list) else [])
        for split in SPLITS:
            with claims.reading("moments"):
                self._check_split(split, checks)
        self._check_judging()
        check_further(self.folder, self.judged, claims)
        with claims.reading("moments"):
            self._check_training(checks)
        self._check_counts()
        return self.recount.check(claims, self.training)

    def _read_rule(self) -> Rule:
        """The numbers of the consensus rule by which the release was made."""
        try:
            rule = Rule.of(self.manifest["settings"]["consensus"])
            if not {type(value) for value in asdict(rule).values()} <= {int, str}:
                raise ValueError("found a number that is none")
            return rule
        except (KeyError, TypeError, ValueError):
            self.claims.tell("grades", "manifest.json doesn't state the numbers of the consensus rule")
            return PAPER

    def _read_raw(self) -> None:
        read = self.stage("Judgments", None, "judgments")
        for line, pair_id, facts, worker, grade in read_raw(self.folder / RAW, self.grades):
            read(1)
            pair = self.pairs.take(pair_id, facts)
            if pair.facts != facts:
                differing = _difference(pair.facts, facts)
                self.claims.tell("judgments", f"{RAW}, line {line}: pair {pair_id} has another {differing} than above")
            if worker in pair.workers:
                self.claims.tell("judgments", f"{RAW}, line {line}: {worker} judges pair {pair_id} twice")
            pair.grades.append(grade)
            pair.workers.append(worker)
            self.recount.workers.add(worker)
            self.pairs.judgments += 1

    def _read_adjudicated(self) -> None:
        stated: Any = self.manifest.get("adjudication")
        if not isinstance(stated, dict) or not stated.get("included", False):
            if (self.folder / ADJUDICATED).exists():
                found = f"{ADJUDICATED} is there, but the manifest says that no adjudicated grade is"
                self.claims.tell("grades", found)
            return
        self.adjudicated = read_adjudicated(self.folder / ADJUDICATED, self.grades)
        try:
            number = sum(stated["pairs"][split] for split in SPLITS)
        except (KeyError, TypeError):
            self.claims.tell("grades", "manifest.json doesn't say of adjudication what it should")
            return
        if number != len(self.adjudicated):
            found = f"found {len(self.adjudicated)} adjudicated pairs, but the manifest says {number}"
            self.claims.tell("grades", found, ADJUDICATED)

    def _check_split(self, split: str, checks: QueryChecks) -> None:
        file, count = f"{split}.json", self.recount.splits[split]
        read = self.stage(split, None, "queries")
        for query in read_records(self.folder / file):
            read(1)
            if not checks.is_query(file, query, self.query_files):
                continue
            query_id = str(query["query_id"])
            self.query_files[query_id] = file
            self.texts[query_id] = query["query"]
            other = self.captions.setdefault(normalise(query["query"]), query_id)
            if other != query_id:
                self.claims.tell("splits", f"{file}: query {query_id} has the same caption as query {other}")
            count.add(query["query"])
            checks.check_moments(f"{file}, query {query_id}", query, count, partial(self._check_graded_pair, file))

    def _check_graded_pair(self, file: str, place: str, moment: dict[str, Any], facts: PairFields) -> None:
        pair_id, grade = str(moment["pair_id"]), moment["relevance"]
        if pair_id in self.seen_pairs:
            self.claims.tell("grades", f"{place}: pair {pair_id} is in {self.seen_pairs[pair_id][0]} already")
            return
        self.seen_pairs[pair_id] = (file, grade)
        judged = self.pairs.get(pair_id)
        if judged is None:
            self.claims.tell("grades", f"{place}: pair {pair_id} has no judgments in {RAW}")
            return
        if judged.facts != facts:
            differing = _difference(judged.facts, facts)
            self.claims.tell("moments", f"{place}: pair {pair_id} has another {differing} than in {RAW}")
        outcome = decided_by(judged.grades, self.rule, self.any_order)
        if outcome is None:
            return  # told of by _check_judging
        if outcome[0] == "discarded" and pair_id in self.adjudicated:
            expected = f"{self.adjudicated[pair_id]} by {ADJUDICATED}"
            wrong = isinstance(grade, bool) or grade != self.adjudicated[pair_id]
        elif outcome[0] != "consensus":
            discarded = f"pair {pair_id} is there, but its grades {judged.grades} make it discarded"
            self.claims.tell("grades", f"{place}: {discarded}")
            return
        else:
            expected = f"{outcome[1]} by its judgments {judged.grades}"
            wrong = isinstance(grade, bool) or not isinstance(grade, int) or grade != outcome[1]
        if wrong:
            self.claims.tell("grades", f"{place}: pair {pair_id} has relevance {grade!r}, expected {expected}")

    def _check_judging(self) -> None:
        for pair_id, pair in self.pairs.items():
            outcome = decided_by(pair.grades, self.rule, self.any_order)
            if outcome is None:
                self.claims.tell("judgments", f"pair {pair_id} {wrong_number(pair.grades, self.rule)}", RAW)
            else:
                self._check_outcome(pair_id, pair, outcome)
            self._check_facts(pair_id, pair.facts)
        for pair_id in self.adjudicated:
            judged = self.pairs.get(pair_id)
            if judged is None or (decided_by(judged.grades, self.rule, self.any_order) or ("",))[0] != "discarded":
                found = f"pair {pair_id} is in {ADJUDICATED}, but its judgments don't make it discarded"
                self.claims.tell("grades", found, ADJUDICATED)

    def _check_outcome(self, pair_id: str, pair: JudgedPair, outcome: tuple[State, int | None]) -> None:
        ended = self.recount.judged[self.query_files.get(pair.facts.query_id, "").removesuffix(".json")]
        ended["judgments"] += len(pair.grades)
        released = pair_id in self.seen_pairs
        if outcome[0] == "consensus":
            ended[f"pairs_graded_in_round_{'one' if len(pair.grades) == self.rule.first_round else 'two'}"] += 1
            if not released:
                found = f"pair {pair_id} has the grade {outcome[1]}, but is in neither val.json nor test.json"
                self.claims.tell("grades", found, RAW)
            return
        ended["pairs_discarded"] += 1
        if pair_id in self.adjudicated and not released:
            found = f"pair {pair_id} is adjudicated, but is in neither val.json nor test.json"
            self.claims.tell("grades", found, ADJUDICATED)

    def _check_facts(self, pair_id: str, facts: PairFields) -> None:
        """Check facts of pairs that the split files don't contain, such as discarded ones."""
        if self.texts.setdefault(facts.query_id, facts.query) != facts.query and pair_id not in self.seen_pairs:
            found = f"pair {pair_id} of query {facts.query_id} has another text than that query"
            self.claims.tell("moments", found, RAW)
        self.captions.setdefault(normalise(facts.query), facts.query_id)
        if facts.duration != self.durations.get(facts.video_name) and pair_id not in self.seen_pairs:
            found = f"pair {pair_id}: {facts.video_name} doesn't last {facts.duration} s in video_corpus.json"
            self.claims.tell("moments", found, RAW)

    def _check_training(self, checks: QueryChecks) -> None:
        files = list(self.training.values())
        earlier, count = Spilled(), self.recount.splits["train"]
        readers = [read_records(self.folder / file) for file in files]
        read = self.stage("Training", self._stated_training(), "queries")
        for queries in zip_longest(*readers):
            read(1)
            present = [file for file, query in zip(files, queries, strict=True) if query is not None]
            longest = queries[-1]
            if longest is None or len(present) < len(files):
                found = f"the training files don't hold equally many queries: {', '.join(present)} hold more"
                self.claims.tell("splits", found, present[0])
                return
            if not checks.is_query(files[-1], longest, earlier):
                continue
            query_id = str(longest["query_id"])
            earlier[query_id] = files[-1]
            self._check_disjoint(files[-1], query_id, longest["query"])
            text, where = self.judged.nearest.pop(query_id, (longest["query"], ""))
            if text != longest["query"]:
                found = f"{where}: training query {query_id} has another text in the training files"
                self.claims.tell("leakage", found)
            for (depth, file), query in zip(self.training.items(), queries, strict=True):
                if query != longest | {"relevant_moment": longest["relevant_moment"][:depth]}:
                    self.claims.tell("splits", f"{file}, query {query_id}: not the top {depth} of {files[-1]}")
            count.add(longest["query"])
            checks.check_moments(f"{files[-1]}, query {query_id}", longest, count)
        for query_id, (_, where) in self.judged.nearest.items():
            self.claims.tell("leakage", f"{where}: training query {query_id} is not in the training files")

    def _check_disjoint(self, file: str, query_id: str, text: str) -> None:
        if query_id in self.query_files:
            found = f"training query {query_id} is in {self.query_files[query_id]} too"
            self.claims.tell("splits", found, file)
        other = self.captions.get(normalise(text))
        if other is not None:
            known = self.query_files.get(other, RAW)
            found = f"training query {query_id} has the same caption as query {other} of {known}"
            self.claims.tell("splits", found, file)

    def _stated_training(self) -> int | None:
        """Training queries by the manifest, where it says so."""
        with suppress(KeyError, TypeError, ValueError, OverflowError):
            return int(self.manifest["counts"]["training"]["queries"])
        return None

    def _check_counts(self) -> None:
        self.claims.check("counts")
        stated: Any = self.manifest.get("counts")
        splits, judged = self.recount.splits, self.recount.judged.values()
        try:
            counts = {
                **{f"{split} queries": (len(splits[split].lengths), stated[split]["queries"]) for split in SPLITS},
                **{f"{split} pairs": (splits[split].listed, stated[split]["pairs"]) for split in SPLITS},
                "training queries": (len(splits["train"].lengths), stated["training"]["queries"]),
                "judgments": (self.pairs.judgments, sum(stated[split]["judgments"] for split in SPLITS)),
                "discarded": (
                    sum(own["pairs_discarded"] for own in judged),
                    sum(stated[split]["pairs_discarded"] for split in SPLITS),
                ),
            }
        except (KeyError, TypeError):
            self.claims.tell("counts", "manifest.json doesn't have the counts of val, test and training")
            return
        for name, (found, number) in counts.items():
            if found != number:
                self.claims.tell("counts", f"found {found} {name}, but the manifest says {number}", MANIFEST)


def _difference(first: PairFields, second: PairFields) -> str:
    left, right = first._asdict(), second._asdict()
    return ", ".join(name for name in left if left[name] != right[name])
