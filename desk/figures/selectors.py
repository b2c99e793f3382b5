"""The figures of a collection, counted now or as they were kept."""

from annotation.agreement.paper_figure_counts import NAME, appendix_from
from annotation.people.annotator_model_figures import decided_pairs
from annotation.precomputed import Result, computed_or_ask
from annotation.studies.selectors import depth_study_of
from desk.figures.catalogue import Figure, figures
from desk.figures.depth import depth_figures
from foundation.models import Collection


def counted(collection: Collection) -> tuple[Result, bool]:
    """What the figures are made from, and whether anything is judged."""
    result = computed_or_ask(collection=collection, name=NAME)
    if _has_judgments(result):
        return result, True
    judged = bool(decided_pairs(collection))
    if judged and result.as_of is not None and not result.running:
        # Computed before the first decision: not left until it is stale.
        result = computed_or_ask(collection=collection, name=NAME, anew=True)
    return result, judged


def _has_judgments(result: Result) -> bool:
    """Whether a result counts any pair; True while there is none yet."""
    return result.value is None or any(any(row) for row in result.value["lowest_highest"])


def figures_of(collection: Collection, result: Result) -> list[Figure]:
    """All figures; a depth study's first, computed now since they are of few pairs."""
    study = depth_study_of(collection)
    of_depth = depth_figures(study) if study is not None else []
    return of_depth + (figures(appendix_from(result.value)) if result.value is not None else [])
