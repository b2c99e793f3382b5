"""Import judgments made elsewhere, through the collection's consensus rule."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from django.db import transaction

from annotation.batches.missing_clips import ask_for_missing_clips
from annotation.batches.transitions import design_of, rule_of
from annotation.consensus import Rule
from annotation.scale import scale_of
from corpus.description_formats.rows import BadFile, BadRow, Problem
from datasets.judgment_import import qrels
from datasets.judgment_import import store as judgment_storing
from datasets.judgment_import.formats import guess_format, refuse_binary
from datasets.judgment_import.pair_data import fill_in
from datasets.judgment_import.readers import ReadJudgment, read_judgments, read_pairs
from datasets.judgment_import.repeated_ids import REFUSE, apply_policy, arrange
from datasets.judgment_import.staging_tables import (
    Conflicts,
    apply_rule,
    conflicts_inside,
    conflicts_meanwhile,
    conflicts_outside,
    meet_collection,
    number,
    rows_of,
    stage,
)
from evaluation.reading.judgment_rows import UNJUDGED
from foundation.counted import counted
from foundation.infra.advisory_lock import hold_descriptions
from foundation.models import Collection

NAMED = 5
"""How many pairs a report names."""


@dataclass(frozen=True, slots=True)
class JudgmentReport:
    """What an import did, in judgments; `states` are those of the pairs that got some, the rest counts what is new.

    `each`: as how many judgments a line was taken. `unjudged`: lines passed over, since they say so of themselves.
    `lacking`: pairs that got judgments and need more; `without_grade`: pairs passed over, since the files of pairs
    don't have them and the rule gives them no grade; of both the first are `named`. `repeated`: judgments that the
    policy for repeated ids concerned; `left_out`: judgments that the rule doesn't look at. `pairs_files`: the names of
    the files of pairs.
    """

    added: int
    unchanged: int
    queries: int = 0
    pairs: int = 0
    workers: int = 0
    states: dict[str, int] = field(default_factory=dict)
    each: int = 1
    unjudged: int = 0
    lacking: int = 0
    without_grade: int = 0
    named: dict[str, list[str]] = field(default_factory=dict)
    repeated_ids: str = REFUSE
    repeated: int = 0
    left_out: int = 0
    pairs_files: list[str] = field(default_factory=list)

    @property
    def sentences(self) -> list[str]:
        """The report in words: what was added, and what became of the pairs, if any got a judgment."""
        sentences = [
            f"{counted(self.added, 'judgment')} added, {self.unchanged:,} unchanged; "
            f"{counted(self.queries, 'new query', 'new queries')}, {counted(self.pairs, 'new pair')}, "
            f"{counted(self.workers, 'new worker')}."
        ]
        if self.added:
            states = ", ".join(f"{self.states.get(state, 0):,} {name}" for state, name in _STATES)
            sentences.append(f"Of the pairs that got judgments {states}.")
        if self.lacking:
            sentences.append(
                f"{counted(self.lacking, 'pair needs', 'pairs need')} more judgments: {self._named('lacking')}."
            )
        if self.without_grade:
            named = f"in none of the files of pairs, passed over: {self._named('without_grade')}."
            sentences.append(f"{counted(self.without_grade, 'pair')} without a grade by the rule, {named}")
        if self.repeated:
            sentences.append(_POLICY[self.repeated_ids].format(judgments=counted(self.repeated, "judgment")))
        if self.left_out:
            sentences.append(f"{counted(self.left_out, 'judgment')} left out, since the pair is decided without.")
        if self.each > 1:
            sentences.append(
                f"Each grade is {self.each} equal judgments, by {qrels.WORKER}1 to {qrels.WORKER}{self.each}: "
                "agreement figures count them."
            )
        if self.unjudged:
            lines = counted(self.unjudged, "line says", "lines say")
            were = "was" if self.unjudged == 1 else "were"
            sentences.append(f"{lines} {UNJUDGED}, not judged, and {were} passed over.")
        if self.pairs_files:
            sentences.append(f"What the pairs are about was read from {', '.join(self.pairs_files)}.")
        return sentences

    def _named(self, what: str) -> str:
        names, total = self.named[what], getattr(self, what)
        return ", ".join(names) + (f" and {total - len(names):,} more" if total > len(names) else "")


_POLICY = {
    "as-published": "{judgments} by an id that had judged the pair already, kept as those of ID+2 and so on.",
    "first": "{judgments} left out, since their id had judged the pair already.",
    "last": "{judgments} left out, since their id judges the pair again.",
}
_STATES = (
    ("consensus", "graded"),
    ("discarded", "discarded"),
    ("disputed", "in the second round"),
    ("open", "in the first round"),
)


@transaction.atomic
def import_judgments(
    *,
    collection: Collection,
    path: Path,
    format_name: str = "",
    split: str = "test",
    ratings: str = "1-5",
    grade_table: Mapping[str, int] | None = None,
    pairs: Sequence[Path] = (),
    repeated_ids: str = REFUSE,
    progress: Callable[[int], None] = lambda rows: None,
    step: Callable[[str], None] = lambda name: None,
) -> JudgmentReport:
    """Import a file of judgments whole or not at all. Importing the same file again changes nothing.

    Pairs are matched by query (normalised text) and moment (video, start, end). Where the collection has no such
    query it is made, with what it needs: videos, moments, descriptions with accepted captions, candidates ranked by
    similarity, batches and pairs; so is what a query without candidates lacks. A query that has candidates takes
    judgments of these alone. Workers become members without account; a judgment of a pair follows those that are
    stored, in file order, and counts as the collection's rule says. Qrels have no texts: their queries and moments are
    the collection's (`qrels.read_qrels`), and a grade that a pair has already is unchanged, whoever gave it, unless the
    file names several assessors. Rows that say no more of their pair than its id are about what `pairs` says, or about
    the collection's own pairs of these ids (`pair_data`).

    Faults of the files of pairs are reported alone: what these don't say would make good judgments look wrong.
    Faults of single rows, and rows that speak against each other, are reported together; what doesn't go with the
    collection or the rule only when there are none of those, since one row less would make others look wrong.

    Args:
        collection: takes the judgments.
        path: the file; one of JSON has at most `readers.LARGEST`.
        format_name: one of `judgment_rows.FORMATS`; empty: guessed from the content.
        split: val or test, for queries that the collection doesn't have.
        ratings: what Label Studio's ratings are: 1-5 or 0-4.
        grade_table: what the file's grades are on the collection's scale (`grade_scale.table_in`); None: they are its.
        pairs: files that say what pairs are about: a release's val.json and test.json, or CSV.
        repeated_ids: what becomes of an id that stands more than once at a pair, one of `repeated_ids.POLICIES`.
        progress: called with the number of rows read since the last call.
        step: called with what is being done after that, a few times.

    Raises:
        BadFile: naming the first ten problems with line, found and expected, and how many there are.
        Busy: nothing was imported, since another import or a draw of queries is under way.
        KeyError: if there is no such kind of ratings.
    """
    if design_of(collection) is not None:
        expected = "a collection without one: what is judged there was drawn, and this would be judged beside it"
        raise BadFile([Problem(path.name, 1, "file", "judgments for a collection with a sampling design", expected)], 1)
    reading = _Reading(collection, path, list(pairs), grade_table)
    rule, name = reading.rule, path.name
    hold_descriptions(collection)
    count = stage(reading.rows(format_name, ratings), progress)
    parameters = judgment_storing.parameters_of(collection, split)
    if pairs:
        step("reading the pairs")
    told = read_pairs(pairs, end_slack=collection.end_slack, report=reading.of_pairs.report)
    unknown = fill_in(name, parameters, rule, pairs, told, progress)
    reading.of_pairs.raise_any()
    for problem in unknown.problems:
        reading.report(problem)
    step("comparing its rows")
    number()
    repeated, taken = apply_policy(repeated_ids, name)
    reading.raise_any(taken, conflicts_inside(name))
    if not count:
        raise BadFile([Problem(name, 1, "file", "no judgment", "one or more")], 1)
    step("comparing with the collection")
    settled = meet_collection(parameters, reading.settled)
    left_out = arrange(rule) if repeated_ids != REFUSE else 0
    apply_rule(rule, any_order=repeated_ids != REFUSE)
    reading.raise_any(conflicts_outside(name, parameters, reading.refused))
    ((unchanged, added),) = rows_of("SELECT count(stored), count(*) - count(stored) FROM fresh", {})
    report = partial(
        JudgmentReport,
        added,
        unchanged + settled,
        each=reading.each,
        unjudged=reading.unjudged,
        without_grade=len(unknown.without_grade),
        repeated_ids=repeated_ids,
        repeated=repeated,
        left_out=left_out,
        pairs_files=[file.name for file in pairs],
    )
    named = {"without_grade": unknown.without_grade[:NAMED]}
    if not added:
        return report(named=named)
    if reading.of_qrels:
        qrels.store_candidates(parameters)
    lacking = rows_of(_LACKING, {"shown": NAMED})
    stored = judgment_storing.store(collection, parameters, rule, step)
    transaction.on_commit(partial(ask_for_missing_clips, collection=collection))
    reading.raise_any(conflicts_meanwhile(name, parameters))
    step("")
    return report(
        queries=stored.queries,
        pairs=stored.pairs,
        workers=stored.workers,
        states=stored.states,
        lacking=lacking[0][1] if lacking else 0,
        named={**named, "lacking": [pair for pair, _ in lacking]},
    )


_LACKING = """
SELECT coalesce(nullif(max(n.pair_name), ''), max(m.video_name || '@' || m.start || '-' || m."end")),
       count(*) OVER ()
  FROM sequence s JOIN outcome o ON (o.before, o.added) = (s.before, s.added) AND o.status IN ('open', 'disputed')
  JOIN file_pair p ON p.no = s.pair_no JOIN file_moment m ON m.no = p.moment_no
  JOIN numbered n ON n.pair_no = s.pair_no
 GROUP BY s.pair_no ORDER BY s.pair_no LIMIT %(shown)s"""


class _Problems:
    """The problems found so far: the first ones, and how many there are."""

    def __init__(self) -> None:
        self._first: list[Problem] = []
        self._total = 0

    def report(self, problem: Problem) -> None:
        """Take a problem of a row."""
        self._total += 1
        if len(self._first) < BadFile.SHOWN:
            self._first.append(problem)

    def raise_any(self, *conflicts: Conflicts) -> None:
        """Raises: BadFile if there is any problem."""
        total = self._total + sum(one.total for one in conflicts)
        if total:
            at_odds = [self._of_record(problem) for one in conflicts for problem in one]
            raise BadFile(sorted([*self._first, *at_odds], key=lambda problem: problem.line), total)

    def _of_record(self, problem: Problem) -> Problem:
        return problem


class _Reading(_Problems):
    """The files of an import as they are read, and the problems of the file of judgments."""

    def __init__(
        self, collection: Collection, path: Path, pairs: list[Path], grade_table: Mapping[str, int] | None
    ) -> None:
        super().__init__()
        self.of_pairs = _Problems()
        self.rule: Rule = rule_of(collection)
        self.unjudged, self.each = 0, 1
        self.of_qrels, self.settled, self.refused = False, "", ""
        self._collection, self._path, self._pairs = collection, path, pairs
        self._scale = replace(scale_of(collection).numbers, table=grade_table)
        self._entries: dict[int, str] = {}

    def rows(self, format_name: str, ratings: str) -> Iterator[ReadJudgment]:
        """The rows of the file of judgments. Raises: BadFile."""
        for file in (self._path, *self._pairs):
            try:
                refuse_binary(file)
                if file == self._path:
                    format_name = format_name or guess_format(file)
            except BadRow as bad:
                raise BadFile([bad.at(file.name, 1)], 1) from bad
        if format_name == "trec":
            return self._qrels()
        return read_judgments(
            self._path,
            format_name=format_name,
            scale=self._scale,
            end_slack=self._collection.end_slack,
            report=self.report,
            ratings=ratings,
            entries=self._entries,
            by_pair_id=bool(self._pairs),
        )

    def _qrels(self) -> Iterator[ReadJudgment]:
        texts = qrels.query_texts(self._collection)
        videos = set(self._collection.videos.values_list("name", flat=True))
        try:
            ids = qrels.read_ids_of(self._path, texts, videos)
        except BadRow as bad:
            raise BadFile([bad.at(self._path.name, 0)], 1) from bad
        self.of_qrels, self.refused = True, qrels.REFUSED_OF_ASSESSORS
        if not ids.several:
            self.each, self.settled, self.refused = self.rule.first_round, qrels.SETTLED, qrels.REFUSED
        return qrels.read_qrels(
            self._path,
            scale=self._scale,
            report=self.report,
            ids=ids,
            queries=texts,
            judgments=self.rule.first_round,
            unjudged=self._pass_over,
        )

    def _pass_over(self) -> None:
        self.unjudged += 1

    def _of_record(self, problem: Problem) -> Problem:
        # In JSON the numbers of rows are those of records, not of lines.
        if not self._entries:
            return problem
        expected = re.sub(r"\bline (\d+)", r"record \1", problem.expected)
        return problem._replace(line=0, entry=self._entries[problem.line], expected=expected)
