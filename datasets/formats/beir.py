"""BEIR's layout, in `beir/`: corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv.

A document is a moment. Its `text` is empty, since captions are what queries are made of: a system indexes the frames
between `start` and `end` of the video named under `metadata`. The qrels hold the graded pairs alone, grades 0-4.
"""

from datasets.content.splits import SPLITS
from datasets.formats.material import Material, create, moment_id, to_json, topic_id


def write_beir(material: Material) -> None:
    """Write all files."""
    folder = material.subfolder("beir")
    with create(folder / "corpus.jsonl") as file:
        for place in material.splits.places.in_order():
            metadata = {
                "video_name": place.video_name,
                "start": place.timestamp[0],
                "end": place.timestamp[1],
                "duration": place.duration,
            }
            document = {"_id": moment_id(place), "title": place.video_name, "text": "", "metadata": metadata}
            file.write(to_json(document) + "\n")
    (folder / "qrels").mkdir()
    with create(folder / "queries.jsonl") as queries:
        for split in SPLITS:
            with create(folder / "qrels" / f"{split}.tsv") as qrels:
                qrels.write("query-id\tcorpus-id\tscore\n")
                for query in material.splits.judged_queries(split):
                    name = topic_id(query.query_id)
                    about = {"split": split} | ({"narrative": query.narrative} if query.narrative else {})
                    about |= material.language_of(query) | material.medium_of(query.query_id)
                    record = {"_id": name, "text": query.text, "metadata": about}
                    queries.write(to_json(record) + "\n")
                    qrels.writelines(f"{name}\t{moment_id(pair.place)}\t{pair.grade}\n" for pair in query.pairs)
                    material.progress(1)
