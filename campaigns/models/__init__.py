"""The room's tables, by noun."""

from campaigns.models.campaign import Campaign, CampaignCorpus, Topic
from campaigns.models.submissions import CampaignScoring, Submission, SubmissionScore
from campaigns.models.teams import Team, TeamLink, TeamMember

__all__ = [
    "Campaign",
    "CampaignCorpus",
    "CampaignScoring",
    "Submission",
    "SubmissionScore",
    "Team",
    "TeamLink",
    "TeamMember",
    "Topic",
]
