"""Ground truth for the simulated annotators, from the generated data."""

import hashlib
from collections import defaultdict
from collections.abc import Callable

from django.db import close_old_connections

from annotation.models import ExamItem, Pair, WorkedItem
from corpus.models import Description, Moment
from demo.build import theatre_folder
from demo.theatre import Scene, read_scenes, relevance

Truth = Callable[[str], float]
ItemTruth = Callable[[Description, Moment], float]


def theatre_truth() -> Truth:
    """Relevance 0-4 of a pair's moment to its query, as the theatre's script knows it.

    A topic asks for the scene whose description has the topic's id.
    """
    known = _scene_truth()

    def truth(public_id: str) -> float:
        pair = _pair(public_id)
        query = pair.batch.query
        asked = query.topic_id if query.description is None else query.description.source_id
        return known(asked, pair.candidate.moment)

    return truth


def theatre_item_truth() -> ItemTruth:
    """Relevance 0-4 of a moment to a description, as the theatre's script knows it."""
    known = _scene_truth()
    return lambda asked, moment: known(asked.source_id, moment)


def _scene_truth() -> Callable[[str, Moment], float]:
    by_description: dict[str, Scene] = {}
    by_moment: dict[tuple[str, float, float], list[Scene]] = defaultdict(list)
    for scene in read_scenes(theatre_folder()):
        by_description[str(scene.description_id)] = scene
        by_moment[scene.video_name, scene.start, scene.end].append(scene)

    def truth(asked: str, moment: Moment) -> float:
        scene = by_description[asked]
        return max(relevance(scene, shown) for shown in by_moment[moment.video.name, moment.start, moment.end])

    return truth


def luck_of_item(asked: Description, moment: Moment) -> float:
    """Truth without a script: the own moment is relevant, any other by fixed chance."""
    if asked.moment_id == moment.pk:
        return 4.0
    return hashlib.sha256(f"{asked.source_id}|{moment.pk}".encode()).digest()[0] / 255 * 4


def rehearsal_truth(known: ItemTruth) -> Truth:
    """The truth of practice and exam items, by the id that applicants see."""

    def truth(public_id: str) -> float:
        close_old_connections()
        for kind in (WorkedItem, ExamItem):
            item = kind.objects.select_related("moment__video", "description").filter(public_id=public_id).first()
            if item is not None:
                return known(item.description, item.moment)
        raise LookupError(f"there is no item {public_id} in practice or an exam")

    return truth


def worked_truth(known: ItemTruth) -> Callable[[int], float]:
    """The truth of worked items, by the number that the lead sees."""

    def truth(number: int) -> float:
        close_old_connections()
        item = WorkedItem.objects.select_related("moment__video", "description").get(pk=number)
        return known(item.description, item.moment)

    return truth


def caption_truth() -> Truth:
    """Truth without a script: the more similar the captions the more relevant, with a fixed chance per pair.

    Where there is no similarity it is that chance alone.
    """

    def truth(public_id: str) -> float:
        pair = _pair(public_id)
        candidate = pair.candidate
        shown = candidate.caption_text or f"{candidate.moment.video.name}@{candidate.moment.start}"
        luck = hashlib.sha256(f"{pair.batch.query.normalised}|{shown}".encode()).digest()[0] / 255
        if candidate.similarity is None:
            return luck * 4
        return min(4.0, max(0.0, (candidate.similarity - 0.3) / 0.6 * 4 + (luck - 0.5) * 2))

    return truth


def _pair(public_id: str) -> Pair:
    close_old_connections()
    return Pair.objects.select_related("candidate__moment__video", "batch__query__description").get(public_id=public_id)
