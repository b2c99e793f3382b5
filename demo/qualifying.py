"""The check's qualification: two applicants are invited and admitted, a third is declined."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connections

from demo import truth, verify
from demo.build import ANNOTATORS, PASSWORD
from demo.faults import CheckFailed
from demo.simulated_annotators import TEMPERS, Temper, Visitor
from demo.simulated_applicants import Examiner, SimulatedApplicant, join
from foundation.models import Collection

INVITED = 2
LATE = "hal"
HASTY = Temper(-2.0, 0.5, 0.5)
"""Who comes late is far off so often that some grades are surely judged again."""
QUERIES, CANDIDATES = 4, 5
"""A small exam: the procedure's 10 x 10 would only repeat itself."""


def qualify(collection: Collection, address: str, lead: Visitor, suffix: str, known: truth.ItemTruth) -> dict[str, Any]:
    """Run the qualification, check it, and return figures for the summary. Raises: CheckFailed, SimulationError."""
    examiner = Examiner(lead, collection.name, truth.worked_truth(known))
    examiner.prepare(examples=2, practice=1, queries=QUERIES, candidates=CANDIDATES, seed=7)
    of_item = truth.rehearsal_truth(known)

    def invited(link: str, name: str, temper: Temper, seed: int) -> SimulatedApplicant:
        visitor = join(link, name + suffix, PASSWORD)
        return SimulatedApplicant(visitor, collection.name, temper, of_item, seed, watch=collection.has_clips)

    link = examiner.invite(INVITED)
    names = ANNOTATORS[-INVITED:]
    cohort = [
        invited(link, name, temper, place)
        for place, (name, temper) in enumerate(zip(names, TEMPERS[-INVITED:], strict=True))
    ]
    _train_and_examine(cohort)
    examiner.close_cohort()
    late = invited(examiner.invite(1), LATE, HASTY, INVITED)
    late.train()
    late.sit_exam()
    for person in [*cohort, late]:
        person.learn()
    results = examiner.results()
    examiner.decide({person["member"]: person["cohort"] for person in examiner.people()})
    if not late.is_turned_away():
        raise CheckFailed("a declined applicant was not turned away from judging")
    verify.exam_left_judging_alone(collection)
    verify.truth_is_the_median(collection, cohort=INVITED, later=1)
    again = sum(person.done.again for person in [*cohort, late])
    if not again or results["out"] is None or results["agreement"]["kappa"] is None:
        raise CheckFailed(f"the exam ended with {again} grades given again, and the results {results}")
    return {
        "exam grades": sum(person.done.examined for person in [*cohort, late]),
        "exam out at first, %": round(100 * results["out"], 2),
        "exam judged again": again,
        "exam mean kappa": round(results["agreement"]["kappa"], 2),
    }


def _train_and_examine(people: list[SimulatedApplicant]) -> None:
    """All of them at once. Raises: the first failure, when all have ended."""

    def work(person: SimulatedApplicant) -> None:
        try:
            person.train()
            person.sit_exam()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(people)) as threads:
        list(threads.map(work, people))
