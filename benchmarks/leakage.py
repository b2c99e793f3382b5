"""How near training captions come to val and test queries, and how fast that is found, beside its peers.

    python benchmarks/leakage.py           # some minutes on two cores, of which the most are spent on encoding

The shares are of TVR's video descriptions (`QREELS_DATA`, or `../shared/data` beside the checkout; without it of
sentences that Qreels makes up), rewritten by the rules and encoded by the model that ENCODER_MODEL names, or the
packaged one: of as many queries as are the paper's share of its captions (4.5 %), drawn at random from the distinct
ones, the mean over so many draws; and of every caption beside all others. The time is that of 3,281 queries and 69,317
captions, random vectors in clusters as in `benchmarks/candidates.py`. Contenders take turns, and medians count. We
compare in both directions, exactly, and in blocks; the peers find each query's nearest caption alone, in float32 with
all captions at once.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.caption_checks import descriptions, lexicon_of
from benchmarks.harness.measuring import OURS, Turns, figure, parser, report, say
from benchmarks.worlds.vectors import make_vectors
from foundation.text import normalise
from queries.language.name_tagger import load_tagger
from queries.retrieval.encoder import load_encoder
from queries.retrieval.nearest_captions import Comparison
from queries.rewriting.rewriters.rules import imprecise

LEVELS = (0.85, 0.9, 0.95)
QUERIES, CAPTIONS = 3_281, 69_317
BLOCK = 8192
"""As many captions as `queries.pooling.leakage` compares at once."""
SHARE = QUERIES / 72_842
"""Of the captions that are drawn, as in the paper."""


def compare(queries: np.ndarray, captions: np.ndarray) -> Comparison:
    comparison = Comparison(queries)
    for first in range(0, len(captions), BLOCK):
        block = captions[first : first + BLOCK]
        comparison.take(np.arange(first, first + len(block)), block)
    return comparison


def captions_by_rules(most: int | None) -> tuple[list[str], str, int]:
    """Distinct captions, where their descriptions come from, and of how many they are."""
    texts, source = descriptions()
    texts = texts[:most]
    spans = load_tagger().find_names(texts)
    lexicon = lexicon_of(texts)
    captions = [imprecise(text, names, lexicon) for text, names in zip(texts, spans, strict=True)]
    return sorted({normalise(caption): caption for caption in reversed(captions)}.values()), source, len(texts)


def shares(cosines: np.ndarray) -> dict[str, float]:
    return {f"{level:g}": round(float((cosines >= level).mean()), 4) for level in LEVELS}


def leaking(vectors: np.ndarray, draws: int) -> dict[str, Any]:
    """The shares by draw, their mean, and those of every caption beside all others."""
    asked = max(2, round(SHARE * len(vectors)))
    by_draw = []
    for seed in range(draws):
        drawn = np.random.default_rng(seed).permutation(len(vectors))
        by_draw.append(shares(compare(vectors[drawn[:asked]], vectors[drawn[asked:]]).cosines))
    product = vectors @ vectors.T
    np.fill_diagonal(product, -1)
    levels = list(by_draw[0])
    return {
        "queries": asked,
        "draws": draws,
        "mean": {level: round(float(np.mean([one[level] for one in by_draw])), 4) for level in levels},
        "least": {level: min(one[level] for one in by_draw) for level in levels},
        "most": {level: max(one[level] for one in by_draw) for level in levels},
        "every_caption": shares(product.max(axis=1)),
    }


def contenders(queries: np.ndarray, captions: np.ndarray) -> dict[str, Callable[[], object]]:
    import faiss
    import torch
    from sentence_transformers.util import semantic_search

    return {
        OURS: lambda: compare(queries, captions),
        "faiss.knn": lambda: faiss.knn(queries, captions, 1, metric=faiss.METRIC_INNER_PRODUCT),
        "semantic_search": lambda: semantic_search(torch.from_numpy(queries), torch.from_numpy(captions), top_k=1),
    }


def main() -> None:
    options = read_options()
    texts, source, count = captions_by_rules(options.descriptions)
    found = leaking(load_encoder().encode(texts), options.draws)
    say(f"{count:,} descriptions ({source}), {len(texts):,} distinct captions: {found}")
    vectors = make_vectors(options.queries + options.captions, seed=7)
    order = np.random.default_rng(7).permutation(len(vectors))
    queries, captions = vectors[order[: options.queries]].copy(), vectors[order[options.queries :]].copy()
    for run in contenders(queries[:64], captions[:64]).values():
        run()
    turns = Turns()
    turns.take_all(contenders(queries, captions), rounds=options.rounds)
    for name in turns.spent:
        say(f"{name:22} {turns.wall(name):8.2f} s")
    report(
        {
            "benchmark": "leakage",
            "descriptions": count,
            "source": source,
            "captions": len(texts),
            "encoder": load_encoder().identity,
            "leakage": found,
            "timed": {"queries": options.queries, "captions": options.captions},
            "seconds": {name: figure(turns.wall(name)) for name in turns.spent},
            **turns.figures(),
        }
    )


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--queries", type=int, default=QUERIES)
    arguments.add_argument("--captions", type=int, default=CAPTIONS)
    arguments.add_argument("--descriptions", type=int, default=None, help="so many of TVR's; all by default")
    arguments.add_argument("--draws", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    if options.small:
        options.queries, options.captions, options.descriptions, options.draws, options.rounds = 200, 2000, 200, 2, 1
    return options


if __name__ == "__main__":
    main()
