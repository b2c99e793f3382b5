"""Check a release's `leakage.csv`: every released query once, with a pseudo-training query that there is."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .claims import Claims
from .untrusted_files import csv_rows

LEAKAGE_FILE = "leakage.csv"
COLUMNS = ("split", "query_id", "query", "training_query_id", "training_query", "cosine")
"""Said again, since the check takes nothing from what writes releases (nor Django)."""


class CheckedLeakage:
    """What the file says of the queries of val.json and test.json, to be compared with the training files."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any], claims: Claims) -> None:
        self._claims = claims
        stated = manifest.get("leakage")
        self._path, self._stated = folder / LEAKAGE_FILE, stated if isinstance(stated, dict) else None
        self._cosines: dict[str, dict[str, float]] = {"val": {}, "test": {}}
        """Split -> query_id -> cosine."""
        self._expected: dict[str, tuple[str, str]] = {}
        """Id of a training query -> its text, and where it is said to be a nearest one."""

    def read(self, files: Mapping[str, str], texts: Mapping[str, str]) -> None:
        """Check the file beside val.json and test.json.

        Args: files: query_id -> the file that has it; texts: query_id -> the query.
        """
        if self._stated is None:
            if self._path.exists():
                self._claims.tell("leakage", f"{LEAKAGE_FILE} is there, but the manifest says nothing of leakage")
            return
        self._claims.tell_all("leakage", self._read(files, texts))
        self._claims.needs("leakage", f"the cosines need the encoder {self._stated.get('encoder')}")

    def _read(self, files: Mapping[str, str], texts: Mapping[str, str]) -> Iterator[str]:
        for line, row in csv_rows(self._path, COLUMNS):
            where = f"{LEAKAGE_FILE}, line {line}"
            if problem := self._problem(row, files, texts):
                yield f"{where}: {problem}"
            else:
                self._cosines[row["split"]][row["query_id"]] = float(row["cosine"])
                self._expected.setdefault(row["training_query_id"], (row["training_query"], where))
        yield from self._differing_counts()

    def _problem(self, row: Mapping[str, str], files: Mapping[str, str], texts: Mapping[str, str]) -> str:
        """What is wrong with a row; "" if nothing is."""
        split, query_id = row["split"], row["query_id"]
        if split not in self._cosines or files.get(query_id) != f"{split}.json" or texts[query_id] != row["query"]:
            return f"found query {query_id} of {split}, expected one of val.json or test.json with its text"
        if query_id in self._cosines[split]:
            return f"query {query_id} is there twice"
        known = self._expected.get(row["training_query_id"], (row["training_query"],))[0]
        if known != row["training_query"]:
            return f"training query {row['training_query_id']} has another text than above"
        try:
            cosine = float(row["cosine"])
        except ValueError:
            cosine = float("nan")
        if not -1 <= cosine <= 1:
            return f"found the cosine {row['cosine']!r}, expected -1 to 1"
        below = (self._stated or {}).get("train_below")
        if isinstance(below, int | float) and cosine >= below:
            return f"found the cosine {cosine:g}, but training captions from {below:g} on were left out"
        return ""

    def _differing_counts(self) -> Iterator[str]:
        for split, cosines in self._cosines.items():
            try:
                stated = (self._stated or {})[split]
                expected = {"compared": int(stated["compared"])}
                expected |= {level: int(counts["queries"]) for level, counts in stated["from"].items()}
                found = {"compared": len(cosines)}
                found |= {level: sum(cosine >= float(level) for cosine in cosines.values()) for level in stated["from"]}
            except (KeyError, TypeError, ValueError, AttributeError):
                yield f"manifest.json doesn't state how many queries of {split} have a near training caption"
                continue
            if found != expected:
                yield f"{LEAKAGE_FILE}: found the counts {found} of {split}, but the manifest says {expected}"

    def saw(self, query_id: str, text: str) -> None:
        """A query is in the training files."""
        expected = self._expected.pop(query_id, None)
        if expected is not None and expected[0] != text:
            found = f"{expected[1]}: training query {query_id} has another text in the training files"
            self._claims.tell("leakage", found)

    def missing(self) -> None:
        """All training queries were seen: others that the file has aren't there."""
        for query_id, (_, where) in self._expected.items():
            self._claims.tell("leakage", f"{where}: training query {query_id} is not in the training files")
