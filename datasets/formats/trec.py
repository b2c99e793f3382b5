"""TREC's files, for trec_eval and its family, in `trec/`.

- topics.SPLIT.tsv: query id, tab, query, one a line, without a header.
- qrels.SPLIT.txt: `query-id 0 moment-id grade`, grades 0-4, the graded pairs alone: what isn't judged isn't there.
- moments.tsv: every moment of the collection, what a moment id stands for; with a header.

Ids are those of `material.moment_id` and `topic_id`.
"""

from datasets.content.splits import SPLITS
from datasets.formats.material import Material, create, moment_id, one_line, sorted_places, topic_id


def write_trec(material: Material) -> None:
    """Write all files."""
    folder = material.subfolder("trec")
    for split in SPLITS:
        with create(folder / f"topics.{split}.tsv") as topics, create(folder / f"qrels.{split}.txt") as qrels:
            for query in material.splits.judged_queries(split):
                name = topic_id(query.query_id)
                topics.write(f"{name}\t{one_line(query.text)}\n")
                qrels.writelines(f"{name} 0 {moment_id(pair.place)} {pair.grade}\n" for pair in query.pairs)
                material.progress(1)
    with create(folder / "moments.tsv") as file:
        file.write("moment_id\tvideo_name\tstart\tend\tduration\n")
        for place in sorted_places(material.splits):
            start, end = place.timestamp
            duration = "" if place.duration is None else repr(place.duration)
            file.write(f"{moment_id(place)}\t{one_line(place.video_name)}\t{start!r}\t{end!r}\t{duration}\n")
