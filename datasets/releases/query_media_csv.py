"""`query_media.csv` and the folder `query_media`: the pictures, clips and sounds that are queries."""

import shutil
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage

from datasets.content.splits import Splits, public_query_id
from datasets.formats.further_files import FURTHER_TABLES
from datasets.formats.material import create_csv, medium_path
from foundation.refused import Refused

TABLE = FURTHER_TABLES["query_media"]


def write_query_media(splits: Splits, folder: Path) -> None:
    """Write the files, and a row for each, by split and the order of the topics. Raises: Refused where one is gone."""
    media = sorted(splits.media.values(), key=lambda medium: (medium.query.split != "val", medium.query.position))
    with create_csv(folder / TABLE.file, list(TABLE.columns)) as writer:
        for medium in media:
            path = folder / medium_path(medium)
            path.parent.mkdir(exist_ok=True)
            try:
                with default_storage.open(medium.media_file) as stored, path.open("wb") as copy:
                    shutil.copyfileobj(stored, copy)
            except FileNotFoundError as gone:
                raise Refused(
                    f"the {medium.kind} of topic {medium.query.topic_id} is gone from the storage: upload it again"
                ) from gone
            query = public_query_id(medium.query.topic_id)
            words = "" if medium.alone else medium.query.text
            writer.writerow((query, medium.kind, medium_path(medium), words, medium.size, medium.sha256))


def describe_query_media(splits: Splits) -> dict[str, Any] | None:
    """The manifest's `query_media`: the file, how many there are of each kind, and how many stand instead of words."""
    media = splits.media.values()
    if not media:
        return None
    kinds = sorted({medium.kind for medium in media})
    return {
        "file": TABLE.file,
        "kinds": {kind: sum(medium.kind == kind for medium in media) for kind in kinds},
        "without_words": sum(medium.alone for medium in media),
    }
