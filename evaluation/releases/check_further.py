"""Check what a release has beside its ground truth, as `CHECKS` lists it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from json import loads
from math import isclose
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..reading.moment_ids import COLUMNS, MOMENT_IDS, read_moment_ids
from .check_leakage import LEAKAGE, check_leakage
from .check_origins import check_caption_origins, check_judgment_origins
from .check_posteriors import POSTERIORS, check_posteriors
from .check_spans import SPANS, check_spans
from .checked_rows import Judged, Row, Rows, Stated
from .claims import Claims
from .origins import CAPTION_ORIGINS, JUDGMENT_ORIGINS, OF_CAPTION, OF_JUDGMENT
from .untrusted_files import read_object, sha256_of

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
    "spans": "what was agreed on needs the spans of each annotator",
    "machine_judgments": "what the judges said needs the judges",
    "sampling": "which units were drawn needs the collection's random numbers",
    "survey": "the sums need people's answers, which nobody gets",
    "leakage": "the cosines need the encoder {encoder}",
}
"""By the manifest's key: what no file shows."""
IN_RAW = "raw_annotations.csv has"


def check_further(folder: Path, judged: Judged, claims: Claims) -> None:
    """Check each of the files that the release has or says that it has."""
    for key, (name, columns, check) in CHECKS.items():
        stated, claim = judged.manifest.get(key), key.replace("_", " ")
        if not isinstance(stated, dict):
            if (folder / name).exists():
                claims.tell(claim, f"{name} is there, but the manifest says nothing of {key}")
            continue
        try:
            with claims.reading(claim, name):
                check(Rows(folder / name, columns, partial(claims.tell, claim, file=name)), stated, judged)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            claims.tell(claim, f"manifest.json doesn't say of {key} what it should")
        if key in NEEDS:
            claims.needs(claim, NEEDS[key].format(encoder=stated.get("encoder")))


def _check_pool(rows: Rows, stated: Stated, judged: Judged) -> None:
    """That each decided pair is there once, from a version of the recipe and a run that the manifest names."""
    versions = {str(recipe["version"]): str(recipe["recipe"]) for recipe in stated["recipes"]}
    runs = {(run["team"], run["system"]) for run in stated["runs"]}
    for row in rows.each("pair_id", again="pair {pair_id} is there twice"):
        if judged.pair(row) is None:
            rows.wrong(f"query {row['query_id']} has no judged pair {row['pair_id']}")
        elif row["recipe_version"] and versions.get(row["recipe_version"]) != row["recipe"]:
            found = f"version {row['recipe_version'][:20]!r} of the recipe {row['recipe'][:80]!r}"
            rows.wrong(f"found {found}, which the manifest doesn't name")
        elif row["system"] and (row["team"], row["system"]) not in runs:
            rows.wrong(f"found the run {row['system']!r} of {row['team']!r}, not of the manifest")
    rows.compare(len(rows.seen), len(judged.pairs), " pairs", IN_RAW)


def _check_media(rows: Rows, stated: Stated, judged: Judged) -> None:
    """That each row has its file, as it says, and each file its row."""
    folder, files = rows.path.parent / MEDIA_FOLDER, set()
    kinds: Counter[str] = Counter()
    without_words = 0
    for row in rows.each():
        kinds[row["kind"]] += 1
        without_words += not row["words"]
        within, _, name = row["file"].partition("/")
        if within != MEDIA_FOLDER or name in ("", ".", "..") or "/" in name or name in files:
            rows.wrong(f"found {row['file'][:99]!r}, expected a file of its own in {MEDIA_FOLDER}/")
        elif not (folder / name).is_file():
            rows.wrong(f"{row['file']} is missing")
        elif (str((folder / name).stat().st_size), sha256_of(folder / name)) != (row["size"], row["sha256"]):
            rows.wrong(f"{row['file']} isn't the file with this size and SHA-256")
        files.add(name)
    for name in sorted({file.name for file in folder.glob("*")} - files):
        rows.tell(f"{MEDIA_FOLDER}/{name} has no row in {rows.path.name}")
    found = {"kinds": dict(kinds), "without_words": without_words}
    rows.compare(found, {name: stated[name] for name in found})


