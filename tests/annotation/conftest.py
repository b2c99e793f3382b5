"""A collection whose exam can be drawn, and people on their way to judging."""

import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from annotation.models import Exam, ExamSitting
from annotation.qualification.exam_sampling import draw_exam
from annotation.qualification.exams import answer_exam, begin_exam, hand_in, items_left, open_exam
from foundation.models import Collection, Membership
from queries.pooling.candidates import fetch_candidates
from tests.conftest import World, build_world, find_world


def build_school() -> None:
    """Twelve pseudo-training queries beside two test queries; bo, cy, di, ed and flo are candidates."""
    collection = build_world(queries=2, candidates=14).collection
    fetch_candidates(collection=collection)
    collection.memberships.filter(role=Membership.Role.ANNOTATOR).update(status=Membership.Status.APPLICANT)


@pytest.fixture(scope="module")
def school_of_the_file(once_a_file: Any) -> None:
    """For files whose every test stands on a school: `pytestmark = pytest.mark.usefixtures("school_of_the_file")`."""
    once_a_file(build_school)


@pytest.fixture
def school(request: pytest.FixtureRequest, db: None) -> World:
    """A collection whose exam can be drawn, as `build_school` makes it."""
    if "school_of_the_file" not in request.fixturenames:
        build_school()
    return find_world()


@dataclass
class Hall:
    """An open exam of 3 queries with 4 clips each, and who sits it."""

    world: World
    exam: Exam

    @property
    def collection(self) -> Collection:
        return self.world.collection

    def begin(self, name: str) -> ExamSitting:
        return begin_exam(member=self.world[name])

    def sit(self, name: str, grades: Any) -> ExamSitting:
        """Begin, grade every item in the order of the exam by `grades(place)`, and hand in."""
        sitting = self.begin(name)
        places = {item.pk: place for place, item in enumerate(self.exam.items.order_by("pk"))}
        for item in items_left(sitting):
            grade = grades(places[item.pk])
            answer_exam(sitting=sitting, item_id=item.public_id, grade=grade, key=uuid.uuid4(), played=None)
        hand_in(sitting=sitting)
        sitting.refresh_from_db()
        return sitting


@pytest.fixture
def hall(school: World) -> Hall:
    exam = draw_exam(collection=school.collection, seed=1, queries=3, candidates=4).exam
    open_exam(exam=exam)
    return Hall(school, exam)
