"""What a release says of candidates that were searched for approximately. Pure."""

from collections.abc import Mapping
from typing import Any

from datasets.formats.text_table import percent


def approximate_search(facts: Mapping[str, Any]) -> str:
    """How much an approximate search found, a sentence for each with a space before it; "" where all are exact."""
    return "".join(
        f" Candidates {_whose(one)} were searched for approximately: for a sample of {one['sample']:,} queries, "
        f"{percent(one['recall'])} of the {one['depth']} moments that the exact search finds were found."
        for one in facts.get("approximate_search", ())
    )


def _whose(search: Mapping[str, Any]) -> str:
    queries = f"{search['queries']:,} val and test queries" if search["queries"] else ""
    return "of " + " and ".join(filter(None, [queries, "pseudo-training queries" if search["training"] else ""]))
