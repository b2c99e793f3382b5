"""The consensus rules (rule 6), which stand in the library: a release is verified without Qreels."""

from evaluation.judgments.consensus import (
    PAPER,
    Decision,
    Kind,
    Rounding,
    Rule,
    State,
    Status,
    decide,
    needed_in,
    state_of,
)

__all__ = ["PAPER", "Decision", "Kind", "Rounding", "Rule", "State", "Status", "decide", "needed_in", "state_of"]
