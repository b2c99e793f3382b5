"""The order in which a release's candidates were fetched, as a run: by the similarity of captions."""

from pathlib import Path

from evaluation.errors import InputError, shown
from evaluation.moments.run import Prediction, Run
from evaluation.reading.fields import interval
from evaluation.reading.json_stream import json_items

NAME = "caption similarity"


def similarity_ranker(path: Path) -> Run:
    """Each query's moments of a split's file by similarity, equal ones in the file's order.

    Args: path: val.json or test.json of a release.

    Raises: InputError if a moment has no similarity or no times.
    """
    return Run.of(NAME, ((str(record["query_id"]), _ranked(path, place, record)) for place, record in json_items(path)))


def _ranked(path: Path, place: str, record: dict[str, list[dict[str, object]]]) -> list[Prediction]:
    ranked = []
    for number, moment in enumerate(record["relevant_moment"], start=1):
        at = f"{place}, moment {number}"
        start, end = interval(path, at, moment.get("timestamp"))
        similarity = moment.get("similarity")
        if isinstance(similarity, bool) or not isinstance(similarity, int | float):
            raise InputError(path, at, found=f"similarity {shown(similarity)}", expected="a number")
        ranked.append(Prediction(str(moment["video_name"]), start, end, float(similarity)))
    return ranked
