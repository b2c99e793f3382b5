"""A task as the judging page and the API tell it."""

from functools import lru_cache

from django.urls import reverse

from annotation.assignment.next_tasks import Task


def as_json(task: Task, context: str = "") -> dict[str, str | None]:
    """A pair to judge as annotators are told it: the pair, its query, its clip and poster, and nothing else.

    Args: context: an address with PAIR in it, where the seconds around a clip are told; "" where they are nobody's.
    """
    clip = poster = None
    if task.clip is not None:
        clip, poster = clip_addresses(task.clip)
    facts = {"pair": task.pair, "query": task.query, "clip": clip, "poster": poster}
    if task.narrative:
        facts["narrative"] = task.narrative
    return facts | ({"context": context.replace("PAIR", task.pair)} if context and clip else {})


def clip_addresses(name: str) -> tuple[str, str]:
    """The addresses of the clip of this public name and of its poster."""
    clip, poster = (address.replace("NAME", name) for address in _clip_addresses())
    return clip, poster


@lru_cache(maxsize=1)
def _clip_addresses() -> tuple[str, str]:
    """URL patterns of a clip and its poster, with NAME for the clip's name, resolved once per response."""
    return reverse("clip", args=["NAME", "mp4"]), reverse("clip", args=["NAME", "jpg"])
