"""The recipe of a collection's pool as a setting: versions of it, which candidates keep."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from evaluation.errors import EvaluationError, shown
from evaluation.pooling.recipes import Depth, Recipe, Several, hears_grades, recipe_named
from foundation.models import Collection, Membership
from foundation.refused import Refused
from queries.models import Candidate, PoolPlan, QueryPool
from queries.pooling.candidates import in_use
from queries.pooling.run_plans import PAPER, hold_pool, is_part
from queries.runs.add_run import KEPT

IOU = 0.5
LEAST_GRADE = 1


@dataclass(frozen=True, slots=True)
class CheckedRecipe:
    """A recipe with its numbers, checked."""

    recipe: str
    iou: float = IOU
    least_grade: int = LEAST_GRADE
    by_itself: bool = True


def checked(
    collection: Collection, *, recipe: str, iou: float = IOU, least_grade: int = LEAST_GRADE, by_itself: bool = True
) -> CheckedRecipe:
    """The values as they would be stored. Raises: Refused."""
    name = "".join(recipe.lower().split())
    try:
        rule = recipe_named(name)
    except EvaluationError as error:
        raise Refused(f"{str(error)[:1].upper()}{str(error)[1:]}.", field="recipe") from error
    if len(name) > 200:
        raise Refused(_("Found %(recipe)s, expected at most 200 characters.") % {"recipe": shown(name)}, field="recipe")
    for part in rule.parts if isinstance(rule, Several) else (rule,):
        if isinstance(part, Depth) and part.depth is not None and part.depth > KEPT:
            raise Refused(
                _("Found %(part)s, expected a depth of at most %(most)s: so many predictions of a query are kept.")
                % {"part": part.name, "most": KEPT},
                field="recipe",
            )
    if not 0 < iou <= 1:
        raise Refused(_("Found IoU %(iou)s, expected a number above 0, at most 1.") % {"iou": f"{iou:g}"}, field="iou")
    if not 1 <= least_grade <= collection.top_grade:
        raise Refused(
            _("Found grade %(grade)s, expected 1 to %(top)s.") % {"grade": least_grade, "top": collection.top_grade},
            field="least_grade",
        )
    return CheckedRecipe(name, iou, least_grade, by_itself)


def recipe_of(plan: PoolPlan | CheckedRecipe, collection: Collection) -> Recipe:
    """The rule itself. The threshold of its part `paper` is the collection's."""
    return recipe_named(plan.recipe, least_grade=plan.least_grade, threshold=collection.extend_threshold)


def is_adaptive(plan: PoolPlan) -> bool:
    """Whether what it chooses next depends on what was judged, so that a query's batches open one after another."""
    return hears_grades(recipe_of(plan, plan.collection))


def current_plan(collection: Collection) -> PoolPlan | None:
    """The version that holds, be it the paper's; None where none was ever set."""
    return PoolPlan.objects.filter(collection=collection, current=True).first()


@transaction.atomic
def set_plan(
    *,
    collection: Collection,
    recipe: str,
    iou: float = IOU,
    least_grade: int = LEAST_GRADE,
    by_itself: bool = True,
    member: Membership | None = None,
) -> tuple[PoolPlan, bool]:
    """Set the recipe: a version of its own, unless it is the current one. What is open or judged stays.

    Candidates are chosen by the new version when the pool is made the next time.

    Returns: the version, and whether it is new.
    Raises: Refused.
    """
    asked = checked(collection, recipe=recipe, iou=iou, least_grade=least_grade, by_itself=by_itself)
    if collection.is_study:
        raise Refused(_("A study has no pool of its own."))
    if collection.archived_at is not None:
        raise Refused(_("The collection is archived: restore it first."))
    hold_pool(collection.pk)
    standing = current_plan(collection)
    values = ("recipe", "iou", "least_grade", "by_itself")
    if standing is not None and all(getattr(standing, name) == getattr(asked, name) for name in values):
        return standing, False
    chosen = Candidate.objects.filter(query__collection=collection, source__isnull=False)
    if asked.recipe == PAPER:
        if in_use(chosen).exists():
            raise Refused(
                _(
                    "Pairs that another recipe chose are open for judging or judged, so the paper's recipe can't be "
                    "the only one: set a recipe of several parts, such as paper+depth@10."
                ),
                field="recipe",
            )
        chosen.delete()
        QueryPool.objects.filter(query__collection=collection).delete()
    PoolPlan.objects.filter(collection=collection, current=True).update(current=False)
    last = PoolPlan.objects.filter(collection=collection).aggregate(last=Max("version"))["last"] or 0
    plan = PoolPlan.objects.create(
        collection=collection,
        version=last + 1,
        recipe=asked.recipe,
        iou=asked.iou,
        least_grade=asked.least_grade,
        by_itself=asked.by_itself,
        member=member,
    )
    QueryPool.objects.filter(query__collection=collection).update(stale=True)
    return plan, True


def needs_similarity(recipe: str) -> bool:
    """Whether a recipe of runs has the similarity of captions as one of its parts."""
    return recipe != PAPER and is_part(recipe, PAPER)
