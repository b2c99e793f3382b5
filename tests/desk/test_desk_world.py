"""The generated collection that the desk is measured on: in small, all of it follows from the rule."""

import pytest
from django.db.models import Count

from annotation.models import Judgment
from benchmarks.worlds.desk import PAPER, SMALL, build_desk_world, check


def test_the_paper_s_size() -> None:
    assert (PAPER.queries, PAPER.pairs, PAPER.judgments, PAPER.people) == (3281, 96_000, 227_808, 23)


@pytest.mark.django_db
def test_every_pair_s_state_follows_from_its_judgments_and_nobody_judges_one_twice() -> None:
    build_desk_world("desk", size=SMALL)
    check("desk", size=SMALL)
    assert not Judgment.objects.values("pair", "annotator").annotate(n=Count("pk")).filter(n__gt=1).exists()
    assert Judgment.objects.values("annotator").distinct().count() == SMALL.people
