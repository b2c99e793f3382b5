"""Whether systems differ: tests over the queries, corrections for many pairs, groups that can't be told apart."""

from ..significance.many_pairs import holm, randomised_tukey
from ..significance.paired import effect_sizes, paired_t_test, queries_needed
from ..significance.resampling import bootstrap_interval, randomisation_test
from ..significance.standings import Standing, Standings, SystemPair, stand

__all__ = [
    "Standing",
    "Standings",
    "SystemPair",
    "bootstrap_interval",
    "effect_sizes",
    "holm",
    "paired_t_test",
    "queries_needed",
    "randomisation_test",
    "randomised_tukey",
    "stand",
]
