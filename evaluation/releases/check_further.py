"""Check what a release has beside its ground truth: `pool.csv`, `query_media.csv` with its files,
`moment_ids.csv`, `machine_judgments.csv`, `sampling.csv`, `posteriors.csv`, `evidence_used.csv`, `factors.csv`,
`judgment_origins.csv`, `caption_origins.csv`, `annotators.csv` and the texts in `consent/`."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from math import isclose
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..judgments.consensus import Rule
from ..progress import Stage, untold
from ..reading.moment_ids import MOMENT_IDS, read_moment_ids
from .check_origins import check_caption_origins, check_judgment_origins
from .check_posteriors import check_posteriors
from .claims import Claims
from .judged_pairs import JudgedPairs
from .origins import CAPTION_ORIGINS, JUDGMENT_ORIGINS
from .spilled import Spilled
from .untrusted_files import JudgedPair, csv_rows, read_object, sha256_of

Row = Mapping[str, str]
POOL = ("pair_id", "query_id", "recipe", "recipe_version", "team", "system", "ranker", "rank", "returned_by")
MEDIA = ("query_id", "kind", "file", "words", "size", "sha256")
MEDIA_FOLDER = "query_media"
MACHINE = (
    *("query_id", "pair_id", "video_name", "timestamp", "judge", "model", "version", "family", "prompt_version"),
    *("guideline", "origin", "grade", "distribution", "abstained"),
)
SAMPLING = (*("query_id", "pair_id", "stratum", "stratum_size", "drawn", "probability", "video_name", "timestamp"),)
EVIDENCE = ("query_id", "pair_id", "worker", "used")
KINDS = ("context", "sound", "subtitles")
FACTORS = ("query_id", "pair_id", "worker", "factor", "value")
SURVEY = ("question", "answer", "people")
"""Columns, said again, since the check takes nothing from what writes releases (nor Django)."""
FEWEST_PEOPLE = 5
ROUNDING = 1e-5
"""Of a probability."""
NEEDS = {
    "machine_judgments": "what the judges said needs the judges",
    "sampling": "which units were drawn needs the collection's random numbers",
    "survey": "the sums need people's answers, which nobody gets",
}
"""By the manifest's key: what no file shows."""


def check_further(
    folder: Path,
    manifest: Mapping[str, Any],
    pairs: JudgedPairs,
    graded: Spilled,
    rule: Rule,
    claims: Claims,
    stage: Stage = untold,
) -> None:
    """Check each of the files that the release has or says that it has.

    Args: pairs: those of raw_annotations.csv, by id; graded: pair_id -> file and grade, of val.json and test.json;
        rule: by which it was made.
    """
    top = rule.top_grade
    checks: dict[str, tuple[str, Callable[[Path, Mapping[str, Any]], Iterator[str]]]] = {
        "pool": ("pool.csv", lambda path, stated: _check_pool(path, stated, pairs)),
        "query_media": ("query_media.csv", _check_media),
        "moment_ids": (MOMENT_IDS, _check_moment_ids),
        "machine_judgments": ("machine_judgments.csv", lambda path, stated: _check_machines(path, stated, pairs, top)),
        "sampling": ("sampling.csv", lambda path, stated: _check_sampling(path, stated, pairs)),
        "posteriors": (
            "posteriors.csv",
            lambda path, stated: check_posteriors(path, stated, pairs, graded, rule, stage),
        ),
        "evidence_used": ("evidence_used.csv", lambda path, stated: _check_evidence(path, stated, pairs)),
        "factors": ("factors.csv", lambda path, stated: _check_factors(path, stated, pairs)),
        "judgment_origins": (
            JUDGMENT_ORIGINS,
            lambda path, stated: check_judgment_origins(path, stated, manifest, pairs),
        ),
        "caption_origins": (CAPTION_ORIGINS, lambda path, stated: check_caption_origins(path, stated, manifest, pairs)),
        "survey": ("annotators.csv", _check_survey),
        "consent": ("consent", _check_consent),
    }
    for key, (name, check) in checks.items():
        stated, claim = manifest.get(key), key.replace("_", " ")
        if not isinstance(stated, dict):
            if (folder / name).exists():
                claims.tell(claim, f"{name} is there, but the manifest says nothing of {key}")
            continue
        try:
            claims.tell_all(claim, check(folder / name, stated), name)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            claims.tell(claim, f"manifest.json doesn't say of {key} what it should")
        if key in NEEDS:
            claims.needs(claim, NEEDS[key])


