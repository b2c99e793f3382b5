"""The search is exact whatever its rough product is: against a plain float64 reference, and where all is near."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queries.retrieval import exact_search, rough_products
from queries.retrieval.exact_search import Ranking, Targets, search

PRECISIONS = ["bfloat16", "float32"]


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def reference(
    queries: np.ndarray, texts: np.ndarray, moments: list[list[int]], k: int
) -> list[list[tuple[float, int]]]:
    """Each query's k best (similarity, moment), by the plainest way there is."""
    rankings = []
    for row in queries.astype(np.float64):
        best: dict[int, float] = {}
        for text, members in zip(texts.astype(np.float64), moments, strict=True):
            similarity = min(1.0, max(-1.0, round(float(row @ text), 6)))
            for moment in members:
                best[moment] = max(best.get(moment, -2.0), similarity)
        order = sorted(best, key=lambda moment: (-best[moment], moment))[:k]
        rankings.append([(best[moment], moment) for moment in order])
    return rankings


def pairs(ranking: Ranking) -> list[list[tuple[float, int]]]:
    return [
        [(s, m) for s, m, text in zip(similarities, moments, texts, strict=True) if text >= 0]
        for similarities, moments, texts in zip(
            ranking.similarities.tolist(), ranking.moments.tolist(), ranking.texts.tolist(), strict=True
        )
    ]


@st.composite
def worlds(draw: st.DrawFn) -> tuple[np.ndarray, list[list[int]], int]:
    """Unit vectors with copies, near copies and opposites among them, whom each describes, and k.

    The numbers are few and dyadic before scaling, so that many similarities are equal; moments share texts.
    """
    size, width = draw(st.integers(1, 40)), draw(st.sampled_from([1, 3, 8, 13]))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    vectors = rng.integers(-2, 3, size=(size, width)).astype(np.float64)
    vectors[~vectors.any(axis=1), 0] = 1.0
    vectors += draw(st.sampled_from([0.0, 1e-6, 1e-3, 0.3])) * rng.normal(size=vectors.shape)
    moments = [sorted(draw(st.sets(st.integers(1, 30), min_size=1, max_size=3))) for _ in range(size)]
    return unit(vectors), moments, draw(st.integers(1, 40))


