"""The consensus rule (rule 6), which stands in the library: a release is verified without Qreels."""

from evaluation.judgments.consensus import (
    PAPER,
    Decision,
    Rounding,
    Rule,
    State,
    Status,
    decide,
    needed_in,
    state_of,
)

__all__ = ["PAPER", "Decision", "Rounding", "Rule", "State", "Status", "decide", "needed_in", "state_of"]
