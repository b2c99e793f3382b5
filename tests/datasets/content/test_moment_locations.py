"""Moments' places, held as columns."""

import numpy as np
import pytest

from datasets.content.moment_locations import MomentLocation, MomentLocations

DURATIONS = {"alpha": 60.5, "beta": None, "gamma": 0.0}


def made() -> MomentLocations:
    rows = [(3, 20, 1.0, 2.5), (5, 10, 4.0, 9.0), (8, 10, 0.5, 2.0), (9, 30, 0.0, 1.0)]
    return MomentLocations(rows, names={10: "alpha", 20: "beta", 30: "gamma"}, durations=DURATIONS)


def test_a_place_is_found_by_its_moment() -> None:
    places = made()
    assert places[5] == MomentLocation("alpha", (4.0, 9.0), 60.5)
    assert places[3].duration is None
    assert 9 in places and 4 not in places and 10 not in places
    for unknown in (1, 4, 10):
        with pytest.raises(KeyError):
            places[unknown]


def test_places_are_in_the_order_of_videos_and_times() -> None:
    assert [(place.video_name, place.timestamp[0]) for place in made().in_order()] == [
        ("alpha", 0.5),
        ("alpha", 4.0),
        ("beta", 1.0),
        ("gamma", 0.0),
    ]


def test_a_video_without_a_duration_has_no_shares() -> None:
    assert made().shares().tolist() == [5.0 / 60.5, 1.5 / 60.5]


def test_some_moments_are_counted_once_and_unknown_ones_passed_over() -> None:
    some = made().nothing_selected()
    some.add(np.array([8, 5, 8, -1, 4, 100]))
    some.add(np.array([5, 3]))
    assert (len(some), some.videos) == (3, 2)
    assert [place.timestamp[0] for place in some] == [1.0, 4.0, 0.5]


def test_a_collection_without_moments_has_none() -> None:
    nothing = MomentLocations([], names={}, durations={})
    some = nothing.nothing_selected()
    some.add(np.array([1, 2]))
    assert (len(nothing), len(some), list(nothing.in_order()), nothing.moments_a_video()) == (0, 0, [], [])
    assert 1 not in nothing
