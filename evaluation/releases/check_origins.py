"""Check what a release says its judgments and captions come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from .checked_rows import Judged, Row, Rows, Stated, key_of
from .origins import ACCEPTED, CLOSED, MONTH, ORIGINS, TOPIC
from .spilled import Spilled


def check_judgment_origins(rows: Rows, stated: Stated, judged: Judged) -> None:
    """That each judgment of raw_annotations.csv is there once, under a guideline of the manifest and with its counts,
    and that a pair was in one batch."""
    guideline = judged.manifest["guideline"]
    versions = {str(version["version"]) for version in guideline["versions"]}
    by_version: Counter[str] = Counter()
    by_origin: Counter[str] = Counter()
    batches = Spilled()
    for row in rows.each("pair_id", "worker", again="{worker} is there twice for pair {pair_id}"):
        if not judged.has_judgment(row):
            judgment = f"judgment of pair {row['pair_id']} by {row['worker']}"
            rows.wrong(f"raw_annotations.csv has no {judgment} for query {row['query_id']}")
        rows.wrong(_judgment_problem(row, versions))
        batch = [row["batch"], row["closed"]]
        for key in (f"pair {row['pair_id']}", key_of(row["query_id"], row["batch"])):
            if batches.get(key, batch) != batch:
                rows.wrong(f"found batch {row['batch']!r} closed by {row['closed']!r}, and another above")
            batches[key] = batch
        by_version[row["guideline"] or "0"] += 1
        by_origin[row["origin"]] += 1
    told = {origin: count for origin, count in judged.manifest["making"]["judgments"].items() if count}
    rows.compare(len(rows.seen), stated["judgments"], " as judgments")
    rows.compare(dict(by_version), guideline["judgments_by_version"], " as judgments_by_version")
    rows.compare(dict(by_origin), told, " as making")
    rows.compare(len(rows.seen), judged.pairs.judgments, " judgments", "raw_annotations.csv has")


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


def check_caption_origins(rows: Rows, stated: Stated, judged: Judged) -> None:
    """That each judged query and each caption of raw_annotations.csv is there once, by a rewriter, a check and a
    ranking of the manifest."""
    models = judged.manifest["models"]
    rewriters = {(one["rewriter"], one["model"], one["prompt_version"]) for one in models["rewriters"]}
    known = {"checked_by": {"", *models["encoders"]}, "ranked_by": {"", *models["rankers"]["queries"]}}
    expected = Spilled()
    for pair_id, pair in judged.pairs.items():
        expected[key_of(pair.facts.query_id, "")] = None
        if pair.facts.caption is not None:
            expected[key_of(pair.facts.query_id, pair_id)] = None
    for row in rows.each("query_id", "pair_id", again="this caption is there twice"):
        if key_of(row["query_id"], row["pair_id"]) not in expected:
            rows.wrong(f"raw_annotations.csv has no caption of query {row['query_id']}, pair {row['pair_id']!r}")
        rows.wrong(_caption_problem(row, rewriters, known))
    rows.compare(len(rows.seen), stated["captions"], " captions", "the manifest has")
    rows.compare(len(rows.seen), len(expected), " captions", "raw_annotations.csv has")


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
