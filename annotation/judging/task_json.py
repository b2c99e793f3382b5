"""A task as the judging page and the API tell it."""

from functools import lru_cache
from typing import Any

from django.urls import reverse

from annotation.assignment.next_tasks import Task
from foundation.models import Collection


def as_json(task: Task, collection: Collection, context: str = "") -> dict[str, Any]:
    """A pair to judge as annotators are told it: the pair, its query, its clip and poster, where the collection's
    guideline asks for them its subtitles, and nothing else.

    Args: context: an address with PAIR in it, where the seconds around a clip are told; "" where they are nobody's.
    """
    clip = poster = subtitles = None
    if task.clip is not None:
        clip, poster, subtitles = (address.replace("NAME", task.clip) for address in _clip_addresses())
    facts: dict[str, Any] = {"pair": task.pair, "query": task.query, "clip": clip, "poster": poster}
    if collection.counts_subtitles and subtitles is not None:
        facts["subtitles"] = subtitles
    facts |= {"narrative": task.narrative} if task.narrative else {}
    facts |= {"content": list(task.content)} if task.content else {}
    facts |= {"context": context.replace("PAIR", task.pair)} if context and clip else {}
    return facts | query_medium(task.medium)


def query_medium(shown_as: str | None) -> dict[str, dict[str, str]]:
    """The picture, clip or sound that is the query, as pages and the API tell of it: its kind and its address."""
    if shown_as is None:
        return {}
    kind, file = shown_as.split("/")
    return {"medium": {"kind": kind, "address": reverse("query-medium", args=file.split("."))}}


def clip_addresses(name: str) -> tuple[str, str]:
    """The addresses of the clip of this public name and of its poster."""
    clip, poster, _ = (address.replace("NAME", name) for address in _clip_addresses())
    return clip, poster


@lru_cache(maxsize=1)
def _clip_addresses() -> tuple[str, str, str]:
    """URL patterns of a clip, its poster and its subtitles, with NAME for the clip's name."""
    return (
        reverse("clip", args=["NAME", "mp4"]),
        reverse("clip", args=["NAME", "jpg"]),
        reverse("clip-subtitles", args=["NAME"]),
    )
