"""Small random worlds: ground truths and runs full of ties, empty lists and exact boundaries."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from evaluation import GroundTruth, JudgedMoment, Prediction, Run, evaluate

VIDEOS = ("v1", "v2", "v3")


@dataclass(frozen=True)
class World:
    """What was judged, what was returned (in order of rank), by query."""

    judged: dict[str, list[tuple[str, float, float, float]]]
    answers: dict[str, list[tuple[str, float, float]]]
    scores: dict[str, list[float]]

    def ground_truth(self) -> GroundTruth:
        return GroundTruth.of(
            (query_id, [JudgedMoment(*moment) for moment in moments]) for query_id, moments in self.judged.items()
        )

    def run(self, name: str = "run") -> Run:
        return Run.of(
            name,
            (
                (query_id, [Prediction(*p, score=s) for p, s in zip(ps, self.scores[query_id], strict=True)])
                for query_id, ps in self.answers.items()
            ),
        )

    def ranked(self, query_id: str) -> list[tuple[str, float, float]]:
        """The predictions of a query as the oracle wants them; equal scores keep file order."""
        rows = zip(self.answers.get(query_id, []), self.scores.get(query_id, []), strict=True)
        return [prediction for prediction, _ in sorted(rows, key=lambda row: -row[1])]


@st.composite
def spans(draw: st.DrawFn) -> tuple[float, float]:
    """Intervals on a coarse grid, so that equal overlaps and exact boundaries are common."""
    start = draw(st.integers(0, 12))
    return start / 2, (start + draw(st.integers(1, 10))) / 2


@st.composite
def worlds(draw: st.DrawFn) -> World:
    judged, answers, scores = {}, {}, {}
    for number in range(draw(st.integers(1, 4))):
        query_id = f"q{number}"
        judged[query_id] = [
            (draw(st.sampled_from(VIDEOS)), *draw(spans()), float(draw(st.integers(0, 4))))
            for _ in range(draw(st.integers(0, 6)))
        ]
        if draw(st.integers(0, 5)):  # one in six is not answered
            count = draw(st.integers(0, 9))
            answers[query_id] = [(draw(st.sampled_from((*VIDEOS, "elsewhere"))), *draw(spans())) for _ in range(count)]
            scores[query_id] = [float(draw(st.integers(0, 4))) for _ in range(count)]
    if not answers:
        answers["q0"], scores["q0"] = [], []
    return World(judged, answers, scores)


def value(
    measure: str,
    judged: list[tuple[str, float, float, float]],
    ranked: list[tuple[str, float, float]],
    convention: str = "paper",
) -> float:
    """One query's value: what was judged, what was returned in order of rank."""
    truth = GroundTruth.of([("q", [JudgedMoment(*moment) for moment in judged])])
    run = Run.of("run", [("q", [Prediction(*prediction) for prediction in ranked])])
    return evaluate(truth, [run], [measure], convention=convention)[0].value
