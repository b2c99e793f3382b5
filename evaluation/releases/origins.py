"""What a release says its judgments and captions come from: `judgment_origins.csv` and `caption_origins.csv`."""

from __future__ import annotations

import re

JUDGMENT_ORIGINS, CAPTION_ORIGINS = "judgment_origins.csv", "caption_origins.csv"
OF_JUDGMENT = ("query_id", "pair_id", "worker", "origin", "month", "guideline", "batch", "closed")
OF_CAPTION = (
    *("query_id", "pair_id", "rewriter", "model", "prompt_version", "attempt", "accepted", "checked_by", "ranked_by"),
)
ORIGINS = ("here", "imported")
CLOSED = ("lead", "policy", "alone", "")
ACCEPTED = ("checks", "person", "none")
TOPIC = "topic"
"""The rewriter of a query that was never a description."""
MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])", re.ASCII)
