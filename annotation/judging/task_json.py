"""A task as the judging page and the API tell it."""

from functools import lru_cache

from django.urls import reverse

from annotation.assignment.next_tasks import Task
from foundation.models import Collection


def as_json(task: Task, collection: Collection) -> dict[str, str | None]:
    """A pair to judge as annotators are told it: the pair, its query, its clip and poster, where the collection's
    guideline asks for them its subtitles, and nothing else."""
    clip = poster = subtitles = None
    if task.clip is not None:
        clip, poster, subtitles = (address.replace("NAME", task.clip) for address in _clip_addresses())
    facts = {"pair": task.pair, "query": task.query, "clip": clip, "poster": poster}
    if collection.counts_subtitles and subtitles is not None:
        facts["subtitles"] = subtitles
    return facts | ({"narrative": task.narrative} if task.narrative else {})


@lru_cache(maxsize=1)
def _clip_addresses() -> tuple[str, str, str]:
    """URL patterns of a clip, its poster and its subtitles, with NAME for the clip's name."""
    return (
        reverse("clip", args=["NAME", "mp4"]),
        reverse("clip", args=["NAME", "jpg"]),
        reverse("clip-subtitles", args=["NAME"]),
    )
