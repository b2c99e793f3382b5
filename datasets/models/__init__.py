"""The room's tables, by noun."""

from datasets.models.leaderboard import Board, BoardQuery, ReleaseJob, Run, RunAnswer, Sharing
from datasets.models.publication import Publication
from datasets.models.release import DRAFT_PREFIX, Release

__all__ = [
    "DRAFT_PREFIX",
    "Board",
    "BoardQuery",
    "Publication",
    "Release",
    "ReleaseJob",
    "Run",
    "RunAnswer",
    "Sharing",
]
