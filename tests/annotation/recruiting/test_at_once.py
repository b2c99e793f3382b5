"""People who come at the same moment: nobody becomes two workers, and a place for one lets one in."""

from collections.abc import Callable

import pytest

from annotation.models import Recruit, Recruitment, RecruitSession
from annotation.recruiting.entering import enter
from annotation.recruiting.platforms import Ids
from foundation.models import Account, Membership
from foundation.refused import Refused
from tests.annotation.judging.test_concurrency import at_once
from tests.annotation.recruiting.platform import recruit
from tests.conftest import build_world

pytestmark = pytest.mark.django_db(transaction=True)


def test_nobody_becomes_two_and_a_place_for_one_lets_one_in() -> None:
    world = build_world()
    first, second = (recruit(world["ada"], name=name) for name in ("first", "second"))
    alone = recruit(world["ada"], name="alone", people=1)
    refused: list[str] = []

    def come(recruitment: Recruitment, person: str, session: str) -> Callable[[], None]:
        def work() -> None:
            try:
                enter(recruitment=recruitment, ids=Ids(person, session))
            except Refused as refusal:
                refused.append(str(refusal))

        return work

    at_once([come(first, "p1", "s1"), come(first, "p1", "s1"), come(second, "p1", "s2"), come(second, "p1", "s3")])
    assert Recruit.objects.count() == 1 == RecruitSession.objects.filter(ended_at=None).count()
    refused.clear()
    at_once([come(alone, f"q{number}", f"t{number}") for number in range(4)])
    assert alone.sessions.count() == 1 and len(refused) == 3
    assert Recruit.objects.count() == 2 == Membership.objects.filter(recruited=True).count()
    assert Account.objects.filter(username__startswith="participant-").count() == 2, "no account is left behind"
