"""Which moments a query's pool gets next, and at which places. Pure."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.pooling.recipes import Lists, Pick, Recipe, hears_grades, next_batch

BEST = 99.0
"""A grade that any recipe takes as relevant."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a recipe chose: place (the candidate's rank) and pick, by place. `left`: what it may still choose when
    these are judged, at most."""

    picks: list[tuple[int, Pick]]
    left: int


def choose(
    recipe: Recipe,
    lists: Lists,
    grades: Mapping[int, float | None],
    taken: Mapping[int, int],
    *,
    size: int,
    most: int,
    lot: str,
    adds: bool = True,
) -> Chosen:
    """Choose what comes after the moments that are taken; of a recipe that hears grades, one batch.

    Places are counted in batches: 1 to `size` are the first, and so on. New picks begin a batch, so that one that was
    opened with fewer stays as it is. The picks of a recipe that doesn't hear grades are all judged, so their places are
    shuffled: no batch is better than another, and none shows its annotator how deep in the pool it is.

    Args:
        lists: the query's moments run by run, best first; a run has each moment once.
        grades: moment -> its grade; those without one are left out or None.
        taken: moment -> its place, of all that are open for judging or judged.
        size: of a batch. most: the last place that there is.
        lot: the seed of the shuffle.
        adds: whether anything is chosen now; otherwise only what may be left is counted.

    >>> from evaluation.pooling.recipes import Depth
    >>> choose(Depth(2), [[7, 8], [9, 8]], {}, {7: 1, 8: 2}, size=2, most=6, lot="query 1")
    Chosen(picks=[(3, Pick(moment=9, run=1, rank=1))], left=0)
    """
    last = max(taken.values(), default=0)
    first = -(-last // size) * size + 1
    room = max(0, most - first + 1)
    adaptive = hears_grades(recipe)
    count = min(size, room) if adaptive else room
    picks = next_batch(recipe, lists, grades.get, set(taken), count if adds else 0)
    if not adaptive:
        random.Random(lot).shuffle(picks)
    gone = set(taken) | {pick.moment for pick in picks}
    left = sum(moment not in gone for moment in reach(recipe, lists, grades, taken))
    return Chosen(list(enumerate(picks, start=first)), left)


def reach(recipe: Recipe, lists: Lists, grades: Mapping[int, float | None], taken: Mapping[int, int]) -> list[int]:
    """The moments that a recipe goes through at most: as if all that isn't judged yet were relevant."""
    return [pick.moment for pick in recipe.walk(lists, lambda moment: grades.get(moment) if moment in taken else BEST)]
