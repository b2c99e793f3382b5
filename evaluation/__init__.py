"""Measures for ranked video moment retrieval, and how far they can be trusted.

A library (`evaluate` returns plain records) and a command line (``python -m evaluation``). It
stands alone: numpy and scipy, plain files, no Django.
"""

from .errors import EvaluationError, InputError
from .measures import Measure, parse_measure
from .moments.alignment import Threshold
from .moments.ground_truth import GroundTruth, JudgedMoment, PooledMoment
from .moments.matches import Match, matches_of_query
from .moments.run import Prediction, Run
from .scores.conventions import PAPER, RELEASED, Convention
from .scores.scoring import Record, evaluate

__all__ = [
    "PAPER",
    "RELEASED",
    "Convention",
    "EvaluationError",
    "GroundTruth",
    "InputError",
    "JudgedMoment",
    "Match",
    "Measure",
    "PooledMoment",
    "Prediction",
    "Record",
    "Run",
    "Threshold",
    "evaluate",
    "matches_of_query",
    "parse_measure",
]
