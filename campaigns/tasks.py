"""The room's tasks, by their names in the queue."""

from campaigns.scoring.score import score_campaign
from campaigns.submissions.jobs import check_submission

__all__ = ["check_submission", "score_campaign"]
