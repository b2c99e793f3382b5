"""Which campaigns wait for their organiser, as the overview counts them."""

import pytest
from django.utils import timezone

from campaigns.models import Campaign
from campaigns.organising.selectors import waiting_campaigns
from desk.attention import attention
from tests.campaigns.worlds import Shared, build_shared, end

pytestmark = pytest.mark.django_db


def test_a_campaign_waits_while_a_member_of_the_collection_is_in_a_team(shared: Shared) -> None:
    other = build_shared("other").collection
    place = shared.collection.memberships.create(account=shared.accounts["rob"], role="annotator", worker="w09")
    assert list(waiting_campaigns(shared.collection)) == [shared.campaign]
    assert attention(shared.collection)[0].campaigns == 1
    assert not waiting_campaigns(other)
    place.delete()
    assert not waiting_campaigns(shared.collection)


def test_a_campaign_waits_from_when_its_results_are_due_until_they_are_open(shared: Shared) -> None:
    assert attention(shared.collection)[0].campaigns == 0
    end(shared.campaign)
    assert attention(shared.collection)[0].campaigns == 1
    Campaign.objects.update(results_opened_at=timezone.now())
    assert attention(shared.collection)[0].campaigns == 0
