"""Names that differ a little: what is proposed, how sure it is, and what never is."""

import pytest

from corpus.video_import.near_names import propose


def proposed(videos: list[str], files: list[str]) -> dict[str, tuple[str, str]]:
    return {proposal.video: (proposal.file, proposal.why) for proposal in propose(videos, files)}


@pytest.mark.parametrize(
    ("video", "file", "why"),
    [
        ("Film One", "x/film one.MP4", "capital letters"),
        ("clip.mp4", "clip.mkv", "another suffix"),
        ("shows/house/s01e01", "house/s01e01.mp4", "in a folder"),
        ("the_big-ship", "The Big Ship.mp4", "separators or zeros"),
        ("friends_s01e01", "friends/s01e01.mp4", "folders in the name"),
        ("cafe\u0301", "caf\u00e9.mp4", "capital letters"),
        ("take.2", "x/take.2.mov", "in a folder"),
    ],
)
def test_what_can_hardly_be_anything_else_is_sure(video: str, file: str, why: str) -> None:
    (proposal,) = propose([video, "other 7"], [file, "unlike 9.mp4"])
    assert (proposal.video, proposal.file, proposal.why, proposal.sure) == (video, file, why, True)


def test_what_is_only_similar_is_not_sure() -> None:
    (proposal,) = propose(["kitchen scene 4"], ["kitchen_scenes_4.mp4"])
    assert (proposal.why, proposal.sure) == ("similar", False)


def test_numbers_are_never_taken_for_one_another() -> None:
    assert proposed(["s01e01", "s01e02"], ["S01E03.mp4", "s01e04_.mp4"]) == {}
    assert proposed(["part 2"], ["part 02.mp4"]) == {"part 2": ("part 02.mp4", "separators or zeros")}


def test_where_two_come_into_question_nothing_is_proposed() -> None:
    assert proposed(["film"], ["a/FILM.mp4", "b/Film.mkv"]) == {}
    assert proposed(["Film", "FILM"], ["film.mp4"]) == {}
    assert proposed(["the long scene"], ["the long scenes.mp4", "the long scenee.mp4"]) == {}


def test_a_thousand_names_of_each_are_paired() -> None:
    videos, files = [f"Show_S{n:04}" for n in range(1000)], [f"x/show s{n:04}.mp4" for n in range(1000)]
    assert len(propose(videos, files)) == 1000
    assert propose([], files) == propose(videos, []) == []
