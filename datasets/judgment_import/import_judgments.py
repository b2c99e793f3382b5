"""Import judgments made elsewhere, through the collection's consensus rule."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.db import transaction

from annotation.batches.missing_clips import ask_for_missing_clips
from annotation.batches.transitions import rule_of
from corpus.description_formats.rows import BadFile, BadRow, Problem
from datasets.judgment_import import qrels
from datasets.judgment_import import store as judgment_storing
from datasets.judgment_import.formats import FORMATS, guess_format, refuse_binary
from datasets.judgment_import.label_studio import place_in_words
from datasets.judgment_import.staging_tables import (
    Conflicts,
    conflicts_inside,
    conflicts_meanwhile,
    conflicts_outside,
    meet_collection,
    rows_of,
    stage,
)
from foundation.counted import counted
from foundation.infra.advisory_lock import hold_descriptions
from foundation.models import Collection


@dataclass(frozen=True, slots=True)
class JudgmentReport:
    """What an import did, in judgments; `states` are those of the pairs that got some, the rest counts what is new.

    `each`: as how many judgments a line was taken. `unjudged`: lines passed over, since they say so of themselves.
    """

    added: int
    unchanged: int
    queries: int
    pairs: int
    workers: int
    states: dict[str, int]
    each: int = 1
    unjudged: int = 0

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
        if self.each > 1:
            sentences.append(
                f"Each grade is {self.each} equal judgments, by {qrels.WORKER}1 to {qrels.WORKER}{self.each}: "
                "agreement figures count them."
            )
        if self.unjudged:
            lines = counted(self.unjudged, "line says", "lines say")
            were = "was" if self.unjudged == 1 else "were"
            sentences.append(f"{lines} {qrels.UNJUDGED}, not judged, and {were} passed over.")
        return sentences


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
    progress: Callable[[int], None] = lambda rows: None,
    step: Callable[[str], None] = lambda name: None,
) -> JudgmentReport:
    """Import a file of judgments whole or not at all. Importing the same file again changes nothing.

    Pairs are matched by query (normalised text) and moment (video, start, end). Where the collection has no such
    query it is made, with what it needs: videos, moments, descriptions with accepted captions, candidates ranked by
    similarity, batches and pairs; so is what a query without candidates lacks. A query that has candidates takes
    judgments of these alone. Workers become members without account; a judgment of a pair follows those that are
    stored, in file order, and counts as the collection's rule says. Qrels have no texts: their queries and moments are
    the collection's (`qrels.read_qrels`), and a grade that a pair has already is unchanged, whoever gave it.

    Faults of single rows, and rows that speak against each other, are reported together; what doesn't go with the
    collection or the rule only when there are none of those, since one row less would make others look wrong.

    Args:
        collection: takes the judgments.
        path: the file; a Label Studio export has at most `label_studio.LARGEST`.
        format_name: a key of `FORMATS`; empty: guessed from the content.
        split: val or test, for queries that the collection doesn't have.
        ratings: what Label Studio's ratings are: 1-5 or 0-4.
        progress: called with the number of rows read since the last call.
        step: called with what is being done after that, a few times.

    Raises:
        BadFile: naming the first ten problems with line, found and expected, and how many there are.
        Busy: nothing was imported, since another import or a draw of queries is under way.
        KeyError: if there is no such format or kind of ratings.
    """
    problems: list[Problem] = []
    total, unjudged = 0, 0

    def report(problem: Problem) -> None:
        nonlocal total
        total += 1
        if len(problems) < BadFile.SHOWN:
            problems.append(problem)

    def pass_over() -> None:
        nonlocal unjudged
        unjudged += 1

    try:
        refuse_binary(path)
        format_name = format_name or guess_format(path)
    except BadRow as bad:
        raise BadFile([bad.at(path.name, 1)], 1) from bad
    rule = rule_of(collection)
    tasks: dict[int, object] = {}
    read = FORMATS[format_name]
    if format_name == "label-studio":
        read = partial(read, ratings=ratings, tasks=tasks)
    of_qrels = format_name == "trec"
    if of_qrels:
        texts = qrels.query_texts(collection)
        videos = set(collection.videos.values_list("name", flat=True))
        read = partial(read, queries=texts, videos=videos, judgments=rule.first_round, unjudged=pass_over)
    each = rule.first_round if of_qrels else 1
    hold_descriptions(collection)
    rows = read(path, top_grade=rule.top_grade, end_slack=collection.end_slack, report=report)
    count = stage(rows, progress)
    step("comparing its rows")
    _raise_any(problems, total, conflicts_inside(path.name), tasks)
    if not count:
        raise BadFile([Problem(path.name, 1, "file", "no judgment", "one or more")], 1)
    step("comparing with the collection")
    parameters = judgment_storing.parameters_of(collection, split)
    settled = meet_collection(parameters, rule, qrels.SETTLED if of_qrels else "")
    _raise_any([], 0, conflicts_outside(path.name, parameters, qrels.REFUSED if of_qrels else ""), tasks)
    ((unchanged, added),) = rows_of("SELECT count(stored), count(*) - count(stored) FROM fresh", {})
    unchanged += settled
    if not added:
        return JudgmentReport(0, unchanged, 0, 0, 0, {}, each, unjudged)
    if of_qrels:
        qrels.store_candidates(parameters)
    stored = judgment_storing.store(collection, parameters, rule, step)
    transaction.on_commit(partial(ask_for_missing_clips, collection=collection))
    _raise_any([], 0, conflicts_meanwhile(path.name, parameters), tasks)
    step("")
    return JudgmentReport(added, unchanged, stored.queries, stored.pairs, stored.workers, stored.states, each, unjudged)


def _raise_any(problems: list[Problem], total: int, conflicts: Conflicts, tasks: Mapping[int, object]) -> None:
    """Raises: BadFile if there is any problem. With `tasks` the numbers of rows are those of records, not of lines."""
    if total + conflicts.total:
        at_odds = [_of_record(problem, tasks) if tasks else problem for problem in conflicts]
        raise BadFile(sorted([*problems, *at_odds], key=lambda problem: problem.line), total + conflicts.total)


def _of_record(problem: Problem, tasks: Mapping[int, object]) -> Problem:
    expected = re.sub(r"\bline (\d+)", r"record \1", problem.expected)
    return problem._replace(line=0, entry=place_in_words(problem.line, tasks), expected=expected)
