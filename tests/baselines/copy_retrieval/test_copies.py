"""Copies keep their shape, are the same from the same seed, and are changed as their names say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from baselines.arrays import ByteArray
from baselines.copy_retrieval import picture_changes, time_changes
from baselines.copy_retrieval.copies import generator_of, strong_copy, weak_copy

patient = settings(max_examples=25, deadline=None)
seeds, lengths = st.integers(0, 10_000), st.integers(4, 30)


def clip(frames: int = 6, size: int = 32) -> ByteArray:
    return np.random.default_rng(1).integers(0, 256, (frames, size, size, 3), dtype=np.uint8)


@given(seeds, lengths)
@patient
def test_every_drawn_order_has_the_clips_length_and_frames_of_the_video(seed: int, length: int) -> None:
    order = time_changes.drawn_order(length, np.random.default_rng(seed))
    assert order.shape == (length,)
    assert order.min() >= time_changes.BLANK
    assert order.max() < 2 * length


def test_speed_and_reverse_are_what_they_say() -> None:
    assert time_changes.fast_forward(4).tolist() == [0, 2, 4, 6]
    assert time_changes.slow_motion(5).tolist() == [0, 0, 1, 1, 2]
    assert time_changes.reverse_play(3).tolist() == [2, 1, 0]


@given(seeds, lengths)
@patient
def test_a_pause_holds_one_frame_and_goes_on(seed: int, length: int) -> None:
    order = time_changes.pause(length, np.random.default_rng(seed))
    steps = np.diff(order)
    assert len(order) == length
    assert order[0] == 0
    assert set(steps.tolist()) <= {0, 1}
    assert (steps == 0).any() or order[-1] == length - 1  # drawn was the last frame, which nothing follows


@given(seeds, lengths)
@patient
def test_shuffled_sub_clips_are_all_there_and_dropped_ones_are_never_all(seed: int, length: int) -> None:
    shuffled = time_changes.shuffle_sub_clips(length, np.random.default_rng(seed))
    assert sorted(shuffled.tolist()) == list(range(length))
    dropped = time_changes.drop_sub_clips(length, np.random.default_rng(seed))
    assert (dropped >= 0).any()
    assert all(found in (place, time_changes.BLANK) for place, found in enumerate(dropped.tolist()))


def test_pictures_keep_shape_and_type() -> None:
    frames, rng = clip(), np.random.default_rng(3)
    for changed in (
        picture_changes.rand_augment(frames, rng),
        picture_changes.overlay(frames, rng),
        picture_changes.blur(frames, rng),
        picture_changes.flip(frames),
        picture_changes.mix_up(frames, frames[::-1], rng),
        picture_changes.crop(frames, rng, size=32, least=0.3),
    ):
        assert changed.shape == frames.shape
        assert changed.dtype == np.uint8
        assert not np.array_equal(changed, frames)


def test_flipping_twice_gives_the_clip_and_a_crop_of_a_plain_picture_is_plain() -> None:
    frames = clip()
    assert np.array_equal(picture_changes.flip(picture_changes.flip(frames)), frames)
    plain = np.full((2, 40, 30, 3), 77, dtype=np.uint8)
    cropped = picture_changes.crop(plain, np.random.default_rng(0), size=16, least=0.3)
    assert cropped.shape == (2, 16, 16, 3)
    assert (cropped == 77).all()


def test_rand_augment_does_two_operations_to_all_frames_alike_and_none_beyond_its_magnitude() -> None:
    same = np.repeat(clip(1), 3, axis=0)
    made = [picture_changes.rand_augment(same, np.random.default_rng(seed)) for seed in range(60)]
    assert all(np.array_equal(frame, changed[0]) for changed in made for frame in changed)
    assert sum(np.array_equal(changed, same) for changed in made) < 10  # twice the identity, or the like
    picture = Image.fromarray(np.full((331, 331, 3), 200, np.uint8))
    at_9 = [np.asarray(operation(picture, 9 / 30)) for operation in picture_changes.AUGMENTATIONS]
    black_of_translate = (at_9[3] == 0).all(axis=(0, 2)).sum()
    assert black_of_translate == 45  # 150 * 9 / 30 of 331 pixels
    assert at_9[6].max() == 254  # 200 * (1 + 0.9 * 9 / 30)
    assert at_9[10].max() == 200 & 0b11111110  # one bit less
    assert at_9[11].max() == 255 - 200  # above 178
    assert len(picture_changes.AUGMENTATIONS) == 14


def test_overlay_and_blur_change_some_frames_and_leave_the_others() -> None:
    frames = clip(200)
    for change, likely in ((picture_changes.overlay, 1 - 0.7**2), (picture_changes.blur, 0.5)):
        changed = (change(frames, np.random.default_rng(2)) != frames).any(axis=(1, 2, 3)).mean()
        assert abs(changed - likely) < 0.12


def test_a_blurred_picture_has_less_contrast() -> None:
    frames = clip()
    assert picture_changes.blur(frames, np.random.default_rng(0)).std() < frames.std()


def test_a_video_within_another_leaves_the_host_around_it() -> None:
    white, black = np.full((3, 40, 40, 3), 255, np.uint8), np.zeros((3, 40, 40, 3), np.uint8)
    mixed = picture_changes.mix_up(white, black, np.random.default_rng(5))
    share = (mixed == 255).mean()
    low, high = picture_changes.EMBEDDED
    assert low * 0.9 <= share <= high * 1.1
    with pytest.raises(ValueError, match="found a host of shape"):
        picture_changes.mix_up(white, black[:2], np.random.default_rng(5))


def test_the_same_seed_gives_the_same_copy_and_another_number_another() -> None:
    video, host = clip(20), clip(7)
    made = [strong_copy(video, 6, 6, host, generator_of(1, "v", 1, number), size=24) for number in (1, 1, 2)]
    assert np.array_equal(made[0], made[1])
    assert not np.array_equal(made[0], made[2])
    assert weak_copy(video, 14, 6, generator_of(1, "v", 2, 0), size=24).shape == (6, 24, 24, 3)


def test_copies_of_many_seeds_fit_at_a_videos_end_and_beside_a_short_host() -> None:
    video, host = clip(12), clip(2)
    for seed in range(30):
        copy = strong_copy(video, 6, 6, host, generator_of(seed, "v", 1, 1), size=24)
        assert copy.shape == (6, 24, 24, 3)
