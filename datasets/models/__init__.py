"""The room's tables, by noun."""

from datasets.models.checks import JudgmentImport, ReleaseCheck
from datasets.models.leaderboard import Board, BoardQuery, ReleaseJob, Run, RunAnswer, Sharing
from datasets.models.publication import Publication
from datasets.models.release import DRAFT_PREFIX, Release

__all__ = [
    "DRAFT_PREFIX",
    "Board",
    "BoardQuery",
    "JudgmentImport",
    "Publication",
    "Release",
    "ReleaseCheck",
    "ReleaseJob",
    "Run",
    "RunAnswer",
    "Sharing",
]