def _check_moment_ids(rows: Rows, stated: Stated, judged: Judged) -> None:
    """That `export` can read it, each moment is of a video of the release, and they are as many as stated."""
    try:
        ids = read_moment_ids(rows.path)
    except InputError as error:
        rows.tell(str(error).removeprefix(f"{rows.path.parent}/"))
        return
    corpus = rows.path.parent / "video_corpus.json"
    videos = read_object(corpus) if corpus.exists() else None  # of the format tvr-ranking
    for video, start, end in ids:
        if videos is not None and video not in videos:
            rows.of_all(f"{video} ({start:g}-{end:g} s) is not in {corpus.name}")
    rows.compare(len(ids), stated["moments"], " moments")


def _check_machines(rows: Rows, stated: Stated, judged: Judged) -> None:
    judges = {judge["name"]: judge for judge in stated["judges"]}
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows.each("judge", "query_id", "video_name", "timestamp", again="{judge} judges this moment twice"):
        if row["judge"] not in judges:
            rows.wrong(f"found the judge {row['judge']!r}, which the manifest doesn't name")
            continue
        counts[row["judge"], "abstained" if row["abstained"] else "graded"] += 1
        rows.wrong(_machine_problem(row, judges[row["judge"]], judged.rule.top_grade) or _of_another(row, judged))
    for name, judge in judges.items():
        for what in ("graded", "abstained"):
            rows.compare(counts[name, what], sum(judge[what].values()), f" rows {what} by {name}")


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
        chances = loads(row["distribution"] or "[1]")
    if not isinstance(chances, list) or not all(type(one) in (int, float) and one >= 0 for one in chances):
        return f"found the distribution {row['distribution'][:80]!r}, expected a list of probabilities"
    return ""


def _of_another(row: Row, judged: Judged) -> str:
    """That a row's pair is another one in raw_annotations.csv; "" if it isn't, or nobody judged it."""
    if (pair := judged.pairs.get(row["pair_id"])) is None:
        return ""
    facts, times = pair.facts, None
    with suppress(ValueError, RecursionError):
        times = loads(row["timestamp"])
    if (row["query_id"], row["video_name"], times) != (facts.query_id, facts.video_name, list(facts.timestamp)):
        return f"pair {row['pair_id']} is another one in raw_annotations.csv"
    return ""


def _check_sampling(rows: Rows, stated: Stated, judged: Judged) -> None:
    strata: Counter[tuple[str, str, int, int]] = Counter()
    for row in rows.each("query_id", "video_name", "timestamp", again="this unit is there twice"):
        try:
            size, drawn, chance = int(row["stratum_size"]), int(row["drawn"]), float(row["probability"])
        except ValueError:
            size, drawn, chance = 0, 0, 0.0
        if not 0 <= drawn <= size or size < 1 or not isclose(chance, drawn / size, abs_tol=ROUNDING):
            found = ", ".join(row[column] for column in SAMPLING[3:6])
            rows.wrong(f"found {found}, expected a size, how many are drawn, and their quotient")
            continue
        strata[row["query_id"] if row["video_name"] else "", row["stratum"], size, drawn] += 1
        rows.wrong(_of_another(row, judged))
    for (query_id, stratum, size, _), count in strata.items():
        if count != size:
            where = f"stratum {stratum!r}" + (f" of query {query_id}" if query_id else "")
            rows.of_all(f"found {count} units of {where}, expected {size}")
    counted = {"units": len(rows.seen), "drawn": sum(drawn for *_, drawn in strata)}
    rows.compare(counted, {name: stated[name] for name in counted})


