"""Check what a release says its judgments and captions come from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .judged_pairs import JudgedPairs
from .origins import ACCEPTED, CLOSED, MONTH, OF_CAPTION, OF_JUDGMENT, ORIGINS, TOPIC
from .spilled import Spilled
from .untrusted_files import csv_rows

Row = Mapping[str, str]


def check_judgment_origins(
    path: Path, stated: Mapping[str, Any], manifest: Mapping[str, Any], pairs: JudgedPairs
) -> Iterator[str]:
    """That each judgment of raw_annotations.csv is there once, under a guideline of the manifest and with its counts,
    and that a pair was in one batch."""
    versions = {str(version["version"]) for version in manifest["guideline"]["versions"]}
    by_version: Counter[str] = Counter()
    by_origin: Counter[str] = Counter()
    seen, batches = Spilled(), Spilled()
    for line, row in csv_rows(path, OF_JUDGMENT):
        place, pair = f"{path.name}, line {line}", pairs.get(row["pair_id"])
        if (key := json.dumps([row["pair_id"], row["worker"]])) in seen:
            yield f"{place}: {row['worker']} is there twice for pair {row['pair_id']}"
        seen[key] = None
        if pair is None or pair.facts.query_id != row["query_id"] or row["worker"] not in pair.workers:
            judgment = f"judgment of pair {row['pair_id']} by {row['worker']}"
            yield f"{place}: raw_annotations.csv has no {judgment} for query {row['query_id']}"
        if problem := _judgment_problem(row, versions):
            yield f"{place}: {problem}"
        batch = [row["batch"], row["closed"]]
        for key in (f"pair {row['pair_id']}", json.dumps([row["query_id"], row["batch"]])):
            if batches.get(key, batch) != batch:
                yield f"{place}: found batch {row['batch']!r} closed by {row['closed']!r}, and another above"
            batches[key] = batch
        by_version[row["guideline"] or "0"] += 1
        by_origin[row["origin"]] += 1
    found = {"judgments": len(seen), "judgments_by_version": dict(by_version), "making": dict(by_origin)}
    told = {origin: count for origin, count in manifest["making"]["judgments"].items() if count}
    expected = {
        "judgments": stated["judgments"],
        "judgments_by_version": manifest["guideline"]["judgments_by_version"],
        "making": told,
    }
    for name, count in found.items():
        if count != expected[name]:
            yield f"{path.name}: found {count} as {name}, but the manifest says {expected[name]}"
    if len(seen) != (judged := sum(len(pair.workers) for _, pair in pairs.items())):
        yield f"{path.name}: found {len(seen)} judgments, but raw_annotations.csv has {judged}"


def _judgment_problem(row: Row, versions: set[str]) -> str:
    """What is wrong with a row; "" if nothing is."""
    if row["origin"] not in ORIGINS:
        return f"found the origin {row['origin']!r}, expected {' or '.join(ORIGINS)}"
    dated = row["origin"] == "here"
    if bool(row["month"]) != dated or (dated and not MONTH.fullmatch(row["month"])):
        return f"found the month {row['month']!r}, expected one such as 2026-01 of a judgment given here, else nothing"
    if row["guideline"] and row["guideline"] not in versions:
        return f"found the guideline {row['guideline']!r}, which the manifest doesn't name"
    if not _is_number(row["batch"]) or row["closed"] not in CLOSED:
        expected = f"a number from 1 on, and {', '.join(filter(None, CLOSED))} or nothing"
        return f"found batch {row['batch']!r} closed by {row['closed']!r}, expected {expected}"
    return ""


def check_caption_origins(
    path: Path, stated: Mapping[str, Any], manifest: Mapping[str, Any], pairs: JudgedPairs
) -> Iterator[str]:
    """That each judged query and each caption of raw_annotations.csv is there once, by a rewriter, a check and a
    ranking of the manifest."""
    models = manifest["models"]
    rewriters = {(one["rewriter"], one["model"], one["prompt_version"]) for one in models["rewriters"]}
    known = {"checked_by": {"", *models["encoders"]}, "ranked_by": {"", *models["rankers"]["queries"]}}
    expected = Spilled()
    for pair_id, pair in pairs.items():
        expected[json.dumps([pair.facts.query_id, ""])] = None
        if pair.facts.caption is not None:
            expected[json.dumps([pair.facts.query_id, pair_id])] = None
    seen = Spilled()
    for line, row in csv_rows(path, OF_CAPTION):
        place, key = f"{path.name}, line {line}", json.dumps([row["query_id"], row["pair_id"]])
        if key in seen:
            yield f"{place}: this caption is there twice"
        if key not in expected:
            yield f"{place}: raw_annotations.csv has no caption of query {row['query_id']}, pair {row['pair_id']!r}"
        seen[key] = None
        if problem := _caption_problem(row, rewriters, known):
            yield f"{place}: {problem}"
    for number, name in ((stated["captions"], "the manifest"), (len(expected), "raw_annotations.csv")):
        if len(seen) != number:
            yield f"{path.name}: found {len(seen)} captions, but {name} has {number}"


def _caption_problem(row: Row, rewriters: set[tuple[str, str, str]], known: Mapping[str, set[str]]) -> str:
    """What is wrong with a row; "" if nothing is."""
    rewriter = (row["rewriter"], row["model"], row["prompt_version"])
    made = (*rewriter[1:], row["attempt"], row["accepted"], row["checked_by"])
    if row["rewriter"] in ("", TOPIC):
        if any(made) or (row["rewriter"] and row["pair_id"]):
            return f"found {', '.join(filter(None, made))!r}, expected nothing where nobody rewrote or it isn't known"
    elif rewriter not in rewriters:
        return f"found the rewriter {' '.join(filter(None, rewriter))!r}, which the manifest doesn't name"
    elif not _is_number(row["attempt"]) or row["accepted"] not in ACCEPTED:
        found = f"attempt {row['attempt']!r} accepted by {row['accepted']!r}"
        return f"found {found}, expected a number from 1 on, and one of {', '.join(ACCEPTED)}"
    for column, names in known.items():
        if row[column] not in names:
            return f"found {row[column]!r} as {column}, which the manifest doesn't name"
    return ""


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and not text.startswith("0")
