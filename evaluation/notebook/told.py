"""What a report tells beside scores: a release's captions and words of grades, and the texts of queries."""

from __future__ import annotations

from ..errors import EvaluationError
from ..moments.ground_truth import GroundTruth
from ..releases.release import Release, words_of_grades
from ..report.queries import Told


def told_of(truth: GroundTruth, release: Release | None, *, measure: str, queries: int, depth: int) -> Told:
    """Of a ground truth, and of the release that it is from, if there is one.

    Raises: EvaluationError if the release has no such ground truth.
    """
    manifest = release.manifest if release else {}
    split = _split_of(truth, release) if release else ""
    match manifest.get("scale"):
        case {"top": int(top)}:
            pass
        case _:
            top = 0
    top_grade = max(float(top), float(truth.grade.max(initial=0.0)))
    digest = manifest.get("digest")
    return Told(
        title=f"{release.name}, {split}" if release else truth.name,
        about=[f"Digest of the release: {digest}"] if isinstance(digest, str) else [],
        measure=measure,
        texts=truth.fact("text"),
        captions=release.captions(split) if release else {},
        words=words_of_grades(manifest, top_grade),
        top_grade=top_grade,
        queries=queries,
        depth=depth,
    )


def _split_of(truth: GroundTruth, release: Release) -> str:
    own = [split for split in release.splits if release.truth(split).query_ids == truth.query_ids]
    if not own:
        raise EvaluationError(f"{release.name}: found no split with the queries of {truth.name}, expected one")
    return own[0]