def _key(row: Row, *columns: str) -> str:
    return json.dumps([row[column] for column in columns])


def _check_pool(path: Path, stated: Mapping[str, Any], pairs: JudgedPairs) -> Iterator[str]:
    """That each decided pair is there once, from a version of the recipe and a run that the manifest names."""
    versions = {str(recipe["version"]): str(recipe["recipe"]) for recipe in stated["recipes"]}
    runs = {(run["team"], run["system"]) for run in stated["runs"]}
    seen = Spilled()
    for line, row in csv_rows(path, POOL):
        pair = pairs.get(row["pair_id"])
        if row["pair_id"] in seen:
            yield f"{path.name}, line {line}: pair {row['pair_id']} is there twice"
        seen[row["pair_id"]] = None
        if pair is None or pair.facts.query_id != row["query_id"]:
            yield f"{path.name}, line {line}: query {row['query_id']} has no judged pair {row['pair_id']}"
        elif row["recipe_version"] and versions.get(row["recipe_version"]) != row["recipe"]:
            found = f"version {row['recipe_version'][:20]!r} of the recipe {row['recipe'][:80]!r}"
            yield f"{path.name}, line {line}: found {found}, which the manifest doesn't name"
        elif row["system"] and (row["team"], row["system"]) not in runs:
            yield f"{path.name}, line {line}: found the run {row['system']!r} of {row['team']!r}, not of the manifest"
    if len(seen) != (judged := sum(1 for _ in pairs.items())):
        yield f"{path.name}: found {len(seen)} pairs, but raw_annotations.csv has {judged}"


def _check_media(path: Path, stated: Mapping[str, Any]) -> Iterator[str]:
    """That each row has its file, as it says, and each file its row."""
    files: set[str] = set()
    kinds: Counter[str] = Counter()
    without_words = 0
    for line, row in csv_rows(path, MEDIA):
        kinds[row["kind"]] += 1
        without_words += not row["words"]
        folder, _, name = row["file"].partition("/")
        file = path.parent / MEDIA_FOLDER / name
        if folder != MEDIA_FOLDER or name in ("", ".", "..") or "/" in name or name in files:
            yield f"{path.name}, line {line}: found {row['file'][:99]!r}, expected a file of its own in {MEDIA_FOLDER}/"
        elif not file.is_file():
            yield f"{path.name}, line {line}: {row['file']} is missing"
        elif (str(file.stat().st_size), sha256_of(file)) != (row["size"], row["sha256"]):
            yield f"{path.name}, line {line}: {row['file']} isn't the file with this size and SHA-256"
        files.add(name)
    there = {file.name for file in (path.parent / MEDIA_FOLDER).glob("*")}
    for name in sorted(there - files):
        yield f"{MEDIA_FOLDER}/{name} has no row in {path.name}"
    found = {"kinds": dict(kinds), "without_words": without_words}
    if found != (expected := {name: stated[name] for name in found}):
        yield f"{path.name}: found {found}, but the manifest says {expected}"


def _check_moment_ids(path: Path, stated: Mapping[str, Any]) -> Iterator[str]:
    """That `export` can read it, each moment is of a video of the release, and they are as many as stated."""
    try:
        ids = read_moment_ids(path)
    except InputError as error:
        yield str(error).removeprefix(f"{path.parent}/")
        return
    corpus = path.parent / "video_corpus.json"
    videos = read_object(corpus) if corpus.exists() else None  # of the format tvr-ranking
    for video, start, end in ids:
        if videos is not None and video not in videos:
            yield f"{path.name}: {video} ({start:g}-{end:g} s) is not in {corpus.name}"
    if len(ids) != stated["moments"]:
        yield f"{path.name}: found {len(ids)} moments, but the manifest says {stated['moments']}"


