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
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from queries.retrieval.exact_search import Targets, quickest, search
from queries.retrieval.search_kernels import UNIT, similarity_units

TEXTS, WIDTH, K = 97_410, 384, 40
CLUSTERS, NOISE = 4000, 0.03
CHECKED = 300
"""Queries whose whole result is computed again in float64."""


def make_vectors(seed: int) -> np.ndarray:
    """Float32 (TEXTS, WIDTH), unit rows in clusters."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(CLUSTERS, WIDTH)).astype(np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    vectors = centres[rng.integers(0, CLUSTERS, TEXTS)]
    vectors += NOISE * rng.normal(size=vectors.shape).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    copies = rng.choice(np.arange(1, TEXTS), TEXTS // 20, replace=False)
    vectors[copies] = vectors[copies - 1]
    return vectors


def contenders(queries: np.ndarray, vectors: np.ndarray) -> dict[str, Callable[[], object]]:
    """What is timed, by name."""
    import faiss
    import torch
    from sentence_transformers.util import semantic_search

    targets = Targets.of(vectors, [[row] for row in range(len(vectors))])

    def product() -> None:
        for first in range(0, len(queries), 1024):
            queries[first : first + 1024] @ vectors.T

    return {
        "ours": lambda: search(queries, targets, k=K),
        "numpy product alone": product,
        "faiss.knn": lambda: faiss.knn(queries, vectors, K, metric=faiss.METRIC_INNER_PRODUCT),
        "semantic_search": lambda: semantic_search(
            torch.from_numpy(queries), torch.from_numpy(vectors), top_k=K, corpus_chunk_size=50_000
        ),
    }


def wrong_queries(queries: np.ndarray, vectors: np.ndarray, seed: int) -> int:
    """How many of CHECKED queries have another top 40 than a float64 product, ties by moment id."""
    sample = np.random.default_rng(seed).choice(len(queries), min(CHECKED, len(queries)), replace=False)
    found = search(queries[sample], Targets.of(vectors, [[row] for row in range(len(vectors))]), k=K)
    wrong = 0
    doubled = vectors.astype(np.float64)
    for place, row in enumerate(sample.tolist()):
        exact = doubled @ queries[row].astype(np.float64)
        near = np.argsort(-exact, kind="stable")[: 8 * K]
        # A sum's last bit depends on its order; only at half a millionth could that decide, so both sum alike.
        units = np.array([similarity_units(queries[row], vectors[text]) for text in near])
        order = near[np.lexsort((near, -units))][:K]
        same = np.array_equal(found.moments[place], order)
        wrong += not (same and np.allclose(found.similarities[place], exact[order], rtol=0, atol=0.51 * UNIT))
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--part", type=int, default=2_000, help="queries that one contender searches in one turn")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    vectors = make_vectors(args.seed)
    queries = vectors[np.random.default_rng(args.seed).permutation(TEXTS)[: args.queries]].copy()
    # The first call compiles and loads; it isn't timed, and warms every contender alike.
    for run in contenders(queries[:64], vectors).values():
        run()
    seconds: dict[str, list[float]] = {}
    parts = [queries[first : first + args.part] for first in range(0, len(queries), args.part)]
    for turn in range(max(args.rounds, len(parts))):
        for name, run in contenders(parts[turn % len(parts)], vectors).items():
            began = time.perf_counter()
            run()
            taken = (time.perf_counter() - began) / len(parts[turn % len(parts)])
            seconds.setdefault(name, []).append(taken)
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    wrong = wrong_queries(queries, vectors, args.seed)
    for name, taken in medians.items():
        print(f"{name:22} {1e3 * taken:8.3f} ms a query, {taken * args.queries:8.1f} s for {args.queries:,}")
    print(f"{wrong} of {min(CHECKED, len(queries))} queries differ from the float64 reference")
    result = {
        "benchmark": "candidates",
        "texts": TEXTS,
        "queries": args.queries,
        "k": K,
        "vectors": "clustered random",
        "precision": quickest(),
        "ms_a_query": {name: round(1e3 * taken, 4) for name, taken in medians.items()},
        "ratios": {name: round(medians["ours"] / taken, 3) for name, taken in medians.items() if name != "ours"},
        "equal": wrong == 0,
    }
    print(json.dumps(result))
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
