"""The room's tables, by noun."""

from datasets.models.board_estimate import BoardEstimate
from datasets.models.certificate import Certificate
from datasets.models.checks import JudgmentImport, ReleaseCheck
from datasets.models.judgment_audit import JudgmentAudit
from datasets.models.leaderboard import Board, BoardQuery, ReleaseJob, Run, RunAnswer, Sharing
from datasets.models.plan import Plan
from datasets.models.publication import Publication
from datasets.models.release import DRAFT_PREFIX, Release
from datasets.models.release_page import ReleasePage
from datasets.models.stopping import StoppingGoal, StoppingLook

__all__ = [
    "DRAFT_PREFIX",
    "Board",
    "BoardEstimate",
    "BoardQuery",
    "Certificate",
    "JudgmentAudit",
    "JudgmentImport",
    "Plan",
    "Publication",
    "Release",
    "ReleaseCheck",
    "ReleaseJob",
    "ReleasePage",
    "Run",
    "RunAnswer",
    "Sharing",
    "StoppingGoal",
    "StoppingLook",
]
