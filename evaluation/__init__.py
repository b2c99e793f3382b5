"""Measures for ranked video moment retrieval, and how far they can be trusted.

For notebooks and scripts `load` and `score`, whose results are tables; a library below them (`evaluate` returns plain
records) and a command line (``python -m evaluation``). It stands alone: numpy and scipy, plain files, no Django.
"""

from .errors import EvaluationError, EvaluationWarning, InputError
from .formats.table import Table
from .measures import Measure, parse_measure
from .moments.alignment import Threshold
from .moments.ground_truth import GroundTruth, JudgedMoment, PooledMoment
from .moments.matches import Match, matches_of_query
from .moments.run import Prediction, Run
from .notebook.scores import Scores, score
from .pooling.fusion import fuse
from .reading import read_ground_truth, read_run
from .releases.release import Release, load
from .scores.conventions import PAPER, RELEASED, Convention
from .scores.scoring import Record, evaluate
from .scores.warnings import warnings_about

__all__ = [
    "PAPER",
    "RELEASED",
    "Convention",
    "EvaluationError",
    "EvaluationWarning",
    "GroundTruth",
    "InputError",
    "JudgedMoment",
    "Match",
    "Measure",
    "PooledMoment",
    "Prediction",
    "Record",
    "Release",
    "Run",
    "Scores",
    "Table",
    "Threshold",
    "evaluate",
    "fuse",
    "load",
    "matches_of_query",
    "parse_measure",
    "read_ground_truth",
    "read_run",
    "score",
    "warnings_about",
]
