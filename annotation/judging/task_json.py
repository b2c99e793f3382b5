"""A task as the judging page and the API tell it."""

from functools import lru_cache
from typing import Any

from django.urls import reverse

from annotation.assignment.next_tasks import Task


def as_json(task: Task) -> dict[str, Any]:
    """A pair to judge as annotators are told it: the pair, its query, its clip and poster, and nothing else."""
    clip = poster = None
    if task.clip is not None:
        clip, poster = (address.replace("NAME", task.clip) for address in _clip_addresses())
    facts: dict[str, Any] = {"pair": task.pair, "query": task.query, "clip": clip, "poster": poster}
    facts |= {"narrative": task.narrative} if task.narrative else {}
    facts |= {"content": list(task.content)} if task.content else {}
    return facts | query_medium(task.medium)


def query_medium(shown_as: str | None) -> dict[str, dict[str, str]]:
    """The picture, clip or sound that is the query, as pages and the API tell of it: its kind and its address."""
    if shown_as is None:
        return {}
    kind, file = shown_as.split("/")
    return {"medium": {"kind": kind, "address": reverse("query-medium", args=file.split("."))}}


@lru_cache(maxsize=1)
def _clip_addresses() -> tuple[str, str]:
    """URL patterns of a clip and its poster, with NAME for the clip's name, resolved once per response."""
    return reverse("clip", args=["NAME", "mp4"]), reverse("clip", args=["NAME", "jpg"])
