"""Results as rows: runs in order with their groups, the best of each team, every topic against the others' runs."""

import math
import statistics
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.comparison.compare import comparison_of
from campaigns.models import Campaign, CampaignComparison, SubmissionScore, Team
from campaigns.results.board import standing_scores
from datasets.leaderboard.selectors import sort_measure
from datasets.models import Board


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A run among the results.

    Attributes: place: 1 for the highest value; equal ones share it. low, high: the bootstrap interval of the mean;
    None before the runs were compared, as are `letters`. close: whether it can't be told from the best. best_of_team:
    whether no run of its team has a higher value. late: whether it came after the campaign's deadline.
    """

    submission: int
    place: int
    team: str
    team_number: int
    run: str
    late: bool
    value: float | None
    low: float | None
    high: float | None
    letters: str
    close: bool
    best_of_team: bool
    values: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Results:
    """A campaign's runs in the order of one measure. Attributes: compared: whether intervals and groups are those of
    just these runs and scores."""

    measure: str
    measures: list[str]
    queries: int
    compared: bool
    rows: list[ResultRow]

    @property
    def best(self) -> list[ResultRow]:
        """The best run of each team."""
        return [row for row in self.rows if row.best_of_team]


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic over all runs: the best, the median and the worst value, and those of some runs by their submission."""

    topic_id: str
    text: str
    best: float | None
    median: float | None
    worst: float | None
    own: dict[int, float | None]


def names_of(team: Team, *, to_organiser: bool) -> str:
    """What a team is called among the results: what it chose, and to the organiser always its name."""
    return team.name if to_organiser else team.shown_name


def results_of(campaign: Campaign, *, measure: str = "", to_organiser: bool) -> Results | None:
    """The scored runs that count, best first; None where there is none.

    Args: measure: to sort by; one that the board hasn't: its primary one.
    """
    return next(_results(campaign, lambda board: [sort_measure(board, measure)], to_organiser=to_organiser), None)


def _results(campaign: Campaign, chosen: Callable[[Board], Iterable[str]], *, to_organiser: bool) -> Iterator[Results]:
    """The same by each of the board's measures that are chosen; nothing where no run has a score."""
    scores = standing_scores(campaign, with_queries=False)
    if not scores:
        return
    board = scores[0].board
    queries = board.queries.count()
    comparison = comparison_of(campaign, scores)
    for by in chosen(board):
        yield _by_measure(scores, board, by, comparison, queries, to_organiser=to_organiser)


def _by_measure(
    scores: list[SubmissionScore],
    board: Board,
    by: str,
    comparison: CampaignComparison | None,
    queries: int,
    *,
    to_organiser: bool,
) -> Results:
    compared: dict[int, dict[str, Any]] = {}
    if comparison is not None and by in comparison.standings:
        compared = {row["system"]: row for row in comparison.standings[by]["systems"]}
    ordered = sorted(scores, key=lambda score: (-_value(score, by), score.submission_id))
    best = _best_of_teams(ordered)
    rows = [
        ResultRow(
            score.submission_id,
            1 + sum(_value(other, by) > _value(score, by) for other in ordered),
            names_of(score.submission.team, to_organiser=to_organiser),
            score.submission.team.number,
            score.submission.name,
            score.submission.late,
            score.values.get(by),
            compared.get(score.submission_id, {}).get("low"),
            compared.get(score.submission_id, {}).get("high"),
            compared.get(score.submission_id, {}).get("letters", ""),
            bool(compared.get(score.submission_id, {}).get("top")),
            score.submission_id in best,
            {name: score.values.get(name) for name in board.measures},
        )
        for score in ordered
    ]
    return Results(by, list(board.measures), queries, comparison is not None, rows)


def _value(score: SubmissionScore, measure: str) -> float:
    value = score.values.get(measure)
    return -math.inf if value is None else float(value)


def _best_of_teams(ordered: Iterable[SubmissionScore]) -> set[int]:
    """The first run of each team."""
    best: dict[int, int] = {}
    for score in ordered:
        best.setdefault(score.submission.team_id, score.submission_id)
    return set(best.values())


def topics_against(campaign: Campaign, *, measure: str, own: Collection[int] = ()) -> list[TopicRow]:
    """Each topic of the board: best, median and worst over all runs that count, and the values of `own` runs, as TREC
    tells its teams.

    Args: own: submissions; those that don't count are left out.
    """
    scores = standing_scores(campaign)
    if not scores or measure not in scores[0].board.measures:
        return []
    board = scores[0].board
    place = board.measures.index(measure)
    mine = [score for score in scores if score.submission_id in own]
    rows = []
    for number, (topic_id, text) in enumerate(_queries(board)):
        values = [score.per_query[number][place] for score in scores]
        counted = [value for value in values if value is not None]
        rows.append(
            TopicRow(
                topic_id,
                text,
                max(counted, default=None),
                statistics.median(counted) if counted else None,
                min(counted, default=None),
                {score.submission_id: score.per_query[number][place] for score in mine},
            )
        )
    return rows


def _queries(board: Board) -> list[tuple[str, str]]:
    return list(board.queries.order_by("position").values_list("query_id", "text"))


RESULT_COLUMNS = ("place", "team", "run", "late", "measure", "value", "low", "high", "groups", "best_of_team")


def result_lines(campaign: Campaign, *, to_organiser: bool) -> Iterable[list[Any]]:
    """Rows of `RESULT_COLUMNS`: every run on every measure, measure by measure, best first."""
    for results in _results(campaign, lambda board: board.measures, to_organiser=to_organiser):
        for row in results.rows:
            cells = [row.place, row.team, row.run, int(row.late), results.measure, row.value, row.low, row.high]
            yield [*cells, row.letters, int(row.best_of_team)]


TOPIC_COLUMNS = ("team", "run", "query_id", "measure", "value")


def topic_lines(campaign: Campaign, *, names: Mapping[int, str]) -> Iterable[list[Any]]:
    """Rows of `TOPIC_COLUMNS`: every run on every topic and measure, in the order of submission.

    Args: names: team -> what it is called.
    """
    scores = standing_scores(campaign)
    if not scores:
        return
    board = scores[0].board
    ids = [query_id for query_id, _ in _queries(board)]
    for score in scores:
        team = names[score.submission.team_id]
        for query_id, values in zip(ids, score.per_query, strict=True):
            for measure, value in zip(board.measures, values, strict=True):
                yield [team, score.submission.name, query_id, measure, value]


PAIR_COLUMNS = (
    *("measure", "first_team", "first_run", "second_team", "second_run"),
    *("difference", "low", "high", "effect", "randomisation", "holm", "t_test", "tukey"),
)


def pair_lines(campaign: Campaign, *, names: Mapping[int, str]) -> Iterable[list[Any]]:
    """Rows of `PAIR_COLUMNS`, of the newest comparison; none where its runs aren't those of now."""
    scores = standing_scores(campaign, with_queries=False)
    comparison = comparison_of(campaign, scores)
    if comparison is None:
        return
    run = {score.submission_id: (names[score.submission.team_id], score.submission.name) for score in scores}
    for measure, pairs in comparison.pairs.items():
        for first, second, *numbers in pairs:
            yield [measure, *run[first], *run[second], *numbers]
