"""What a release claims, and what of it holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..errors import MOST_FAULTS, EvaluationError
from ..texts import counted

SHOWN = 200
"""Problems listed one by one; beyond that only their number."""
CLAIMS = {
    "files": "every file is there with the size and SHA-256 that manifest.json states, and no other is",
    "digest": "manifest.json has the SHA-256 that it states, and its bytes are those of its content",
    "judgments": "each pair has as many judgments as the rule asks for, each by somebody else",
    "grades": "each grade is what the declared rule makes of the raw judgments, and no graded pair is missing",
    "splits": "no query and no caption is in two splits, and training files are each other's beginnings",
    "moments": "queries and moments are whole, and their videos last as long as video_corpus.json says",
    "leakage": "leakage.csv has each val and test query with a training query, and manifest.json its counts",
    "counts": "queries, pairs and judgments are as many as manifest.json states",
    "consensus": "shares of agreement by round and of discarded pairs follow from the raw judgments",
    "table 1": "queries, moments, videos, vocabulary and durations of each split follow from its file",
    "table 3": "",
    "table 4": "lengths, durations, ratios and relevant moments of each split follow from its file",
    "statistics": "the other figures of splits and videos follow from the files",
    "sample run": "sample_run.jsonl scores what README.md says",
    "pool": "pool.csv has each decided pair once, chosen by a recipe and run of manifest.json",
    "query media": "each query's picture, clip or sound is there as query_media.csv says",
    "moment ids": "each id is of one moment of a video of video_corpus.json, as many as manifest.json states",
    "machine judgments": "machine_judgments.csv has the judges and counts of manifest.json",
    "sampling": "each probability is what was drawn of its stratum, and strata are whole",
    "posteriors": "each pair's posterior is what both models make of the raw judgments",
    "evidence used": "evidence_used.csv has each judgment, and the counts of manifest.json",
    "spans": "each span is a part of its moment, and agreement is as manifest.json states",
    "factors": "each answer belongs to a judgment and a factor of manifest.json",
    "judgment origins": "judgment_origins.csv has each judgment, and the counts of manifest.json",
    "caption origins": "caption_origins.csv has each caption, with a rewriter and encoders of manifest.json",
    "survey": "sums are of five people or more, and those of manifest.json",
    "consent": "each text is there as it was published",
    "trec": "trec/ has the queries, grades and moments of the other formats",
    "beir": "beir/ has the queries, grades and moments of the other formats",
    "parquet": "parquet/ has the rows of the other formats",
    "croissant": "croissant.json describes files and columns that there are",
    "datasheet": "DATASHEET.md is there",
    "tables": "the figures in tables/ follow from the files, and each table is the same in every form",
    "capsule": "the environment of capsule/reproduce.sh is pinned by hashes, and its wheel is whole",
    "ro-crate": "ro-crate-metadata.json lists each file with its size",
    "history": "",
    "signature": "manifest.json is what the owner of the key signed",
    "certificate": "the certificate is what these runs give on this release",
}
"""By name, in the order in which they are told: what holds. Empty: no release has what it is made of."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What doesn't hold. Attributes: file: its path in the release; text: what was found and expected."""

    file: str
    text: str

    def __str__(self) -> str:
        return self.text if self.text.startswith(self.file) else f"{self.file}: {self.text}"


@dataclass(slots=True)
class Claim:
    """One claim.

    Attributes: name: of `CLAIMS`. checked: whether anything of it was. problems: the first of them, `total` in all.
    notes: what of it isn't stated, or can't be recomputed, and why.
    """

    name: str
    checked: bool = False
    total: int = 0
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool | None:
        """None if nothing of it could be checked."""
        return not self.total if self.checked else None

    def lines(self) -> list[str]:
        """The claim in words: that it holds, or its first problems; then what wasn't checked."""
        said = [f"holds: {CLAIMS[self.name]}"] if self.holds else list(map(str, self.problems[:MOST_FAULTS]))
        if self.total > MOST_FAULTS:
            said.append(f"... and {counted(self.total - MOST_FAULTS, 'more problem')}")
        return [f"{self.name}: {words}" for words in [*said, *self.notes]]

    def as_data(self) -> dict[str, Any]:
        """The claim as JSON has it."""
        return {
            "claim": self.name,
            "holds": self.holds,
            "expected": CLAIMS[self.name],
            "problems": [{"file": one.file, "found": one.text} for one in self.problems],
            "more_problems": self.total - len(self.problems),
            "notes": self.notes,
        }


class Claims:
    """What was found of a release so far, claim by claim.

    >>> claims = Claims()
    >>> claims.check("counts")
    >>> claims.tell("grades", "val.json, query 7: pair 9 has relevance 3, expected 4")
    >>> claims.note("digest", "not stated")
    >>> for line in claims.lines(): print(line)
    digest: not stated
    grades: val.json, query 7: pair 9 has relevance 3, expected 4
    counts: holds: queries, pairs and judgments are as many as manifest.json states
    >>> claims.problems(), claims.hold
    (['val.json, query 7: pair 9 has relevance 3, expected 4'], False)
    """

    def __init__(self) -> None:
        self.figures: Mapping[str, Any] = {}
        """The manifest's `statistics`, as far as they were counted from the files."""
        self._claims: dict[str, Claim] = {}
        self._found: list[str] = []

    def __iter__(self) -> Iterator[Claim]:
        return (self._claims[name] for name in CLAIMS if name in self._claims)

    def _claim(self, name: str) -> Claim:
        assert name in CLAIMS, name
        return self._claims.setdefault(name, Claim(name))

    def check(self, name: str) -> None:
        """Something of the claim is checked: without a problem it holds."""
        self._claim(name).checked = True

    def note(self, name: str, words: str) -> None:
        """Something of the claim isn't stated, or can't be recomputed."""
        self._claim(name).notes.append(words)

    def needs(self, name: str, what: str) -> None:
        """Something of the claim can't be recomputed, since that needs what isn't there."""
        self.note(name, f"not recomputable: {what}")

    def tell(self, name: str, problem: str, file: str = "") -> None:
        """A problem. Args: file: the one that it is in; by default the one with whose name the sentence begins."""
        claim = self._claim(name)
        claim.checked = True
        claim.total += 1
        if claim.total <= SHOWN:
            claim.problems.append(Problem(file or re.match(r"[^,: ]*", problem)[0], problem))  # type: ignore[index]
        if len(self._found) < SHOWN:
            self._found.append(problem)

    def tell_all(self, name: str, problems: Iterable[str], file: str = "") -> None:
        """The problems that there are, each as `tell` has it."""
        with self.reading(name, file):
            for problem in problems:
                self.tell(name, problem, file)

    @contextmanager
    def reading(self, name: str, file: str = "") -> Iterator[None]:
        """Context in which files are read for the claim: one that can't be is its problem. Args: file: as of `tell`."""
        self.check(name)
        try:
            yield
        except EvaluationError as error:
            self.tell(name, str(error), file)

    @property
    def hold(self) -> bool:
        """Whether no problem was found."""
        return not self._found

    def problems(self) -> list[str]:
        """The first problems in the order in which they were found, and how many more there are."""
        more = sum(claim.total for claim in self._claims.values()) - len(self._found)
        return self._found + ([f"... and {counted(more, 'more problem')}"] if more else [])

    def lines(self) -> list[str]:
        """All claims in words, in the order of `CLAIMS`."""
        return [line for claim in self for line in claim.lines()]
