"""What a campaign's board has, and who sees it."""

from dataclasses import dataclass

from campaigns.models import Campaign, Submission, SubmissionScore, Team
from campaigns.submissions.receive import standing
from datasets.leaderboard.selectors import sort_measure
from datasets.models import Board


@dataclass(frozen=True, slots=True)
class BoardLine:
    """A run on the board. `team` is as the board calls it; `own`: of the team that looks."""

    submission: int
    team: str
    affiliation: str
    name: str
    late: bool
    values: list[float | None]
    unanswered: int
    own: bool


@dataclass(frozen=True, slots=True)
class CampaignBoard:
    """The board: measures, and lines best first by `sort`."""

    measures: list[str]
    sort: str
    lines: list[BoardLine]


def may_see_board(campaign: Campaign, *, leads: bool = False, team: Team | None = None) -> bool:
    """Whether somebody sees the whole board: leads always; others once results are open, as its audience says."""
    if leads:
        return True
    if campaign.results_opened_at is None:
        return False
    return campaign.audience == Campaign.Audience.PUBLIC or (
        team is not None and campaign.audience == Campaign.Audience.TEAMS
    )


def may_see_own_scores(campaign: Campaign) -> bool:
    """Whether teams see the scores of their own runs."""
    return campaign.own_scores or campaign.results_opened_at is not None


def board_of_campaign(campaign: Campaign, *, asked: str = "", own: Team | None = None) -> CampaignBoard:
    """The runs that count and are scored against the campaign's release, best first, ties in the order of teams.

    Args: asked: the measure to sort by; own: the team that looks.
    """
    board = Board.objects.filter(release=campaign.release_id, split=campaign.split).first()
    if board is None:
        return CampaignBoard([], "", [])
    sort = sort_measure(board, asked)
    scored = [(row, score) for row in standing(campaign) if (score := _score(row, board)) is not None]
    scored.sort(key=lambda pair: -(pair[1].values.get(sort) or 0.0))
    return CampaignBoard(
        board.measures,
        sort,
        [
            BoardLine(
                row.pk,
                row.team.shown_name,
                "" if row.team.anonymous else row.team.affiliation,
                row.name,
                row.late,
                [score.values.get(measure) for measure in board.measures],
                score.unanswered,
                own is not None and row.team_id == own.pk,
            )
            for row, score in scored
        ],
    )


def _score(row: Submission, board: Board) -> SubmissionScore | None:
    score: SubmissionScore | None = getattr(row, "score", None)
    return score if score is not None and score.board_id == board.pk else None