def _check_machines(path: Path, stated: Mapping[str, Any], pairs: JudgedPairs, top: int) -> Iterator[str]:
    judges = {judge["name"]: judge for judge in stated["judges"]}
    seen = Spilled()
    counts: Counter[tuple[str, str]] = Counter()
    for line, row in csv_rows(path, MACHINE):
        key = _key(row, "judge", "query_id", "video_name", "timestamp")
        if row["judge"] not in judges:
            yield f"{path.name}, line {line}: found the judge {row['judge']!r}, which the manifest doesn't name"
            continue
        if key in seen:
            yield f"{path.name}, line {line}: {row['judge']} judges this moment twice"
        seen[key] = None
        counts[row["judge"], "abstained" if row["abstained"] else "graded"] += 1
        if problem := _machine_problem(row, judges[row["judge"]], top) or _of_another(row, pairs.get(row["pair_id"])):
            yield f"{path.name}, line {line}: {problem}"
    for name, judge in judges.items():
        for what in ("graded", "abstained"):
            if counts[name, what] != (number := sum(judge[what].values())):
                yield f"{path.name}: found {counts[name, what]} rows {what} by {name}, but the manifest says {number}"


def _machine_problem(row: Row, judge: Mapping[str, Any], top: int) -> str:
    """What is wrong with a row; "" if nothing is."""
    for column in ("version", "family", "prompt_version", "origin"):
        if row[column] != judge[column]:
            return f"found the {column} {row[column]!r}, but the manifest says {judge[column]!r}"
    grade = row["grade"]
    if bool(row["abstained"]) == bool(grade) or grade not in {*map(str, range(top + 1)), ""}:
        return f"found the grade {grade!r}, expected 0 to {top}, or nothing where the judge abstained"
    chances: Any = None
    with suppress(ValueError, RecursionError):
        chances = json.loads(row["distribution"] or "[1]")
    if not isinstance(chances, list) or not all(type(one) in (int, float) and one >= 0 for one in chances):
        return f"found the distribution {row['distribution'][:80]!r}, expected a list of probabilities"
    return ""


def _of_another(row: Row, pair: JudgedPair | None) -> str:
    """That a row's pair is another one in raw_annotations.csv; "" if it isn't, or nobody judged it."""
    if pair is None:
        return ""
    facts, times = pair.facts, None
    with suppress(ValueError, RecursionError):
        times = json.loads(row["timestamp"])
    if (row["query_id"], row["video_name"], times) != (facts.query_id, facts.video_name, list(facts.timestamp)):
        return f"pair {row['pair_id']} is another one in raw_annotations.csv"
    return ""


def _check_sampling(path: Path, stated: Mapping[str, Any], pairs: JudgedPairs) -> Iterator[str]:
    seen = Spilled()
    strata: Counter[tuple[str, str, int, int]] = Counter()
    for line, row in csv_rows(path, SAMPLING):
        key = _key(row, "query_id", "video_name", "timestamp")
        if key in seen:
            yield f"{path.name}, line {line}: this unit is there twice"
        seen[key] = None
        try:
            size, drawn, chance = int(row["stratum_size"]), int(row["drawn"]), float(row["probability"])
        except ValueError:
            size, drawn, chance = 0, 0, 0.0
        if not 0 <= drawn <= size or size < 1 or not isclose(chance, drawn / size, abs_tol=ROUNDING):
            found = ", ".join(row[column] for column in SAMPLING[3:6])
            yield f"{path.name}, line {line}: found {found}, expected a size, how many are drawn, and their quotient"
            continue
        strata[row["query_id"] if row["video_name"] else "", row["stratum"], size, drawn] += 1
        if problem := _of_another(row, pairs.get(row["pair_id"])):
            yield f"{path.name}, line {line}: {problem}"
    for (query_id, stratum, size, _), count in strata.items():
        if count != size:
            where = f"stratum {stratum!r}" + (f" of query {query_id}" if query_id else "")
            yield f"{path.name}: found {count} units of {where}, expected {size}"
    counted = {"units": len(seen), "drawn": sum(drawn for *_, drawn in strata)}
    if counted != (expected := {name: stated[name] for name in counted}):
        yield f"{path.name}: found {counted}, but the manifest says {expected}"