def _check_evidence(rows: Rows, stated: Stated, judged: Judged) -> None:
    counts: Counter[str] = Counter()
    known = 0
    for row in rows.each("pair_id", "worker", again="{worker} is there twice for pair {pair_id}"):
        used = row["used"].split(" ")
        if not judged.has_judgment(row):
            rows.wrong(f"{IN_RAW} no judgment of pair {row['pair_id']} by {row['worker']}")
        if row["used"] not in ("", "none") and used != [kind for kind in KINDS if kind in used]:
            rows.wrong(f"found {row['used']!r} used, expected {', '.join(KINDS)}, or none")
        known += row["used"] != ""
        counts.update(used)
    found = {"judgments": len(rows.seen), "known": known, "used": {kind: counts[kind] for kind in stated["used"]}}
    rows.compare(found, {name: stated[name] for name in found})
    rows.compare(len(rows.seen), judged.pairs.judgments, " judgments", IN_RAW)


def _check_factors(rows: Rows, stated: Stated, judged: Judged) -> None:
    values = {
        factor["key"]: {*map(str, range(len(factor["answers"]))), *([""] if factor["may_skip"] else [])}
        for factor in stated["factors"]
    }
    for row in rows.each("pair_id", "worker", "factor", again="{worker} answers {factor} twice for pair {pair_id}"):
        if not judged.has_judgment(row):
            rows.wrong(f"{IN_RAW} no judgment of it by {row['worker']}")
        elif row["factor"] not in values:
            rows.wrong(f"found the factor {row['factor']!r}, which the manifest doesn't name")
        elif row["value"] not in values[row["factor"]]:
            expected = ", ".join(sorted(values[row["factor"]] - {""}))
            rows.wrong(f"found the value {row['value']!r}, expected one of {expected}")
    rows.compare(len(rows.seen), sum(stated["answers"].values()), " answers")


def _check_survey(rows: Rows, stated: Stated, judged: Judged) -> None:
    """That nothing is told of fewer than five people, and the manifest says the same."""
    expected = [
        (each["question"], answer, people)
        for each in stated["questions"]
        for answer, people in [*each["told"].items(), ("", each["rest"])]
    ]
    found = []
    for row in rows.each():
        people = int(row["people"]) if row["people"].isdecimal() else 0
        found.append((row["question"], row["answer"], people))
        if people < FEWEST_PEOPLE or (row["answer"] and people % FEWEST_PEOPLE):
            rows.wrong(f"found {row['people'][:20]!r} people, expected fives, and at least five")
    if sorted(found) != sorted(expected):
        rows.of_all("its rows aren't what the manifest says of survey")


def _check_consent(rows: Rows, stated: Stated, judged: Judged) -> None:
    for text in stated["versions"]:
        path = rows.path / f"version-{int(text['version'])}.md"
        if not path.is_file() or sha256_of(path) != text["sha256"]:
            rows.tell(f"consent/{path.name} is missing, or isn't the text with the SHA-256 that the manifest says")


CHECKS: dict[str, tuple[str, Sequence[str], Callable[[Rows, Stated, Judged], None]]] = {
    "spans": ("spans.csv", SPANS, check_spans),
    "pool": ("pool.csv", POOL, _check_pool),
    "query_media": ("query_media.csv", MEDIA, _check_media),
    "moment_ids": (MOMENT_IDS, COLUMNS, _check_moment_ids),
    "machine_judgments": ("machine_judgments.csv", MACHINE, _check_machines),
    "sampling": ("sampling.csv", SAMPLING, _check_sampling),
    "posteriors": ("posteriors.csv", POSTERIORS, check_posteriors),
    "evidence_used": ("evidence_used.csv", EVIDENCE, _check_evidence),
    "factors": ("factors.csv", FACTORS, _check_factors),
    "judgment_origins": (JUDGMENT_ORIGINS, OF_JUDGMENT, check_judgment_origins),
    "caption_origins": (CAPTION_ORIGINS, OF_CAPTION, check_caption_origins),
    "survey": ("annotators.csv", SURVEY, _check_survey),
    "consent": ("consent", (), _check_consent),
    "leakage": ("leakage.csv", LEAKAGE, check_leakage),
}
"""By the manifest's key: the file with its columns (of consent the folder), and what is asked of it."""
