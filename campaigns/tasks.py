"""The room's tasks, by their names in the queue."""

from campaigns.archive.jobs import export_campaign
from campaigns.comparison.compare import compare_campaign
from campaigns.pooled.put_in_pool import pool_campaign
from campaigns.scoring.score import score_campaign
from campaigns.submissions.jobs import check_submission

__all__ = ["check_submission", "compare_campaign", "export_campaign", "pool_campaign", "score_campaign"]
