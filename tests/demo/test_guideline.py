"""The demo's guideline is there with its worked examples."""

from annotation.models import Guideline, WorkedItem
from demo.build import publish_guideline_with_examples
from demo.simulated_applicants import WHY
from tests.annotation.conftest import school
from tests.conftest import World

__all__ = ["school"]


def test_the_demo_has_a_published_guideline_with_explained_examples(school: World) -> None:
    publish_guideline_with_examples(school.collection, lambda asked, moment: 2.6)
    published = Guideline.objects.get()
    assert [(row["grade"], row["why"]) for row in published.examples] == [(3, WHY[3])] * 10
    assert WorkedItem.objects.filter(use="practice", grade=3).count() == 10
