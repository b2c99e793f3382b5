"""The paper theatre: what it writes, that it is the same every time, and that it can be interrupted."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

from demo.theatre import Scene, build_theatre, read_scenes, write_programme
from demo.theatre.cast import CAST, PLACES
from demo.theatre.film import draw_frame
from demo.theatre.script import write_films
from demo.theatre.workshop import film_stamp
from tests.drawn import TwoFilms
from tests.paths import ROOT

pytestmark = pytest.mark.long

Built = tuple[Path, list[Scene], list[tuple[int, int]]]


@pytest.fixture(scope="module")
def theatre(two_films: TwoFilms, tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("theatre")
    shutil.copytree(two_films.folder, folder, dirs_exist_ok=True)
    return folder, two_films.scenes, two_films.told


@pytest.fixture(scope="module")
def season() -> list[Scene]:
    """Every scene of the season of 40, without drawing any."""
    return [scene for film in write_films(40, 7) for scene in film.scenes]


def test_a_season_has_about_three_hundred_descriptions_of_forty_videos(season: list[Scene]) -> None:
    assert 280 <= len(season) <= 330
    per_video = Counter(s.video_name for s in season)
    assert len(per_video) == 40
    assert min(per_video.values()) >= 5 and max(per_video.values()) <= 12
    assert all(30 <= s.duration <= 60 for s in season)


def test_description_ids_are_unique_and_moments_lie_within_their_videos(season: list[Scene]) -> None:
    assert [s.description_id for s in season] == list(range(1, len(season) + 1))
    for s in season:
        assert 0 <= s.start < s.end <= s.duration
        assert 2 <= s.end - s.start <= 12
        assert s.place in PLACES and s.actor in CAST and s.partner in {None, *CAST}
        assert s.partner != s.actor


def test_some_moments_are_described_twice_and_some_share_part_of_their_time(season: list[Scene]) -> None:
    by_moment: dict[tuple[str, float, float], list[Scene]] = {}
    for s in season:
        by_moment.setdefault((s.video_name, s.start, s.end), []).append(s)
    twice = [group for group in by_moment.values() if len(group) > 1]
    assert 8 <= len(twice) <= 40
    assert all(len({s.description for s in group}) == len(group) for group in twice)
    spans = sorted(by_moment)
    assert any(a[0] == b[0] and b[1] < a[2] and a != b for a, b in pairwise(spans))


def test_descriptions_name_people_and_every_action_recurs(season: list[Scene]) -> None:
    names = [word for p in CAST.values() for word in (p.name, p.title)]
    named = [s for s in season if any(name in s.description for name in names)]
    assert 0.93 * len(season) < len(named) < len(season)
    kinds = Counter(s.kind for s in season)
    assert set(kinds) == {"v", "t", "vt"} and kinds["v"] > 0.85 * len(season)
    actions = Counter(s.action for s in season if " and " not in s.action)
    assert len(actions) >= 28 and min(actions.values()) >= 2
    assert all("{" not in s.description and "  " not in s.description for s in season)
    assert all(s.description[0].isupper() for s in season)


def test_the_cast_is_five_women_and_five_men() -> None:
    assert Counter(p.gender for p in CAST.values()) == {"woman": 5, "man": 5}


def test_films_do_not_depend_on_how_many_follow() -> None:
    few, many = write_films(3, 7), write_films(6, 7)
    assert [f.scenes for f in few] == [f.scenes for f in many[:3]]


def test_seeds_differ() -> None:
    assert write_films(1, 7)[0].scenes != write_films(1, 8)[0].scenes


def test_a_theatre_without_videos_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one"):
        build_theatre(tmp_path, videos=0)


def test_it_writes_tvr_rows_and_facts_that_read_back(theatre: Built) -> None:
    folder, scenes, told = theatre
    assert read_scenes(folder) == scenes
    rows = [json.loads(line) for line in (folder / "descriptions.jsonl").read_text("utf-8").splitlines()]
    assert [r["desc_id"] for r in rows] == [s.description_id for s in scenes]
    first = scenes[0]
    assert rows[0] == {
        "vid_name": first.video_name,
        "duration": first.duration,
        "ts": [first.start, first.end],
        "desc": first.description,
        "type": first.kind,
        "desc_id": first.description_id,
    }
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_its_videos_open_with_the_right_size_rate_and_duration(theatre: Built) -> None:
    import av

    folder, scenes, _ = theatre
    durations = {s.video_name: s.duration for s in scenes}
    paths = sorted((folder / "videos").iterdir())
    assert [p.name for p in paths] == [f"{name}.mp4" for name in sorted(durations)]
    for path in paths:
        assert path.stat().st_size < 250_000
        content = path.read_bytes()
        assert content.index(b"moov") < content.index(b"mdat"), "not ready to play while it loads"
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            assert stream.codec_context.name == "h264"
            assert stream.codec_context.pix_fmt == "yuv420p"
            assert (stream.width, stream.height) == (768, 432)
            assert stream.average_rate == 12
            frames = sum(1 for _ in container.decode(stream))
            assert abs(frames / 12 - durations[path.stem]) <= 1 / 12


def test_it_builds_the_same_bytes_by_the_same_seed_in_a_daemon_process_and_in_a_thread(
    theatre: Built, tmp_path: Path
) -> None:
    """A Celery worker's processes are daemons; multiprocessing would refuse them children."""
    program = (
        "import multiprocessing, sys, threading\nfrom pathlib import Path\n"
        "from demo.theatre import build_theatre\n"
        "def work(folder):\n"
        "    options = {'videos': 2, 'seed': 7}\n"
        "    t = threading.Thread(target=build_theatre, args=(Path(folder),), kwargs=options)\n"
        "    t.start(); t.join()\n"
        "if __name__ == '__main__':\n"
        "    p = multiprocessing.get_context('fork').Process(target=work, args=(sys.argv[1],), daemon=True)\n"
        "    p.start(); p.join(); sys.exit(p.exitcode)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, check=True)
    folder, scenes, _ = theatre
    assert read_scenes(tmp_path) == scenes
    again = {path.name: path.read_bytes() for path in (tmp_path / "videos").iterdir()}
    assert again == {path.name: path.read_bytes() for path in (folder / "videos").iterdir()} and len(again) == 2


def test_the_descriptions_of_a_shorter_season_are_the_first_of_a_longer_one(theatre: Built, tmp_path: Path) -> None:
    write_programme(tmp_path, videos=1, seed=7)
    lines = (tmp_path / "descriptions.jsonl").read_text("utf-8")
    assert (theatre[0] / "descriptions.jsonl").read_text("utf-8").startswith(lines)


def test_frames_move_but_are_the_same_when_drawn_again() -> None:
    film, again = write_films(1, 7)[0], write_films(1, 7)[0]
    middle = film.scenes[2]
    at = round((middle.start + middle.end) / 2 * 12)
    assert draw_frame(film, at).tobytes() == draw_frame(again, at).tobytes()
    assert draw_frame(film, at).tobytes() != draw_frame(film, at + 6).tobytes()


def test_a_finished_theatre_is_left_alone_and_broken_files_are_made_anew(theatre: Built) -> None:
    folder, scenes, _ = theatre
    first, second = sorted((folder / "videos").iterdir())
    whole, untouched = first.read_bytes(), second.stat().st_mtime_ns
    first.write_bytes(whole[: len(whole) // 2])
    (folder / "videos" / f".{second.stem}.1.part").write_bytes(b"half")
    (folder / "scenes.json").unlink()
    assert build_theatre(folder, videos=2, seed=7) == scenes
    assert first.read_bytes() == whole
    assert second.stat().st_mtime_ns == untouched
    assert read_scenes(folder) == scenes
    progress: list[tuple[int, int]] = []
    build_theatre(folder, videos=2, seed=7, progress=lambda done, all_: progress.append((done, all_)))
    assert progress == [(2, 2)]


def test_a_build_that_is_killed_leaves_no_file_that_looks_finished(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from demo.theatre import build_theatre\n"
        "build_theatre(Path(sys.argv[1]), videos=1, seed=3)"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT)
    videos = tmp_path / "videos"
    try:
        while process.poll() is None and not (videos.is_dir() and any(videos.glob(".*.part"))):
            threading.Event().wait(0.02)
    finally:
        process.kill()
        process.wait()
    assert not list(videos.glob("*.mp4"))
    assert not (tmp_path / "scenes.json").exists()


def test_a_small_film_shows_the_same_in_half_the_size_and_is_taken_for_no_other() -> None:
    film = write_films(1, 7)[0]
    at = round(film.scenes[0].start * 12) + 6
    program = (
        "import sys; from demo.theatre import paper; paper.draw_small()\n"
        "from demo.theatre.film import draw_frame; from demo.theatre.script import write_films\n"
        "sys.stdout.buffer.write(draw_frame(write_films(1, 7)[0], int(sys.argv[1])).tobytes())"
    )
    drawn = subprocess.run([sys.executable, "-c", program, str(at)], cwd=ROOT, check=True, capture_output=True).stdout
    large = draw_frame(film, at)
    half = large.resize((large.width // 2, large.height // 2), Image.Resampling.BOX)
    small = Image.frombytes("RGB", half.size, drawn)
    apart = ImageStat.Stat(ImageChops.difference(half, small)).mean
    assert max(apart) < 12, apart
    assert film_stamp(film, 7, small=True) != film_stamp(film, 7)


def test_importing_it_loads_no_imaging_library() -> None:
    """A web process imports the theatre's facts; it never draws."""
    program = (
        "import sys, demo.theatre\n"
        "sys.exit(', '.join(m for m in ('PIL', 'av', 'numpy', 'django') if m in sys.modules) or 0)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_a_film_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    def lose_the_folder(done: int, videos: int) -> None:
        """Told before the first film is begun; where it shall lie nothing can be written then."""
        (tmp_path / "videos").rmdir()

    with pytest.raises((RuntimeError, OSError), match=r"video \d could not be made"):
        build_theatre(tmp_path, videos=2, seed=7, progress=lose_the_folder)
    assert not (tmp_path / "scenes.json").exists()


def test_what_a_killed_build_left_is_swept_away_later(theatre: Built) -> None:
    folder, _, _ = theatre
    old, new = (folder / "videos" / f".left.{pid}.part" for pid in (1, 2))
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (1, 1))
    build_theatre(folder, videos=2, seed=7)
    assert not old.exists() and new.exists()
    new.unlink()
