"""Runs scored: a table that knows what it was made of, and answers what one asks next."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, permutations
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..errors import EvaluationError, EvaluationWarning
from ..formats.table import Cell, Interval, Table
from ..measures import Measure, parse_measure
from ..measures.usual import usual_measure, usual_measures
from ..moments.alignment import Threshold, align
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..notebook.given import RunsGiven, TruthGiven, runs_of, truth_of
from ..notebook.groups import GroupsGiven, groups_of, in_order
from ..notebook.told import told_of
from ..progress import Stage, untold
from ..releases.release import Release
from ..report.page import report_page
from ..report.queries import QueryPart
from ..scores.conventions import PAPER, Convention, convention_named
from ..scores.score_table import table_of_records
from ..scores.scoring import Record, evaluate, mean_of_defined
from ..scores.tables import RunTable, cells_of_runs, compared_measures, per_query_table, with_values
from ..scores.warnings import about_intervals, warnings_about
from ..significance.agreement import agreement, rank_biased_overlap, tau_ap
from ..significance.comparison import compare_records, comparison_table
from ..significance.many_pairs import randomised_tukey
from ..significance.standings import SIGNIFICANT, Standings, stand
from ..texts import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLOTS = ("scores", "differences", "recall")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Scores(RunTable):
    """A row a run, a column a measure; a notebook shows it as a table. `score` makes it.

    Each question that it answers is a `Table` again: to look at, as a data frame (`frame`), as LaTeX (`latex`).

    Attributes: records: run by run, see `Record`; convention: see `Convention`.
    """

    truth: GroundTruth
    runs: tuple[Run, ...]
    records: tuple[Record, ...]
    convention: Convention

    @property
    def measures(self) -> list[str]:
        """Their names as written."""
        return list(self.head[1:])

    @cached_property
    def warnings(self) -> list[str]:
        """What one would want to know of the truth, the runs and these scores, see `warnings_about`."""
        measures = [parse_measure(name) for name in self.measures]
        return [*warnings_about(self.truth, self.runs, measures, self.records), *about_intervals(len(self.truth))]

    def per_query(self) -> Table:
        """A row a run and query, a column a measure; None where a query has no value.

        >>> scores = score({"q1": [("v", 0, 9, 3)], "q2": []}, {"mine": {"q1": [("v", 0, 8)]}}, ["R@1,IoU>0.5"])
        >>> print(scores.per_query().columns())
        run   query_id  R@1,IoU>0.5
        mine        q1       1.0000
        mine        q2       0.0000
        """
        return per_query_table(self.truth.query_ids, with_values(self.records))

    def by(self, groups: GroupsGiven, *, column: str = "") -> Table:
        """Means over groups of queries: a row a measure and group, a column a run.

        Args: groups, column: see `groups_of`: ``show``, ``length``, ``relevant``, ``language``, ``batches``, a dict
            of query_id -> group, or a CSV file and one of its columns, also written ``FILE.csv:COLUMN``.
        Raises: EvaluationError if the ground truth doesn't say it, or no measure has values per query.

        >>> truth = {"q1": [("castle_1", 0, 9, 3)], "q2": [("ship_1", 0, 9, 3)]}
        >>> print(score(truth, {"mine": {"q1": [("castle_1", 0, 8)]}}, ["R@1,IoU>0.5"]).by("show").columns())
        measure        show  queries    mine
        R@1,IoU>0.5  castle        1  1.0000
        R@1,IoU>0.5    ship        1  0.0000
        """
        if isinstance(groups, str) and ".csv:" in groups:
            groups, _, column = groups.rpartition(":")
        known = groups_of(self.truth, groups, column=column)
        kept = with_values(self.records)
        own = np.array([known[query_id] for query_id in self.truth.query_ids], dtype=object)
        values = {(one.measure, one.run): one.per_query for one in kept if one.per_query is not None}
        rows: list[list[Cell]] = []
        for measure in dict.fromkeys(record.measure for record in kept):
            for group in in_order(own.tolist()):
                inside = np.asarray(own == group)
                means = [mean_of_defined(values[measure, run.name][inside]) for run in self.runs]
                rows.append([measure, group, int(inside.sum()), *means])
        title = column or (groups if isinstance(groups, str) and not groups.endswith(".csv") else "group")
        return Table(
            f"By {title}", self.sentence, ["measure", title, "queries", *(run.name for run in self.runs)], rows
        )

    def compare(self, *, tukey: bool = False, draws: int = 10_000, seed: int = 0) -> Table:
        """Every two runs on every measure: difference, bootstrap interval, randomisation test, Holm's correction.

        Args: tukey: also the p-value of the randomised Tukey HSD over all runs, on the queries that have a value for
            all of them; it takes longer.
        Raises: EvaluationError for fewer than two runs, or a measure without values per query.

        >>> truth = {"q1": [("v", 0, 9, 3)], "q2": [("v", 0, 9, 3)]}
        >>> runs = {"mine": {"q1": [("v", 0, 8)], "q2": [("v", 0, 8)]}, "other": {"q1": [("v", 0, 8)], "q2": []}}
        >>> score(truth, runs, ["R@1,IoU>0.5"]).compare(draws=100).dicts()[0]["difference"]
        0.5
        """
        results = compare_records(self.records, draws=draws, seed=seed)
        _warn(about_intervals(min(result.queries for result in results)))
        found = comparison_table(results, draws=draws, seed=seed)
        if not tukey:
            return found
        scores = table_of_records(self.records)
        pairs = list(combinations(scores.systems, 2))
        p_values = {
            (measure, *pair): float(p_value)
            for measure, values in zip(scores.measures, scores.values, strict=True)
            for pair, p_value in zip(pairs, randomised_tukey(values.T, draws=draws, seed=seed + 2), strict=True)
        }
        rows = [
            [*row, p_values[one.measure, one.first, one.second]] for row, one in zip(found.rows, results, strict=True)
        ]
        return Table(found.heading, found.sentence, [*found.head, "Tukey"], rows, found.signed)

    def standings(self, *, significant: float = SIGNIFICANT, draws: int = 10_000, seed: int = 0) -> Table:
        """The runs in order, by each measure, with bootstrap intervals and groups by the randomised Tukey HSD.

        Two runs that share a letter can't be told apart; two that share none can.

        Raises: EvaluationError for a measure without values per query.

        >>> truth = {"q1": [("v", 0, 9, 3)]}
        >>> runs = {"mine": {"q1": [("v", 0, 8)]}, "other": {"q1": []}}
        >>> print(score(truth, runs, ["R@1,IoU>0.5"]).standings().columns())
        measure        run    mean          interval  groups
        R@1,IoU>0.5   mine  1.0000  [1.0000, 1.0000]       a
        R@1,IoU>0.5  other  0.0000  [0.0000, 0.0000]       a
        """
        by_measure = self._standings(significant, draws, seed)
        _warn(about_intervals(min(standings.queries for standings in by_measure.values())))
        rows: list[list[Cell]] = [
            [measure, own.system, own.mean, Interval(own.low, own.high), own.letters]
            for measure, standings in by_measure.items()
            for own in standings.systems
        ]
        queries = counted(min(standings.queries for standings in by_measure.values()), "query")
        sentence = (
            f"95 % bootstrap intervals, {queries} with a value of every run; groups of runs that the randomised Tukey "
            f"HSD can't tell apart at {significant:g}; {draws:,} draws each, seed {seed}"
        )
        return Table("Standings", sentence, ["measure", "run", "mean", "interval", "groups"], rows)

    def agreement(self) -> Table:
        """How alike two measures order the runs: Kendall's tau-b, tau-AP, which looks at the top more closely and takes
        the second for the reference, and rank-biased overlap with p = 0.9 (`tau_ap`, `rank_biased_overlap`).

        Raises: EvaluationError if a measure has no values per query.

        >>> truth = {"q1": [("v", 0, 9, 3)], "q2": [("w", 0, 9, 3)]}
        >>> runs = {"mine": {"q1": [("v", 0, 8)], "q2": [("w", 0, 9)]}, "other": {"q1": [("v", 0, 8)], "q2": []}}
        >>> print(score(truth, runs, ["R@1,IoU>0.5", "AxIoU@1"]).agreement().columns())
        measure        reference   tau-b  tau-AP     RBO
        R@1,IoU>0.5      AxIoU@1  1.0000  1.0000  1.0000
        AxIoU@1      R@1,IoU>0.5  1.0000  1.0000  1.0000
        """
        scores = table_of_records(self.records)
        means = scores.means()
        tau, ap = agreement(means), tau_ap(means[:, None], means[None])
        overlap = rank_biased_overlap(means[:, None], means[None])
        rows: list[list[Cell]] = [
            [scores.measures[i], scores.measures[j], *(float(alike) for alike in (tau[i, j], ap[i, j], overlap[i, j]))]
            for i, j in permutations(range(len(means)), 2)
        ]
        sentence = f"{len(scores.systems)} runs by {counted(len(means), 'measure')}"
        return Table("Agreement", sentence, ["measure", "reference", "tau-b", "tau-AP", "RBO"], rows)

    def recall(self, *, depth: int = 100, iou: float = 0.5, least_grade: float = 1.0) -> Table:
        """How much each run finds down to each rank: the mean share of a query's relevant moments.

        A moment is found by the first prediction that takes it, as in mAP; queries without relevant moments are left
        out.

        Args: iou: from which IoU on a moment is found. least_grade: the least relevant grade.
        Raises: EvaluationError if no query has a relevant moment.

        >>> truth = {"q1": [("v", 0, 9, 3), ("w", 0, 9, 1)]}
        >>> scores = score(truth, {"mine": {"q1": [("v", 0, 8), ("v", 0, 9), ("w", 0, 9)]}}, ["R@1,IoU>0.5"])
        >>> print(scores.recall(depth=3).columns())
        rank    mine
        1     0.5000
        2     0.5000
        3     1.0000
        """
        relevant = self.truth.count_per_query(self.truth.relevant(least_grade))
        if not relevant.any():
            raise EvaluationError(f"{self.truth.name} has no moment of grade {least_grade:g} or more")
        columns = []
        for run in self.runs:
            found = np.zeros((len(self.truth), depth))
            for part in align(self.truth, run, depth=depth):
                taking, _ = part.taken(Threshold(iou, strict=False), least_grade)
                np.add.at(found, (part.query[taking] + part.first_query, part.rank[taking]), 1)
            shares = np.cumsum(found, axis=1)[relevant > 0] / relevant[relevant > 0][:, None]
            columns.append(shares.mean(axis=0).tolist())
        rows = [[str(rank), *shares] for rank, *shares in zip(range(1, depth + 1), *columns, strict=True)]
        sentence = (
            f"Share of a query's relevant moments (grade {least_grade:g} or more, IoU >= {iou:g}), mean of queries"
        )
        return Table("Found by rank", sentence, ["rank", *(run.name for run in self.runs)], rows)

    def plot(
        self,
        what: Literal["scores", "differences", "recall"] = "scores",
        *,
        measure: str = "",
        runs: Sequence[str] = (),
        depth: int = 100,
        iou: float = 0.5,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw with matplotlib.

        Args:
            what: ``scores`` of the runs with their 95 % bootstrap intervals; ``differences`` of two runs, query by
                query, the greatest first; ``recall``, see there, with `depth` and `iou`.
            measure: of scores and differences, one of `measures` (the first).
            runs: the names of those that are drawn (all; of differences the first two). ax: where (a new figure).
        Raises: EvaluationError if matplotlib isn't installed, or there is no such run or measure.
        """
        from ..notebook import plots

        axes = plots.new_axes() if ax is None else ax
        chosen = self.only(runs) if runs else self
        if what == "recall":
            return plots.recall(axes, chosen.recall(depth=depth, iou=iou), title=f"IoU >= {iou:g}")
        kept = with_values(chosen.records, measure or self.measures[0])
        if what == "scores":
            return plots.scores(axes, table_of_records(kept))
        if what == "differences":
            if len(kept) < 2:
                raise EvaluationError(f"differences need two runs, found {len(kept)}")
            return plots.differences(axes, *kept[:2])
        raise EvaluationError(f"{what!r} can't be drawn; there are {', '.join(PLOTS)}")

    def report(
        self,
        path: str | PathLike[str],
        release: Release | None = None,
        *,
        measure: str = "",
        by: Sequence[str] = (),
        queries: int = 100,
        depth: int = 10,
        draws: int = 10_000,
        seed: int = 0,
        stage: Stage = untold,
    ) -> None:
        """Write a page of HTML that shows query by query what runs found: one file, which needs no network.

        Each measure has its intervals and comparison, and means by language where queries are in several.

        Args:
            release: that the truth is from; without it the page has no captions, and the paper's words for grades.
            measure: by which queries are told apart, one of `measures` (the usual one, or the first).
            by: more groups of queries, see `by`. queries: how many are shown whole, those with the largest differences.
            depth: how many predictions of each run are shown of these. draws, seed: of intervals and tests. stage: told
                how far it is.
        Raises: EvaluationError if the measure has no values per query, a run has no times, or runs are too many;
            OSError if the file can't be written.

        >>> from tempfile import mkdtemp
        >>> scores = score({"q1": [("v", 0, 9, 3)]}, {"mine": {"q1": [("v", 0, 8)]}}, ["R@1,IoU>0.5"])
        >>> scores.report(Path(mkdtemp()) / "report.html", draws=100)
        """
        usual = usual_measure(self.truth)
        chosen = measure or (usual if usual in self.measures else self.measures[0])
        told = told_of(self.truth, release, measure=chosen, queries=queries, depth=depth)
        part = QueryPart(self.truth, self.runs, self.records, told)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EvaluationWarning)  # they are on the page already
            names = dict.fromkeys([chosen, *compared_measures(self.records)])
            advance, standings = stage("Measures", len(names), "measures"), {}
            for name in names:
                standings[name] = self._of([name]).standings(draws=draws, seed=seed)
                advance(1)
            compared = self._of([*names])
            further = [compared.compare(draws=draws, seed=seed)] if len(self.runs) > 1 else []
            several = len({*self.truth.fact("language").values()}) > 1 and "language" not in by
            further += [replace(compared.by(own), sentence="") for own in [*["language"] * several, *by]]
        advance = stage("Queries", part.shown, "queries")
        page = report_page(
            part, told, scores=self, standings=standings, further=further, warnings=self.warnings, advance=advance
        )
        Path(path).write_bytes(page.encode("utf-8", "replace"))

    def only(self, runs: Sequence[str]) -> Scores:
        """The scores of these runs, in this order. Raises: EvaluationError if there is no such run.

        >>> scores = score({"q1": [("v", 0, 9, 3)]}, {"mine": {"q1": []}, "other": {"q1": [("v", 0, 9)]}}, "AxIoU@1")
        >>> scores.only(["other"]).dicts()
        [{'run': 'other', 'AxIoU@1': 1.0}]
        """
        by_name = {run.name: run for run in self.runs}
        if missing := [name for name in runs if name not in by_name]:
            raise EvaluationError(f"found no run {missing[0]!r}, expected one of these: {', '.join(by_name)}")
        kept = [record for name in runs for record in self.records if record.run == name]
        return scores_of(self.truth, [by_name[name] for name in runs], kept, self.convention)

    def _of(self, measures: Sequence[str]) -> Scores:
        """The scores by these measures, in this order."""
        kept = [record for name in measures for record in with_values(self.records, name)]
        return scores_of(self.truth, self.runs, kept, self.convention)

    def _standings(self, significant: float, draws: int, seed: int) -> dict[str, Standings]:
        scores = table_of_records(self.records)
        return {
            measure: stand(values.T, scores.systems, draws=draws, seed=seed, significant=significant)
            for measure, values in zip(scores.measures, scores.values, strict=True)
        }