@pytest.fixture(params=[1024, 4], ids=["wide shortlists", "narrow shortlists"], scope="module")
def narrow(request: pytest.FixtureRequest) -> Iterator[None]:
    """With little room most queries are crowded out of the rough product, and tiles end in the middle of things."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == 4:
            patch.setattr(exact_search, "SHORTLIST", 4)
            patch.setattr(rough_products, "TEXTS_AT_ONCE", 7)
            patch.setattr(exact_search, "QUERIES_AT_ONCE", 5)
        yield


@settings(max_examples=25, deadline=None)
@given(worlds(), st.sampled_from(PRECISIONS))
def test_it_is_the_reference_ties_copies_and_shared_moments_included(
    narrow: None, world: tuple[np.ndarray, list[list[int]], int], precision: str
) -> None:
    vectors, moments, k = world
    ranking = search(vectors, Targets.of(vectors, moments), k=k, precision=precision)
    expected = reference(vectors, vectors, moments, k)
    for ours, theirs in zip(pairs(ranking), expected, strict=True):
        # The reference's own last bit may fall on the other side of half a millionth: then values differ by one unit.
        if ours != theirs:
            assert np.allclose([s for s, _ in ours], [s for s, _ in theirs], rtol=0, atol=1.1e-6)
            keys = [(-s, m) for s, m in ours]
            assert keys == sorted(keys)
            assert len({m for _, m in ours}) == len(theirs)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_similarity_is_that_of_a_text_of_the_moment(precision: str) -> None:
    rng = np.random.default_rng(3)
    vectors = unit(rng.normal(size=(300, 16)))
    moments = [sorted(rng.choice(100, 2, replace=False).tolist()) for _ in vectors]
    ranking = search(vectors[:20], Targets.of(vectors, moments), k=30, precision=precision)
    for row in range(20):
        columns = (ranking.moments[row], ranking.texts[row], ranking.similarities[row])
        for moment, text, similarity in zip(*columns, strict=True):
            assert moment in moments[text]
            assert similarity == pytest.approx(
                float(vectors[row].astype(float) @ vectors[text].astype(float)), abs=6e-7
            )


@pytest.fixture
def precisions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The precisions that blocks were searched at, in order; the search itself is the real one."""
    seen: list[str] = []
    real = exact_search._Search._block

    def watched(self: exact_search._Search, queries: np.ndarray, precision: str, *rest: object) -> object:
        seen.append(precision)
        return real(self, queries, precision, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(exact_search._Search, "_block", watched)
    return seen


@pytest.mark.parametrize(
    ("spread", "closest"),
    [(3.0, "bfloat16"), (0.1, "float32"), (1e-4, "float64")],
    ids=["apart", "nearer than bfloat16 can tell", "nearer than float32 can tell"],
)
def test_what_the_rough_product_cannot_tell_apart_is_searched_more_precisely(
    precisions: list[str], spread: float, closest: str
) -> None:
    rng = np.random.default_rng(11)
    query = unit(rng.normal(size=(1, 64)))
    texts = unit(query + spread * rng.normal(size=(4000, 64)) / 8)
    moments = [[row] for row in range(4000)]
    ranking = search(query, Targets.of(texts, moments), k=20, precision="bfloat16")
    assert precisions == ["bfloat16", "float32", "float64"][: ["bfloat16", "float32", "float64"].index(closest) + 1]
    assert pairs(ranking) == reference(query, texts, moments, 20)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("towards", [0.0, 0.6, -0.6], ids=["all about", "near the queries", "away from the queries"])
@pytest.mark.parametrize("k", [1, 7, 200])
def test_it_is_the_reference_over_many_chunks_and_tiles(
    precision: str, towards: float, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds are taken from chunks of products; where all point away, every product of a chunk is negative."""
    monkeypatch.setattr(rough_products, "TEXTS_AT_ONCE", 1000)
    rng = np.random.default_rng(11)
    texts = unit(rng.normal(size=(3010, 16)) + towards * 4)
    texts[rng.choice(3010, 300)] = texts[5]
    queries = unit(rng.normal(size=(6, 16)) * 0.3 + 1)
    moments = [[number % 2800] for number in range(3010)]
    ranking = search(queries, Targets.of(texts, moments), k=k, precision=precision)
    assert pairs(ranking) == reference(queries, texts, moments, k)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_thousands_of_equal_texts_are_ranked_by_moment_id(precision: str) -> None:
    texts = np.repeat(unit(np.ones((1, 32))), 5000, axis=0)
    moments = [[5000 - row] for row in range(5000)]
    ranking = search(texts[:2], Targets.of(texts, moments), k=40, precision=precision)
    assert ranking.moments.tolist() == [list(range(1, 41))] * 2
    assert (ranking.similarities == 1.0).all()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_it_looks_deeper_until_there_are_k_different_moments(precision: str) -> None:
    rng = np.random.default_rng(5)
    query = unit(rng.normal(size=(1, 16)))
    near = unit(query + 0.01 * rng.normal(size=(1500, 16)))
    far = unit(rng.normal(size=(50, 16)))
    moments = [[7]] * 1500 + [[100 + row] for row in range(50)]
    texts = np.concatenate([near, far])
    ranking = search(query, Targets.of(texts, moments), k=10, precision=precision)
    assert pairs(ranking) == reference(query, texts, moments, 10)


def test_memory_changes_nothing_but_the_tiles() -> None:
    vectors = unit(np.random.default_rng(1).normal(size=(2500, 24)))
    targets = Targets.of(vectors, [[row] for row in range(2500)])
    small, large = search(vectors, targets, k=9, memory_mb=1), search(vectors, targets, k=9, memory_mb=512)
    assert np.array_equal(small.moments, large.moments)
    assert np.array_equal(small.similarities, large.similarities)


def test_each_query_is_reported_once(precisions: list[str]) -> None:
    rng = np.random.default_rng(2)
    vectors = unit(np.concatenate([np.ones((1500, 8)), rng.normal(size=(1500, 8))]))
    done: list[int] = []
    search(vectors[1400:1600], Targets.of(vectors, [[r] for r in range(3000)]), k=3, progress=done.append)
    assert sum(done) == 200
    assert "float64" in precisions


def test_fewer_moments_than_k_leave_places_unused() -> None:
    vectors = unit(np.eye(3))
    ranking = search(vectors, Targets.of(vectors, [[4], [4, 9], [9]]), k=5)
    assert ranking.moments.tolist() == [[4, 9, -1, -1, -1], [4, 9, -1, -1, -1], [9, 4, -1, -1, -1]]
    assert ranking.similarities[0].tolist()[:2] == [1.0, 0.0]


def test_bad_input_is_refused() -> None:
    vectors = unit(np.eye(3))
    with pytest.raises(ValueError, match="found k 0, expected at least 1"):
        search(vectors, Targets.of(vectors, [[1]] * 3), k=0)
    with pytest.raises(ValueError, match="found 2 lists of moments, expected one for 3 texts"):
        Targets.of(vectors, [[1]] * 2)
    with pytest.raises(ValueError, match="found queries of shape"):
        search(unit(np.eye(4)), Targets.of(vectors, [[1]] * 3), k=1)
