"""Count a release's queries, moments and judgments anew, and compare what its manifest states of them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import fsum
from typing import Any, NamedTuple

from ..formats.system_names import SPLITS
from ..texts import words_of
from .claims import Claims
from .differing import differing
from .figures import DECIMALS, extent, judging, summary
from .spilled import Spilled
from .untrusted_files import PairFields, place_key

TOP = 40
"""The paper's tables count the moments among so many of a pseudo-training query."""
LATELY_SEEN = 1 << 16
"""Moments known without looking into the file: most come again soon."""
CLOSE = 1.01 * 10**-DECIMALS
"""Figures are rounded, and older releases added up in another order."""
OF_EXTENT = {
    "table 1": ("moments", "videos", "moment_hours", "video_hours"),
    "table 4": ("moment_seconds", "video_seconds", "moment_video_ratio"),
}


class Located(NamedTuple):
    """A moment, as `figures.Place` has it."""

    video_name: str
    timestamp: tuple[float, float]
    duration: float | None


class Places:
    """Distinct moments, in a memory that doesn't grow with them."""

    def __init__(self) -> None:
        self._kept = Spilled()
        self._seen: set[str] = set()

    def add(self, video: str, start: float, end: float, duration: float | None = None) -> None:
        """Raises: ValueError, TypeError for times that are no numbers."""
        key = place_key(video, start, end)
        if key in self._seen:
            return
        if len(self._seen) == LATELY_SEEN:
            self._seen.clear()
        self._seen.add(key)
        if key not in self._kept:
            self._kept[key] = (video, start, end, duration)

    def __iter__(self) -> Iterator[Located]:
        for _, (video, start, end, duration) in self._kept.items():
            yield Located(video, (start, end), duration)


class SplitCount:
    """A split, query by query. Args: levels: lowest grades from which a moment counts as relevant."""

    def __init__(self, levels: Iterable[int] = ()) -> None:
        self.lengths = array("I")
        self.words: set[str] = set()
        self.places = Places()
        self.listed = 0
        """Moments, whole or not."""
        self.pairs = array("I")
        self.relevant = {level: array("I") for level in levels}
        self.grades: Counter[int] = Counter()

    def add(self, text: str) -> None:
        """Another query."""
        words = words_of(text)
        self.lengths.append(len(words))
        self.words.update(words)
        for counts in (self.pairs, *self.relevant.values()):
            counts.append(0)

    def add_moment(self, facts: PairFields, rank: int, grade: Any) -> None:
        """A moment of the query that came last; beyond `TOP` without a grade none counts."""
        if grade is not None or rank < TOP:
            self.places.add(facts.video_name, *facts.timestamp, facts.duration)
        if type(grade) is int:
            self.pairs[-1] += 1
            self.grades[grade] += 1
            for level, counts in self.relevant.items():
                counts[-1] += grade >= level

    def told(self) -> dict[str, Any]:
        """Its figures by the manifest's names."""
        own = {"queries": len(self.lengths), "words": summary(self.lengths), "vocabulary": len(self.words)}
        if not self.relevant:
            return own
        return own | {
            "pairs": sum(self.pairs),
            "pairs_per_query": summary(self.pairs),
            "relevant_per_query": {
                str(level): round(sum(counts) / len(counts), DECIMALS) if counts else None
                for level, counts in self.relevant.items()
            },
            "queries_with": {str(level): sum(map(bool, counts)) for level, counts in self.relevant.items()},
        }


