"""Runs as tables and pages show them."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from campaigns.models import Campaign, Submission, Team

S = Submission.State


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """A run with its state, and why it is in it."""

    id: int
    team: str
    team_id: int
    name: str
    priority: int
    state: str
    state_in_words: str
    why: str
    begun_at: datetime
    late: bool
    size: int
    predictions: int
    unanswered: int
    scored: bool


def submission_rows(campaign: Campaign, team: Team | None = None) -> list[SubmissionRow]:
    """The runs sent to the campaign, by team and in the order of their arrival."""
    rows = Submission.objects.filter(team__campaign=campaign).with_scores().select_related("team__campaign")
    if team is not None:
        rows = rows.filter(team=team)
    return [row_of(row) for row in rows.order_by("team__number", "pk")]


def row_of(row: Submission) -> SubmissionRow:
    """A run as tables show it."""
    state, words, why = standing_of(row)
    score = getattr(row, "score", None)
    return SubmissionRow(
        row.pk,
        row.team.name,
        row.team_id,
        row.name,
        row.priority,
        state,
        words,
        why,
        row.begun_at,
        row.late,
        row.size,
        row.predictions,
        row.unanswered,
        score is not None and score.board.release_id == row.team.campaign.release_id,
    )


def standing_of(row: Submission) -> tuple[str, str, str]:
    """A run's state as people speak of it, in words, and why."""
    if row.state == S.REFUSED:
        return "refused", _("refused"), row.problem
    if row.excluded_at is not None:
        return "excluded", _("excluded"), row.excluded_reason
    if row.withdrawn_at is not None:
        return "withdrawn", _("withdrawn"), ""
    return row.state, row.get_state_display(), row.said if row.state == S.ACCEPTED else row.problem
