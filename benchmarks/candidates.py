"""How fast the search for candidates is, beside its peers, and whether it is exact.

    python benchmarks/candidates.py                   # 10,000 queries, some minutes on two cores
    python benchmarks/candidates.py --queries 72842   # all of the paper's

97,410 unit vectors of 384 numbers, float32, in clusters like captions: each is one of 4,000 random directions plus
noise, so that two of a cluster have a similarity of about 0.75 and the 40th best one of about 0.5, as captions
encoded by MiniLM have; one in twenty repeats an earlier vector to the bit. Queries are among them. Contenders take
turns in each round, and medians count, since other work on the machine comes and goes. The matrix product alone
finds nothing: it is the floor of whoever multiplies in float32. The last line is one JSON object; `ratios` are our
time by each peer's, so below 1 is faster than the peer.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import OURS, Turns, figure, parser, report, say
from benchmarks.worlds.vectors import make_vectors
from queries.retrieval.exact_search import Targets, search
from queries.retrieval.rough_products import quickest
from queries.retrieval.search_kernels import UNIT, similarity_units

K = 40
BLOCK = 1024
"""Queries that the matrix product alone takes at a time."""


def contenders(queries: np.ndarray, vectors: np.ndarray) -> dict[str, Callable[[], object]]:
    """What is timed, by name."""
    import faiss
    import torch
    from sentence_transformers.util import semantic_search

    targets = Targets.of(vectors, [[row] for row in range(len(vectors))])
    # Allocated once: the time for clearing new pages differs from run to run.
    room = np.zeros((BLOCK, len(vectors)), dtype=np.float32)

    def product() -> None:
        for first in range(0, len(queries), BLOCK):
            block = queries[first : first + BLOCK]
            np.matmul(block, vectors.T, out=room[: len(block)])

    return {
        OURS: lambda: search(queries, targets, k=K),
        "numpy product alone": product,
        "faiss.knn": lambda: faiss.knn(queries, vectors, K, metric=faiss.METRIC_INNER_PRODUCT),
        "semantic_search": lambda: semantic_search(
            torch.from_numpy(queries), torch.from_numpy(vectors), top_k=K, corpus_chunk_size=50_000
        ),
    }


def wrong_queries(queries: np.ndarray, vectors: np.ndarray, checked: int, seed: int) -> int:
    """How many of so many queries have another top 40 than a float64 product, ties by moment id."""
    sample = np.random.default_rng(seed).choice(len(queries), checked, replace=False)
    nearest = search(queries[sample], Targets.of(vectors, [[row] for row in range(len(vectors))]), k=K)
    wrong = 0
    doubled = vectors.astype(np.float64)
    for place, row in enumerate(sample.tolist()):
        exact = doubled @ queries[row].astype(np.float64)
        near = np.argsort(-exact, kind="stable")[: 8 * K]
        # A sum's last bit depends on its order; only at half a millionth could that decide, so both sum alike.
        units = np.array([similarity_units(queries[row], vectors[text]) for text in near])
        order = near[np.lexsort((near, -units))][:K]
        same = np.array_equal(nearest.moments[place], order)
        wrong += not (same and np.allclose(nearest.similarities[place], exact[order], rtol=0, atol=0.51 * UNIT))
    return wrong


def main() -> None:
    options = read_options()
    vectors = make_vectors(options.texts, options.seed)
    queries = vectors[np.random.default_rng(options.seed).permutation(options.texts)[: options.queries]].copy()
    # The first call compiles and loads; it isn't timed, and warms every contender alike.
    for run in contenders(queries[:64], vectors).values():
        run()
    turns = Turns()
    parts = [queries[first : first + options.part] for first in range(0, len(queries), options.part)]
    for turn in range(max(options.rounds, len(parts))):
        part = parts[turn % len(parts)]
        turns.take_all(contenders(part, vectors), rounds=1, units=len(part))
    checked = min(options.checked, len(queries))
    wrong = wrong_queries(queries, vectors, checked, options.seed)
    for name in turns.spent:
        taken = turns.wall(name)
        say(f"{name:22} {1e3 * taken:8.3f} ms a query, {taken * options.queries:8.1f} s for {options.queries:,}")
    say(f"{wrong} of {checked} queries differ from the float64 reference")
    report(
        {
            "benchmark": "candidates",
            "texts": options.texts,
            "queries": options.queries,
            "k": K,
            "vectors": "clustered random",
            "precision": quickest(),
            "ms_a_query": {name: figure(1e3 * turns.wall(name)) for name in turns.spent},
            "equal": wrong == 0,
            **turns.figures(),
        }
    )
    if wrong:
        raise SystemExit(1)


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--texts", type=int, default=97_410)
    arguments.add_argument("--queries", type=int, default=10_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--part", type=int, default=2_000, help="queries that one contender searches in one turn")
    arguments.add_argument("--checked", type=int, default=300, help="queries whose result is computed in float64, too")
    arguments.add_argument("--seed", type=int, default=7)
    options = arguments.parse_args()
    if options.small:
        options.texts, options.queries, options.part, options.checked = 4_000, 300, 100, 30
    return options


if __name__ == "__main__":
    main()