class Recount:
    """All that can be counted anew, filled as the files are read."""

    def __init__(self, manifest: Mapping[str, Any], top_grade: int) -> None:
        stated = _within(manifest, "statistics", "splits", "val", "relevant_per_query")
        known = isinstance(stated, dict) and stated and all(level.isdecimal() for level in stated)
        levels = [int(level) for level in stated] if known else range(1, top_grade + 1)
        self._manifest = manifest
        self.splits = {split: SplitCount(levels) for split in SPLITS} | {"train": SplitCount()}
        self.workers: set[str] = set()
        self.durations: Mapping[str, Any] = {}
        self.judged: dict[str, Counter[str]] = {split: Counter() for split in (*SPLITS, "")}
        """Split ("" where the query is in neither) -> `judgments`, and pairs by how they ended."""

    def figures(self) -> dict[str, Any]:
        """The manifest's `statistics`, as far as the files have what they are made of."""
        told = {split: count.told() for split, count in self.splits.items()}
        for split, count in self.splits.items():
            told[split]["extent"] = extent(count.places)
        for split in SPLITS:
            told[split] |= {name: told[split]["extent"][name] for name in ("moments", "videos")}
        everything = SplitCount()
        for count in self.splits.values():
            everything.lengths += count.lengths
            everything.words |= count.words
        counts = self._counts()
        judged = judging({split: counts[split] for split in self.judged})
        if self.judged[""]:
            judged = {"both": judged["both"]}
        known = [seconds for seconds in self.durations.values() if type(seconds) in (int, float)]
        material = {"videos": len(self.durations), "hours": round(fsum(known) / 3600, DECIMALS)}
        return {
            "collection": material | {"video_seconds": summary(known)},
            "splits": told | {"all": everything.told()},
            "judging": {part: own for part, own in judged.items() if part},
        }

    def _counts(self) -> dict[str, dict[str, Any]]:
        """The manifest's `counts` of both splits, and of what is in neither."""
        stated = _within(self._manifest, "counts", "val", "pairs_by_grade")
        grades = [grade for grade in stated if grade.isdecimal()] if isinstance(stated, dict) else []
        names = ("judgments", "pairs_discarded", "pairs_graded_in_round_one", "pairs_graded_in_round_two")
        return {
            split: {name: self.judged[split][name] for name in names}
            | {"pairs_by_grade": {grade: self.splits[split].grades[int(grade)] if split else 0 for grade in grades}}
            for split in self.judged
        }

    def check(self, claims: Claims, depths: Iterable[int]) -> dict[str, Any]:
        """Compare counts and statistics. Args: depths: of the training files. Returns: the figures."""
        figures = self.figures()
        stated = self._manifest.get("statistics")
        counts: dict[str, Any] = {split: own for split, own in self._counts().items() if split and not self.judged[""]}
        counts |= {"videos": {"all": len(self.durations)}, "workers": len(self.workers)}
        self._compare(claims, "counts", "counts", counts)
        if max(depths, default=0) < TOP:
            figures["splits"]["train"].pop("extent")
        if not isinstance(stated, dict):
            for name in ("consensus", "table 1", "table 4", "statistics"):
                claims.note(name, "not stated: manifest.json has no statistics")
            return figures
        self._compare(claims, "consensus", "statistics.judging", figures["judging"])
        if self.judged[""]:
            where = "discarded pairs of queries without a graded pair are in no split's file"
            claims.needs("consensus", f"the shares of val and of test, since {where}")
        if "extent" not in figures["splits"]["train"]:
            for name in OF_EXTENT:
                claims.needs(name, f"moments of training, which needs the top {TOP} of each query")
        for split, own in figures["splits"].items():
            where, by_name = f"statistics.splits.{split}", _by_claim(split, own)
            for name, part in by_name.items():
                self._compare(claims, name, where, part)
        self._compare(claims, "statistics", "statistics.collection", figures["collection"])
        claims.needs("table 1", "#Verb, which needs the tagger and each query's language")
        claims.needs("table 3", "the words that stand for names need the descriptions before they were rewritten")
        claims.needs("statistics", "batches, captions, all moments, and what training queries were written about")
        return figures

    def _compare(self, claims: Claims, name: str, where: str, found: Any) -> None:
        stated = _within(self._manifest, *where.split("."))
        if stated is None:
            return
        claims.check(name)
        for place, one, other in differing(stated, found, where, close=CLOSE):
            claims.tell(name, f"manifest.json: {place} is {one!r}, but {other!r} follows from the files")


def _by_claim(split: str, own: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What of a split's figures belongs to which claim."""
    if split == "all":
        return {"statistics": dict(own)}
    in_tables = {
        "table 1": {name: own[name] for name in ("queries", "vocabulary")},
        "table 4": {name: own[name] for name in ("words", "relevant_per_query") if name in own},
    }
    if "extent" in own:
        for name, fields in OF_EXTENT.items():
            in_tables[name]["extent"] = {one: own["extent"][one] for one in fields}
    rest = ("pairs", "pairs_per_query", "queries_with", "moments", "videos")
    return in_tables | {"statistics": {name: own[name] for name in rest if name in own}}


def _within(value: Any, *names: str) -> Any:
    """What an object has under these names; None without."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
