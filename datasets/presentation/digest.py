"""What a release's page tells from the release's own files: samples, agreement, and whether they name anybody.

It is computed from the archive's bytes, by a task if the release is large, and depends on nothing that is judged later.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from annotation.agreement.krippendorff import alpha_with_interval
from annotation.models import Computed
from annotation.precomputed import Result, computed_or_ask, refresh_computed
from datasets.content.splits import SPLITS
from datasets.formats.procedure import top_grade
from datasets.models import Release
from datasets.presentation.sample_choice import choose_samples
from datasets.publishing.identities import find_identities
from datasets.releases.archive import unreadable_is_damage
from datasets.releases.make_release import write_release
from evaluation.judgments.grade_classes import class_of, unit_of
from evaluation.releases.untrusted_files import read_records
from foundation.infra.scratch import scratch_folder
from foundation.models import Collection
from foundation.refused import Refused

NAME = "release-digest"
AT_ONCE_BELOW = 5_000
"""Up to so many pairs and training queries, a lead's request computes it."""


def digest_of(release: Release) -> dict[str, Any] | None:
    """The stored digest; None before there is one. Asks for nothing."""
    computed = Computed.objects.filter(collection=release.collection_id, name=_name(release)).first()
    return computed.value if computed is not None else None


def digest_or_ask(release: Release) -> Result:
    """The stored digest, computed now for a small release, and asked for where there is none yet."""
    if digest_of(release) is None and release.size_in_rows < AT_ONCE_BELOW:
        # What is wrong with its archive is kept, and told by the result.
        with suppress(Refused):
            refresh_computed(collection=release.collection, name=_name(release))
    return computed_or_ask(collection=release.collection, name=_name(release))


@unreadable_is_damage()
def compute_digest(collection: Collection, which: str) -> dict[str, Any]:
    """The digest of the collection's release of this number.

    Returns: `split` whose queries are the `samples` (`choose_samples`), "" without one; `agreement` (`agreement_in`) or
        None; `identities`, sentences of `find_identities`.
    Raises: Release.DoesNotExist; Refused if the archive is missing or damaged.
    """
    release = collection.releases.get(pk=int(which))
    with scratch_folder("release-digest") as scratch:
        folder = scratch / "files"
        write_release(release=release, folder=folder)
        split, records = _first_split(folder)
        wordless = _wordless(folder)
        raw = folder / "raw_annotations.csv"
        return {
            "split": split,
            "samples": choose_samples(one for one in records if str(one["query_id"]) not in wordless),
            "agreement": _read_agreement(raw, top_grade(release.manifest)) if raw.exists() else None,
            "identities": find_identities(folder, collection),
        }


def _first_split(folder: Path) -> tuple[str, list[dict[str, Any]]]:
    for split in SPLITS:
        path = folder / f"{split}.json"
        records = list(read_records(path)) if path.exists() else []
        if records:
            return split, records
    return "", []


def _wordless(folder: Path) -> set[str]:
    """Ids of queries whose text is a label: a picture, clip or sound stood instead of words, and the page has none."""
    path = folder / "query_media.csv"
    if not path.exists():
        return set()
    with path.open(encoding="utf-8", newline="") as file:
        return {row["query_id"] for row in csv.DictReader(file) if not row["words"]}


def _read_agreement(path: Path, top: int) -> dict[str, Any]:
    grades: dict[str, list[int]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            grades[row["pair_id"]].append(int(row["relevance"]))
    return agreement_in(grades.values(), top)


def agreement_in(pairs: Iterable[Sequence[int]], top: int = 4) -> dict[str, Any]:
    """Agreement over pairs, each with its grades in the order of judging.

    Returns: `pairs`, `judgments`, Krippendorff's ordinal `alpha` with `low` and `high` of its 95 % interval (None where
        undefined), and `equal` and `near`: the shares of pairs whose first two grades are equal, or near
        each other. Agreement and nearness are of classes of grades (`grade_classes`).

    >>> found = agreement_in([[2, 2], [0, 1], [4, 0, 3, 3]])
    >>> found["pairs"], found["judgments"], round(found["equal"], 2), round(found["near"], 2)
    (3, 8, 0.33, 0.67)
    """
    judged = [tuple(grades) for grades in pairs if len(grades) > 1]
    apart = [abs(grades[0] - grades[1]) for grades in judged]
    alpha = asdict(
        alpha_with_interval(Counter(tuple(sorted(class_of(grade, top) for grade in grades)) for grades in judged))
    )
    return alpha | {
        "equal": apart.count(0) / len(apart) if apart else None,
        "near": sum(difference <= unit_of(top) for difference in apart) / len(apart) if apart else None,
    }


def _name(release: Release) -> str:
    return f"{NAME}:{release.pk}"
