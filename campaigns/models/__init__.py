"""The room's tables, by noun."""

from campaigns.models.campaign import Campaign, CampaignCorpus, Topic
from campaigns.models.results import CampaignComparison, CampaignExport, CampaignPooling
from campaigns.models.submissions import CampaignScoring, Submission, SubmissionScore
from campaigns.models.teams import Team, TeamLink, TeamMember

__all__ = [
    "Campaign",
    "CampaignComparison",
    "CampaignCorpus",
    "CampaignExport",
    "CampaignPooling",
    "CampaignScoring",
    "Submission",
    "SubmissionScore",
    "Team",
    "TeamLink",
    "TeamMember",
    "Topic",
]