def score(
    truth: TruthGiven | Release,
    runs: RunsGiven,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    convention: Convention | str = PAPER,
) -> Scores:
    """Score runs against a ground truth.

    Args:
        truth: a file's path, a `GroundTruth`, a data frame, moments by query or records (see `truth_of`), or a release
            of one split.
        runs: a run or several, each a path, a `Run`, a data frame, predictions by query or records; or a dict of them
            by name (see `runs_of`).
        measures: as written or as objects; without any those of TVR-Ranking, or AxIoU's twelve if every query has one
            moment of grade 1.
        convention: ``paper`` or ``released``.
    Warns: EvaluationWarning of what a user would want to know, such as scores that tie across a measure's cutoff.
    Raises: InputError for what can't be read, naming file and place; EvaluationError as `evaluate`.

    >>> truth = {"q1": [("castle_s01", 9.0, 12.25, 3), ("castle_s02", 0.0, 4.0, 1)]}
    >>> mine = {"q1": [("castle_s01", 9.0, 12.0), ("ship_s01", 3.0, 6.0)]}
    >>> score(truth, {"mine": mine}, ["NDCG@20,IoU>=0.5", "R@5,IoU>0.7"])
    ground truth
    ------------
    1 query, 2 judged moments
    as paper: gain = grade, IoU boundary as written, mean over all queries (without predictions: 0)
    measure             mine
    NDCG@20,IoU>=0.5  0.8262
    R@5,IoU>0.7       1.0000
    """
    judged = truth.truth() if isinstance(truth, Release) else truth_of(truth)
    given = runs_of(runs, judged)
    rule = convention_named(convention) if isinstance(convention, str) else convention
    chosen = [measures] if isinstance(measures, str | Measure) else measures or usual_measures(judged)
    parsed = {str(each): parse_measure(each) if isinstance(each, str) else each for each in chosen}
    records = evaluate(judged, given, list(dict.fromkeys(chosen)), convention=rule)
    _warn(warnings_about(judged, given, list(parsed.values()), records))
    return scores_of(judged, given, records, rule)


def _warn(texts: Iterable[str]) -> None:
    """Warn whoever called the function that calls this one."""
    for text in texts:
        warnings.warn(text, EvaluationWarning, stacklevel=3)


def scores_of(truth: GroundTruth, runs: Sequence[Run], records: Sequence[Record], convention: Convention) -> Scores:
    """The scores of records that are there already."""
    sentence = f"{counted(len(truth), 'query')}, {counted(len(truth.grade), 'judged moment')}"
    sentence += f"\nas {convention.name}: {convention.description}"
    head, rows = cells_of_runs(records)
    return Scores(
        truth.name, sentence, head, rows, truth=truth, runs=tuple(runs), records=tuple(records), convention=convention
    )