def _check_evidence(path: Path, stated: Mapping[str, Any], pairs: JudgedPairs) -> Iterator[str]:
    seen = Spilled()
    counts: Counter[str] = Counter()
    known = 0
    for line, row in csv_rows(path, EVIDENCE):
        if (key := _key(row, "pair_id", "worker")) in seen:
            yield f"{path.name}, line {line}: {row['worker']} is there twice for pair {row['pair_id']}"
        seen[key] = None
        pair, used = pairs.get(row["pair_id"]), row["used"].split(" ")
        if pair is None or pair.facts.query_id != row["query_id"] or row["worker"] not in pair.workers:
            judgment = f"judgment of pair {row['pair_id']} by {row['worker']}"
            yield f"{path.name}, line {line}: raw_annotations.csv has no {judgment}"
        if row["used"] not in ("", "none") and used != [kind for kind in KINDS if kind in used]:
            yield f"{path.name}, line {line}: found {row['used']!r} used, expected {', '.join(KINDS)}, or none"
        known += row["used"] != ""
        counts.update(used)
    found = {"judgments": len(seen), "known": known, "used": {kind: counts[kind] for kind in stated["used"]}}
    if found != (expected := {name: stated[name] for name in found}):
        yield f"{path.name}: found {found}, but the manifest says {expected}"
    if len(seen) != (judged := sum(len(pair.workers) for _, pair in pairs.items())):
        yield f"{path.name}: found {len(seen)} judgments, but raw_annotations.csv has {judged}"


def _check_factors(path: Path, stated: Mapping[str, Any], pairs: JudgedPairs) -> Iterator[str]:
    values = {
        factor["key"]: {*map(str, range(len(factor["answers"]))), *([""] if factor["may_skip"] else [])}
        for factor in stated["factors"]
    }
    seen = Spilled()
    for line, row in csv_rows(path, FACTORS):
        if (key := _key(row, "pair_id", "worker", "factor")) in seen:
            yield f"{path.name}, line {line}: {row['worker']} answers {row['factor']} twice for pair {row['pair_id']}"
        seen[key] = None
        pair = pairs.get(row["pair_id"])
        if pair is None or pair.facts.query_id != row["query_id"] or row["worker"] not in pair.workers:
            yield f"{path.name}, line {line}: raw_annotations.csv has no judgment of it by {row['worker']}"
        elif row["factor"] not in values:
            yield f"{path.name}, line {line}: found the factor {row['factor']!r}, which the manifest doesn't name"
        elif row["value"] not in values[row["factor"]]:
            expected = ", ".join(sorted(values[row["factor"]] - {""}))
            yield f"{path.name}, line {line}: found the value {row['value']!r}, expected one of {expected}"
    if len(seen) != (number := sum(stated["answers"].values())):
        yield f"{path.name}: found {len(seen)} answers, but the manifest says {number}"


def _check_survey(path: Path, stated: Mapping[str, Any]) -> Iterator[str]:
    """That nothing is told of fewer than five people, and the manifest says the same."""
    expected = [
        (each["question"], answer, people)
        for each in stated["questions"]
        for answer, people in [*each["told"].items(), ("", each["rest"])]
    ]
    found = []
    for line, row in csv_rows(path, SURVEY):
        found.append((row["question"], row["answer"], int(row["people"]) if row["people"].isdecimal() else 0))
        if found[-1][2] < FEWEST_PEOPLE or (row["answer"] and found[-1][2] % FEWEST_PEOPLE):
            yield f"{path.name}, line {line}: found {row['people'][:20]!r} people, expected fives, and at least five"
    if sorted(found) != sorted(expected):
        yield f"{path.name}: its rows aren't what the manifest says of survey"


def _check_consent(folder: Path, stated: Mapping[str, Any]) -> Iterator[str]:
    for text in stated["versions"]:
        path = folder / f"version-{int(text['version'])}.md"
        if not path.is_file() or sha256_of(path) != text["sha256"]:
            yield f"consent/{path.name} is missing, or isn't the text with the SHA-256 that the manifest says"
