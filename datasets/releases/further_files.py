"""Files that a release has beside those of its formats where a lead asks for them, or the collection has what they say:
how near training comes to queries, why pairs are in the pool, what moments are called elsewhere, what machine judges
said, how the judged pairs were drawn, what annotators agreed to, who they were and what they answered beside their
grades, how likely a grade is, and what judgments and captions come from.

None of them is ground truth: no other file of a release is read from them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from annotation.batches.transitions import design_of
from datasets.content.splits import Splits
from datasets.content.training import Training
from datasets.releases.annotators_csv import describe_consent, describe_survey, write_consent, write_survey
from datasets.releases.asked import Asked, refuse_unknown_judges
from datasets.releases.evidence_used_csv import describe_evidence_used, write_evidence_used
from datasets.releases.factors_csv import describe_factors, write_factors
from datasets.releases.leakage_csv import describe_leakage, write_leakage
from datasets.releases.machine_judgments_csv import describe_machine_judgments, write_machine_judgments
from datasets.releases.moment_ids_csv import describe_moment_ids, write_moment_ids
from datasets.releases.origins_csv import (
    describe_caption_origins,
    describe_judgment_origins,
    write_caption_origins,
    write_judgment_origins,
)
from datasets.releases.pool_csv import describe_pool, write_pool
from datasets.releases.posteriors_csv import describe_posteriors, posteriors_of, write_posteriors
from datasets.releases.query_media_csv import describe_query_media, write_query_media
from datasets.releases.sampling_csv import describe_sampling, write_sampling
from foundation.infra.progress import Stage


@dataclass(frozen=True, slots=True)
class FurtherFile:
    """A file to be written into a release's folder, and what its manifest says of it under a key."""

    key: str
    facts: Mapping[str, Any]
    write: Callable[[Path], None]


def further_files(splits: Splits, training: Training, asked: Asked, stage: Stage) -> Iterator[FurtherFile]:
    """The files that this release has. Raises: Refused where a machine judge is asked for that there isn't."""
    collection, judges, design = splits.collection, asked.machine_judges, design_of(splits.collection)
    refuse_unknown_judges(collection, judges)
    if (leakage := describe_leakage(splits, training)) is not None:
        yield FurtherFile("leakage", leakage, partial(write_leakage, splits, training))
    if (pool := describe_pool(collection)) is not None:
        yield FurtherFile("pool", pool, partial(write_pool, splits))
    if (media := describe_query_media(splits)) is not None:
        yield FurtherFile("query_media", media, partial(write_query_media, splits))
    if (named := describe_moment_ids(splits)) is not None:
        yield FurtherFile("moment_ids", named, partial(write_moment_ids, splits))
    if judges:
        said = describe_machine_judgments(collection, judges)
        yield FurtherFile("machine_judgments", said, partial(write_machine_judgments, splits, judges))
    if design is not None:
        yield FurtherFile("sampling", describe_sampling(design), partial(write_sampling, splits, design))
    if (factors := describe_factors(splits)) is not None:
        yield FurtherFile("factors", factors, partial(write_factors, splits))
    if (consent := describe_consent(collection)) is not None:
        yield FurtherFile("consent", consent, partial(write_consent, collection))
    if (survey := describe_survey(collection)) is not None:
        yield FurtherFile("survey", survey[0], partial(write_survey, survey[1]))
    if asked.posteriors:
        found = posteriors_of(splits, stage)
        yield FurtherFile("posteriors", describe_posteriors(found), partial(write_posteriors, found))
    if asked.provenance:
        yield FurtherFile(
            "judgment_origins", describe_judgment_origins(splits), partial(write_judgment_origins, splits)
        )
        yield FurtherFile("caption_origins", describe_caption_origins(splits), partial(write_caption_origins, splits))
    if (used := describe_evidence_used(splits)) is not None:
        yield FurtherFile("evidence_used", used, partial(write_evidence_used, splits))
