"""The shipped name tagger on descriptions that it had no part in: how much it finds, and how fast.

The reference lies in `tests/queries/name_reference.json`: TVR description ids with the places of the words
that name a person, labelled by eye, all from episodes that `queries.tagger_training` holds out. The texts
are read from the TVR file (`QREELS_DATA`, or `../shared/data` beside the checkout); without it the benchmark
measures on sentences that Qreels makes up. For "swapped" every name gives way to an invented one, which no
training can have seen. Its peers: Flair used plainly, and a gazetteer, which takes every
capitalised word that is a first name in some language: quick, and blind to a quarter of the names.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import OURS, Turns, parser, report
from benchmarks.worlds.captions import tvr_rows
from queries.language.first_names import is_first_name
from queries.language.name_tagger import SHIPPED_MODEL, load_tagger
from queries.language.words import words
from queries.tagger_training.synthetic_sentences import InventedNames, Labelled, all_names, made_up_sentence, swap_names

REFERENCE = Path(__file__).resolve().parents[1] / "tests" / "queries" / "name_reference.json"
ROUNDS = 5

Finder = Callable[[Sequence[str]], list[set[int]]]


def reference() -> tuple[list[Labelled], str]:
    """The labelled sentences, and where they come from."""
    rows = tvr_rows()
    if not rows:
        random_ = random.Random(7)
        return [made_up_sentence(all_names(), random_) for _ in range(400)], "made up"
    names_at: dict[str, list[int]] = json.loads(REFERENCE.read_text(encoding="utf-8"))
    labelled = []
    for row in rows:
        at = names_at.get(str(row["desc_id"]))
        if at is not None:
            labelled.append([(part.text, place in at) for place, part in enumerate(words(row["desc"]))])
    return labelled, "tvr, episodes held out"


def text_of(sentence: Labelled) -> tuple[str, list[bool]]:
    """A sentence as running text, with the labels of its words as `words` cuts them."""
    text = " ".join(word for word, _ in sentence).replace(" '", "'").replace(" ’", "’")
    named: list[bool] = []
    at = 0
    starts = {}
    for word, is_name in sentence:
        at = text.index(word, at)
        starts[at] = is_name
        at += len(word)
    for part in words(text):
        named.append(starts.get(part.start, False))
    return text, named


def by_tagger(texts: Sequence[str]) -> list[set[int]]:
    """Places of the words that the tagger takes for names."""
    places = []
    load_tagger().forget()  # a tagger remembers its last texts, and this measures tagging
    for text, spans in zip(texts, load_tagger().find_names(texts), strict=True):
        parts = enumerate(words(text))
        places.append({at for at, part in parts if any(s.start <= part.start < s.end for s in spans)})
    return places


def by_gazetteer(texts: Sequence[str]) -> list[set[int]]:
    """Places of the capitalised words that are somebody's first name."""
    return [
        {at for at, part in enumerate(words(text)) if part.is_capitalised and is_first_name(part.text)}
        for text in texts
    ]


def one_by_one(texts: Sequence[str]) -> None:
    """Flair as its introduction shows it: its own tokeniser, one sentence a prediction."""
    from flair.data import Sentence
    from flair.models import SequenceTagger

    global _plain_flair
    _plain_flair = _plain_flair or SequenceTagger.load(str(SHIPPED_MODEL))
    for text in texts:
        _plain_flair.predict(Sentence(text))


_plain_flair: Any = None


def score(find: Finder, sentences: Sequence[Labelled]) -> dict[str, float]:
    """Share of name words found, and share of what is flagged that is a name."""
    texts, labels = zip(*map(text_of, sentences), strict=True)
    names = hits = flagged = 0
    for hit, label in zip(find(list(texts)), labels, strict=True):
        true = {at for at, is_name in enumerate(label) if is_name}
        names, hits, flagged = names + len(true), hits + len(true & hit), flagged + len(hit)
    return {"found": hits / max(names, 1), "precision": hits / max(flagged, 1)}


def main() -> None:
    options = parser(__doc__).parse_args()
    sentences, source = reference()
    if options.small:
        sentences = sentences[:30]
    strangers = InventedNames(all_names())
    random_ = random.Random(11)
    renamed = [swap_names(sentence, strangers, random_) for sentence in sentences]
    texts = [text_of(sentence)[0] for sentence in sentences]
    as_written, swapped = score(by_tagger, sentences), score(by_tagger, renamed)
    plain, plain_swapped = score(by_gazetteer, sentences), score(by_gazetteer, renamed)
    one_by_one(texts[:1])
    turns = Turns()
    turns.take_all(
        {
            OURS: lambda: by_tagger(texts),
            "flair, one sentence at a time": lambda: one_by_one(texts),
            "gazetteer of first names": lambda: by_gazetteer(texts),
        },
        rounds=ROUNDS,
    )
    report(
        {
            "reference": source,
            "sentences": len(sentences),
            "names_found": round(as_written["found"], 4),
            "names_found_swapped": round(swapped["found"], 4),
            "precision": round(as_written["precision"], 4),
            "gazetteer": {
                "names_found": round(plain["found"], 4),
                "names_found_swapped": round(plain_swapped["found"], 4),
                "precision": round(plain["precision"], 4),
            },
            "sentences_per_second": round(len(texts) / turns.wall(OURS)),
            **turns.figures(),
        }
    )


if __name__ == "__main__":
    main()
