"""TREC's files, for trec_eval and its family, in `trec/`; docs/releases.md says what is in each.

The qrels have the graded pairs alone: what isn't judged isn't there. Ids are those of `material.moment_id` and
`topic_id`.
"""

from contextlib import ExitStack
from html import escape
from typing import TextIO

from datasets.content.splits import SPLITS
from datasets.formats.material import Material, create, moment_id, one_line, topic_id


def write_trec(material: Material) -> None:
    """Write all files."""
    folder = material.subfolder("trec")
    for split in SPLITS:
        with ExitStack() as stack:
            topics = stack.enter_context(create(folder / f"topics.{split}.tsv"))
            qrels = stack.enter_context(create(folder / f"qrels.{split}.txt"))
            tagged: TextIO | None = None
            if "topics" in material.facts:
                tagged = stack.enter_context(create(folder / f"topics.{split}.trec"))
            for query in material.splits.judged_queries(split):
                name = topic_id(query.query_id)
                topics.write(f"{name}\t{one_line(query.text)}\n")
                if tagged is not None:
                    tagged.write(tagged_topic(name, query.text, query.narrative))
                qrels.writelines(f"{name} 0 {moment_id(pair.place)} {pair.grade}\n" for pair in query.pairs)
                material.progress(1)
    with create(folder / "moments.tsv") as file:
        file.write("moment_id\tvideo_name\tstart\tend\tduration\n")
        for place in material.splits.places.in_order():
            start, end = place.timestamp
            duration = "" if place.duration is None else repr(place.duration)
            file.write(f"{moment_id(place)}\t{one_line(place.video_name)}\t{start!r}\t{end!r}\t{duration}\n")


def tagged_topic(name: str, text: str, narrative: str) -> str:
    """A topic in TREC's own form; `narrative` may be empty."""
    lines = ["<top>", f"<num> Number: {name}", f"<title> {escape(one_line(text), quote=False)}"]
    if narrative:
        lines += ["", "<narr> Narrative:", escape(narrative.strip(), quote=False)]
    return "\n".join([*lines, "</top>", "", ""])
