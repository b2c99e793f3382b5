"""`machine_judgments.csv`: what machine judges said of val and test moments, where a lead has it released.

It stands beside the ground truth and is none: no other file of a release has a machine's grade.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.db.models import Count, QuerySet

from annotation.models import MachineJudge, MachineJudgment
from datasets.content.public_names import public_name
from datasets.content.splits import ROWS_AT_ONCE, SPLITS, Splits, public_query_id
from datasets.formats.further_files import FURTHER_TABLES
from datasets.formats.material import create_csv, to_json
from foundation.models import Collection
from queries.pooling.query_columns import query_source_id

TABLE = FURTHER_TABLES["machine_judgments"]


def write_machine_judgments(splits: Splits, judges: Sequence[str], folder: Path) -> None:
    """Write a row for each judgment of a moment that is a candidate of a val or test query, by query in the order of
    the draw, rank, and as judges were declared.

    `pair_id` is empty where people weren't given the moment. `timestamp` and `distribution` are JSON lists; the
    latter is empty where the judge told none, `grade` where it abstained.
    """
    declared = {judge.pk: judge for judge in _judges(splits.collection, judges)}
    with create_csv(folder / TABLE.file, list(TABLE.columns)) as writer:
        for split in SPLITS:
            rows = MachineJudgment.objects.filter(
                judge__in=declared, candidate__query__collection=splits.collection, candidate__query__split=split
            ).order_by("candidate__query__position", "candidate__rank", "judge_id")
            columns = rows.values_list(
                *(query_source_id("candidate__query__"), "candidate__pair__pk", "candidate__moment_id", "judge_id"),
                *("grade", "distribution", "abstained"),
            )
            for source_id, pair, moment, own, grade, distribution, abstained in columns.iterator(ROWS_AT_ONCE):
                place, judge = splits.places[moment], declared[own]
                writer.writerow(
                    (
                        *(public_query_id(source_id), "" if pair is None else pair, place.video_name),
                        *(to_json(list(place.timestamp)), judge.name, public_name(judge.model), judge.version),
                        *(judge.family, judge.prompt_version, "" if judge.guideline is None else judge.guideline),
                        *(judge.kind, "" if grade is None else grade),
                        *("" if distribution is None else to_json(distribution), abstained),
                    )
                )


def describe_machine_judgments(collection: Collection, judges: Sequence[str]) -> dict[str, Any]:
    """The manifest's `machine_judgments`: the file, and each judge as it was declared, with how many moments of either
    split it graded and at how many it abstained."""
    rows = MachineJudgment.objects.filter(judge__in=_judges(collection, judges))
    counted = rows.values_list("judge_id", "candidate__query__split").annotate(Count("grade"), Count("pk")).order_by()
    counts = {(judge, split): (grades, every - grades) for judge, split, grades, every in counted}
    told = []
    for judge in _judges(collection, judges):
        own = {split: counts.get((judge.pk, split), (0, 0)) for split in SPLITS}
        declared = ("name", "version", "family", "prompt_version", "guideline", "frames")
        told.append(
            {name: getattr(judge, name) for name in declared}
            | {"model": public_name(judge.model), "origin": judge.kind, "declared": f"{judge.declared_at:%Y-%m-%d}"}
            | {"parameters": {name: value for name, value in judge.parameters.items() if not _is_address(value)}}
            | {"graded": {split: grades for split, (grades, _) in own.items()}}
            | {"abstained": {split: abstained for split, (_, abstained) in own.items()}}
        )
    return {"file": TABLE.file, "judges": told}


def _judges(collection: Collection, names: Sequence[str]) -> QuerySet[MachineJudge]:
    return MachineJudge.objects.filter(collection=collection, name__in=names).order_by("pk")


def _is_address(value: object) -> bool:
    """Whether a parameter has the address of a server, which is nobody's business."""
    return "://" in json.dumps(value)
