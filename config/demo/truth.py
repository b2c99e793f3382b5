"""What is true of a pair, for the simulated annotators: from the generated data, never from anybody's work."""

import hashlib
from collections import defaultdict
from collections.abc import Callable

from django.db import close_old_connections

from annotation.models import Pair
from config.demo.build import theatre_folder
from corpus.theatre import Scene, read_scenes, relevance

Truth = Callable[[str], float]


def theatre_truth() -> Truth:
    """Relevance 0-4 of a pair's moment to its query, as the theatre's script knows it."""
    by_description: dict[str, Scene] = {}
    by_moment: dict[tuple[str, float, float], list[Scene]] = defaultdict(list)
    for scene in read_scenes(theatre_folder()):
        by_description[str(scene.description_id)] = scene
        by_moment[scene.video_name, scene.start, scene.end].append(scene)

    def truth(public_id: str) -> float:
        pair = _pair(public_id)
        moment = pair.candidate.moment
        asked = by_description[pair.batch.query.description.source_id]
        return max(relevance(asked, shown) for shown in by_moment[moment.video.name, moment.start, moment.end])

    return truth


def caption_truth() -> Truth:
    """For descriptions without a script: the closer the captions, the more relevant, and a pair's own fixed luck."""

    def truth(public_id: str) -> float:
        pair = _pair(public_id)
        candidate = pair.candidate
        luck = hashlib.sha256(f"{pair.batch.query.normalised}|{candidate.caption_text}".encode()).digest()[0] / 255
        return min(4.0, max(0.0, (candidate.similarity - 0.3) / 0.6 * 4 + (luck - 0.5) * 2))

    return truth


def _pair(public_id: str) -> Pair:
    close_old_connections()
    return Pair.objects.select_related("candidate__moment__video", "batch__query__description").get(public_id=public_id)
