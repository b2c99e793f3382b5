"""What a campaign's board has, and who sees it."""

from dataclasses import dataclass

from campaigns.models import Campaign, SubmissionScore, Team
from campaigns.submissions.receive import standing
from datasets.leaderboard.selectors import sort_measure


@dataclass(frozen=True, slots=True)
class CampaignBoard:
    """The board: measures, and lines best first by `sort`."""

    measures: list[str]
    sort: str
    lines: list[SubmissionScore]


def may_see_board(campaign: Campaign, *, team: Team | None = None) -> bool:
    """Whether somebody who doesn't lead sees the whole board: once results are open, as its audience says."""
    if campaign.results_opened_at is None:
        return False
    return campaign.audience == Campaign.Audience.PUBLIC or (
        team is not None and campaign.audience == Campaign.Audience.TEAMS
    )


def may_see_own_scores(campaign: Campaign) -> bool:
    """Whether teams see the scores of their own runs."""
    return campaign.own_scores or campaign.results_opened_at is not None


def standing_scores(campaign: Campaign, *, with_queries: bool = True) -> list[SubmissionScore]:
    """The scores of the runs that count, against the campaign's release, in the order of submission.

    Args: with_queries: False leaves out each query's values, which are many.
    """
    scores = SubmissionScore.objects.filter(
        submission__in=[run.pk for run in standing(campaign)],
        board__release=campaign.release_id,
        board__split=campaign.split,
    )
    rows = scores.select_related("submission__team", "board").order_by("submission_id")
    return list(rows if with_queries else rows.defer("per_query"))


def board_of_campaign(campaign: Campaign, *, asked: str = "") -> CampaignBoard:
    """The runs that count and are scored, best first by the measure that is asked for, ties in the order of teams."""
    scores = standing_scores(campaign, with_queries=False)
    if not scores:
        return CampaignBoard([], "", [])
    sort = sort_measure(scores[0].board, asked)

    def place(score: SubmissionScore) -> tuple[float, int, int]:
        run = score.submission
        return -(score.values.get(sort) or 0.0), run.team.number, run.priority

    return CampaignBoard(scores[0].board.measures, sort, sorted(scores, key=place))
