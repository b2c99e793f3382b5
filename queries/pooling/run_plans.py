"""The recipe by which a collection's pool is made, where that isn't the paper's."""

from foundation.infra.advisory_lock import alone_until_commit
from foundation.models import Collection
from queries.models import PoolPlan

PAPER = "paper"
"""The recipe of TVR-Ranking, which needs no runs: by similarity, `fetch_candidates` does it."""


def run_plan(collection: Collection | int) -> PoolPlan | None:
    """The current recipe; None where the paper's is. One SQL query."""
    return PoolPlan.objects.filter(collection=collection, current=True).exclude(recipe=PAPER).first()


def is_part(recipe: str, part: str) -> bool:
    """Whether a recipe of several parts has this one.

    >>> is_part("paper+depth@10", "paper"), is_part("depth@10", "paper")
    (True, False)
    """
    return part in recipe.split("+")


def hold_pool(collection_id: int) -> None:
    """Lock a collection's runs, recipe and what is chosen by it, until the transaction ends.

    Whoever changes runs or recipe takes it alone; whoever chooses for a query, or opens what was chosen, has the
    query's row first.
    """
    alone_until_commit("queries.pool", collection_id, wait=True)
