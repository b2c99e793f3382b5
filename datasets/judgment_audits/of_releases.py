"""The audit of a release, by its raw judgments alone: they don't change, so it is computed once and kept."""

from annotation.precomputed import Result, computed_or_ask, refresh_computed
from datasets.judgment_audits.jobs import MOST_OPEN
from datasets.models import Release
from datasets.releases.file_cache import file_on_disk
from evaluation.errors import EvaluationError
from evaluation.judgments.audit import Told, audit
from evaluation.judgments.consensus import Rule
from evaluation.reading.judgments import read_judgments
from foundation.models import Collection
from foundation.refused import Refused

NAME = "release-audit"
RAW = "raw_annotations.csv"
AT_ONCE_BELOW = 5_000
"""Up to so many pairs and training queries, the page computes it."""


def audit_of_release(release: Release) -> Result:
    """The stored audit, computed now for a small release, and asked for where there is none yet."""
    collection, name = release.collection, f"{NAME}:{release.pk}"
    stored = collection.computed.filter(name=name).exclude(as_of=None)
    if release.size_in_rows < AT_ONCE_BELOW and not stored.exists():
        refresh_computed(collection=collection, name=name)
    return computed_or_ask(collection=collection, name=name)


def compute_audit(collection: Collection, which: str) -> Told:
    """The audit of the collection's release of this number, by the rule that its manifest states.

    Raises: Release.DoesNotExist; Refused if it has no raw judgments, or its archive is missing or damaged.
    """
    release = collection.releases.get(pk=int(which))
    with file_on_disk(release, RAW) as path:
        rule = Rule.of(release.manifest["settings"]["consensus"])
        try:
            return audit(read_judgments(path, top_grade=rule.top_grade), rule=rule, most_open=MOST_OPEN)
        except EvaluationError as fault:
            raise Refused(str(fault).replace(str(path), RAW)) from fault
