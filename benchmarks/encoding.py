"""How fast texts are encoded beside sentence-transformers' default, and whether their neighbours stay the same.

    python benchmarks/encoding.py            # 2,000 texts, some minutes on two cores
    python benchmarks/encoding.py --small

The peer is `SentenceTransformer.encode` as it comes (float32, batches of 32) with the same model and texts in the same
run. Ours in bfloat16 (`ENCODER_PRECISION=bfloat16`) is `ours`; in float32 it is the peer's call. Contenders take turns,
medians count. `overlap` is the share of each text's 40 nearest that are the same by float32's vectors; `same_sets` the
share of texts where all 40 are. The texts are TVR's descriptions where QREELS_DATA has them, else made up. The last
line is one JSON object.
"""

import argparse
import random
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import config  # noqa: F401 - sets the threads, as every process of Qreels does
from benchmarks.caption_checks import descriptions
from benchmarks.harness.measuring import OURS, Turns, figure, parser, report, say
from queries.retrieval.encoder import Encoder
from queries.retrieval.rough_products import BFLOAT16, quickest

PEER, PLAIN = "sentence-transformers' default", "ours in float32"
NEAREST = 40


def neighbours(vectors: np.ndarray) -> list[set[int]]:
    """Each row's nearest rows, itself among them."""
    return [set(np.argsort(-row, kind="stable")[:NEAREST].tolist()) for row in vectors @ vectors.T]


def main() -> None:
    options = read_options()
    sentences, source = descriptions()
    texts = random.Random(options.seed).sample(sorted(set(sentences)), min(options.texts, len(set(sentences))))
    plain, halved = Encoder(), Encoder(precision=BFLOAT16)
    peer = plain._loaded()
    contenders = {
        OURS: lambda: halved.encode(texts),
        PEER: lambda: peer.encode(texts, normalize_embeddings=True, show_progress_bar=False),
        PLAIN: lambda: plain.encode(texts),
    }
    for encoder in (plain, halved):
        encoder.encode(texts[:64])
    turns = Turns()
    for _ in range(options.rounds):
        vectors = {name: turns.take(name, work) for name, work in contenders.items()}
    best = neighbours(vectors[PEER])
    same = [len(ours & theirs) for ours, theirs in zip(neighbours(vectors[OURS]), best, strict=True)]
    overlap, sets = float(np.mean(same)) / NEAREST, float(np.mean(np.array(same) == NEAREST))
    for name in turns.spent:
        say(f"{name:32} {turns.wall(name):7.2f} s, {turns.processor(name):7.2f} s of processor, {len(texts):,} texts")
    say(f"{100 * overlap:.2f} % of the {NEAREST} nearest are those of float32, and all of {100 * sets:.1f} % of texts")
    report(
        {
            "benchmark": "encoding",
            "texts": len(texts),
            "source": source,
            "processor_has_bfloat16": quickest() == BFLOAT16,
            "overlap": figure(overlap),
            "same_sets": figure(sets),
            **turns.figures(),
        }
    )


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--texts", type=int, default=2_000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--seed", type=int, default=7)
    options = arguments.parse_args()
    if options.small:
        options.texts, options.rounds = 100, 1
    return options


if __name__ == "__main__":
    main()
