"""What a dataset card and a datasheet say of queries that are topics, from the manifest."""

from collections.abc import Mapping
from typing import Any


def has_drawn_queries(facts: Mapping[str, Any]) -> bool:
    """Whether a query is a caption: drawn, or imported with judgments."""
    return "topics" not in facts or bool(facts["topics"]["drawn"])


def about_topics(facts: Mapping[str, Any]) -> str:
    """A sentence or two on the topics; "" where there are none."""
    topics = facts.get("topics")
    if topics is None:
        return ""
    by = f" by {', '.join(topics['written_by'])}" if topics["written_by"] else ""
    noted = f" {topics['narratives']:,} have a narrative for annotators." if topics["narratives"] else ""
    return (
        f"{topics['val']:,} val and {topics['test']:,} test queries are topics: they were written as queries{by}, and "
        f"no moment is their source.{noted}"
    )
