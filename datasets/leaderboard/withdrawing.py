"""Withdraw a run, and compare those that stay on its board."""

from datasets.leaderboard.runs import withdraw_run
from datasets.models import Run


def withdraw_from_board(run: Run) -> None:
    """Take a run from its board; its file and values stay. Repeating it changes nothing (`withdraw_run`)."""
    withdraw_run(run=run)
    if run.state == Run.State.SCORED:
        from datasets.leaderboard.scoring import compare_board

        compare_board(board_id=run.board_id)
