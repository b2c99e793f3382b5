"""What a drawn query has from its description and a topic has of its own, as SQL expressions for any path to it."""

from django.db.models.functions import Coalesce


def query_source_id(path: str = "") -> Coalesce:
    """A query's id in files: its description's `source_id`, or its own `topic_id`; text.

    Args: path: from the model that is asked to the query, such as "batch__query__"; empty: the query itself.
    """
    return Coalesce(f"{path}description__source_id", f"{path}topic_id")


def query_language(path: str = "") -> Coalesce:
    """A query's language: its description's, or a topic's own; BCP 47, "" where none is stated.

    Args: path: as of `query_source_id`.
    """
    return Coalesce(f"{path}description__language", f"{path}language")
