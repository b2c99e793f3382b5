"""A trace as text: the score, the query, then each moment with its judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..texts import counted
from .checked_rows import Row
from .origins import TOPIC
from .trace import Scored, Trace, TracedJudgment, TracedPair

REWRITERS = {
    "openai": "rewritten from a description by the LLM {model}",
    "rules": "rewritten from a description by the rules {model}",
    "person": "written by a person",
    "as they are": "a description as it is",
    "import": "imported with its description",
    "elsewhere": "rewritten elsewhere by {model}",
    TOPIC: "a topic, which was never a description",
    "": "changed since: its rewriter isn't kept",
}
ACCEPTED = {"checks": "accepted by the checks", "person": "accepted by a person", "none": "accepted without a check"}
CLOSED = {
    "lead": "closed by a lead",
    "policy": "closed by the policy",
    "alone": "closed by itself",
    "": "not closed yet",
}


def in_words(trace: Trace, scored: Scored | None = None) -> list[tuple[str, list[str]]]:
    """Headings, each with its lines.

    Args: scored: a run's score of the query; without one the walk begins at the grades.
    """
    sections = [] if scored is None else [_score(trace, scored)]
    sections += [_query(trace), *(_pair(trace, pair, scored) for pair in trace.pairs)]
    if trace.not_stated:
        sections.append(("Not stated by this release", trace.not_stated))
    return sections


def as_text(trace: Trace, scored: Scored | None = None) -> str:
    """The same as one text."""
    return "\n\n".join(
        "\n".join([heading, *(f"  {line}" for line in lines)]) for heading, lines in in_words(trace, scored)
    )


def rewriter_in_words(row: Row) -> str:
    """What made a caption, by its row of caption_origins.csv.

    >>> row = dict.fromkeys(("prompt_version", "checked_by"), "") | {"attempt": "2", "accepted": "checks"}
    >>> rewriter_in_words({**row, "rewriter": "rules", "model": "rules-3"})
    'rewritten from a description by the rules rules-3, attempt 2, accepted by the checks'
    """
    words = REWRITERS.get(row["rewriter"], f"made by {row['rewriter']} {{model}}").format(model=row["model"]).rstrip()
    checked = row["checked_by"] and f"similarity by {row['checked_by']}"
    told = (row["prompt_version"] and f"prompt {row['prompt_version']}", row["attempt"] and f"attempt {row['attempt']}")
    return ", ".join(filter(None, (words, *told, ACCEPTED.get(row["accepted"], row["accepted"]), checked)))


def _score(trace: Trace, scored: Scored) -> tuple[str, list[str]]:
    values = [
        f"{measure} {'has no value here' if value is None else f'{value:.4f}'}"
        for measure, value in scored.values.items()
    ]
    rests = f"it rests on the {counted(len(trace.graded), 'grade')} of the query in {trace.split}.json, all below"
    return f"Score of {scored.run} on query {trace.query_id}", [
        *values,
        rests,
        f"run: SHA-256 {scored.sha256}",
        *_release(trace.manifest),
    ]


def _release(manifest: Mapping[str, Any]) -> list[str]:
    code = manifest["code"]
    made = f", made on {manifest['created_at'][:10]}" if manifest.get("created_at") else ""
    digest = f", digest {manifest['digest']}" if manifest.get("digest") else ""
    return [f"release: {manifest['release']} of {manifest['collection']}{made} by Qreels {code['version']}{digest}"]


def _query(trace: Trace) -> tuple[str, list[str]]:
    made = "" if trace.caption_origin is None else f"caption: {rewriter_in_words(trace.caption_origin)}"
    rule = trace.manifest["settings"]["consensus"]
    more = f", {rule['second_round']} more where these are in dispute" if rule["second_round"] else ""
    lines = [
        trace.text,
        made,
        f"rule of its grades: {rule['first_round']} people{more}; {rule['grade']}",
        "a lead's grade of discarded pairs counts" if trace.manifest["adjudication"]["included"] else "",
    ]
    return f"Query {trace.query_id} of {trace.split}", [line for line in lines if line]


def _pair(trace: Trace, pair: TracedPair, scored: Scored | None) -> tuple[str, list[str]]:
    grade = "discarded, no grade" if pair.grade is None else f"grade {pair.grade}"
    lines = [f"{pair.video_name}, {pair.start:g} to {pair.end:g} s"]
    if scored is not None and pair.grade is not None and scored.boundary:
        rank, iou = scored.found.get(pair.pair_id, (None, 0.0))
        lines.append(
            f"not found by {scored.run} at {scored.boundary}"
            if rank is None
            else f"found at rank {rank}, IoU {iou:.2f}"
        )
    lines += [*_found(pair), *(_judgment(trace, judgment) for judgment in pair.judgments)]
    if pair.adjudicated is not None:
        by, at = pair.adjudicated["worker"], pair.adjudicated["adjudicated_at"]
        lines.append(f"discarded, then graded {pair.adjudicated['relevance']} by the lead {by} on {at[:10]}")
    if (origin := pair.judgments[0].origin) is not None:
        lines.append(f"batch {origin['batch']} of the query, {CLOSED.get(origin['closed'], origin['closed'])}")
    return f"Pair {pair.pair_id}: {grade}", lines


def _found(pair: TracedPair) -> Iterator[str]:
    """How the moment came into the query's pool."""
    if pair.caption is not None:
        made = "" if pair.caption_origin is None else f": {rewriter_in_words(pair.caption_origin)}"
        yield f"caption “{pair.caption}”{made}"
    ranked = pair.caption_origin is not None and pair.caption_origin["ranked_by"]
    similarity = "" if pair.similarity is None else f" at a cosine of {pair.similarity:.4f}"
    if similarity or ranked:
        yield f"similar to the query{similarity}{f', by {ranked}' if ranked else ''}"
    if pair.pool is not None:
        version = f", version {pair.pool['recipe_version']}" if pair.pool["recipe_version"] else ""
        by = " ".join(filter(None, (pair.pool["team"], pair.pool["system"]))) or pair.pool["ranker"] or "a ranking"
        yield f"in the pool by the recipe {pair.pool['recipe']}{version}: rank {pair.pool['rank']} of {by}"


def _judgment(trace: Trace, judgment: TracedJudgment) -> str:
    words, origin = f"{judgment.worker} judged {judgment.grade}", judgment.origin
    if origin is None:
        return words
    if origin["origin"] == "imported":
        return f"{words}, imported"
    version = origin["guideline"]
    published = trace.guidelines.get(version, {}).get("published")
    guideline = f"guideline version {version}" if version else "no guideline"
    return f"{words} in {origin['month']}, by {guideline}{f' of {published}' if published else ''}"
