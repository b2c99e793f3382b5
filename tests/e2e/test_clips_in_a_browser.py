"""Real video files and the drawn theatre: imported, cut, and played in a real browser."""

import base64
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from PIL import Image

from corpus.description_import.import_descriptions import import_descriptions
from corpus.models import Clip
from foundation.collections.members import add_member, get_or_create_collection
from foundation.models import Account, Collection
from tests.corpus import films

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

MOMENTS = ((0.0, 1.0), (1.48, 3.0))

PLAY = """async (address) => {
  const video = document.createElement("video");
  Object.assign(video, { src: address, muted: true, loop: true, playsInline: true, preload: "auto" });
  document.body.append(video);
  const once = (name) => new Promise((good, bad) => {
    video.addEventListener(name, good, { once: true });
    video.addEventListener("error", () => bad(new Error(video.error?.message || "no video")), { once: true });
  });
  await once("canplaythrough");
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  const pixels = () => {
    const context = canvas.getContext("2d");
    context.drawImage(video, 0, 0);
    try {
      return canvas.toDataURL("image/png");
    } catch {
      return null;  // from another origin it may be shown and not read
    }
  };
  // "seeked" may come before the frame is there to be drawn: the frame itself tells when it is shown. It says
  // nothing when it was shown already, which is why nobody waits for it longer than a second.
  const go = async (time) => {
    const there = once("seeked");
    const drawn = new Promise((good) => video.requestVideoFrameCallback(good));
    video.currentTime = time;
    await there;
    await Promise.race([drawn, new Promise((good) => setTimeout(good, 1000))]);
  };
  await go(0.001);
  const first = pixels();
  await go(video.duration - 0.005);
  const last = pixels();
  // In a loop: over the end and on from the beginning.
  const before = video.currentTime;
  await video.play();
  while (video.currentTime >= before || video.currentTime < 0.05) await new Promise(requestAnimationFrame);
  const told = { width: video.videoWidth, height: video.videoHeight, duration: video.duration, first, last };
  video.remove();
  return told;
}"""


@pytest.fixture
def real_collection(collection: Collection, tmp_path: Path) -> Collection:
    """The four real files beside the theatre's collection, through the commands that people use."""
    made = get_or_create_collection(name="real", title="Real files")
    rows = [
        {
            "vid_name": Path(name).stem,
            "ts": span,
            "desc": "Somebody moves.",
            "type": "v",
            "desc_id": len(MOMENTS) * n + m,
        }
        for n, name in enumerate(films.REAL)
        for m, span in enumerate(MOMENTS)
    ]
    durations = {Path(name).stem: films.times_of(films.real_film(name))[-1] for name in films.REAL}
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row | {"duration": durations[row["vid_name"]]}) + "\n" for row in rows))
    import_descriptions(collection=made, path=path, format_name="tvr")
    call_command("import_videos", "real", str(films.real_film(films.REAL[0]).parent))
    call_command("cut_clips", "real")
    add_member(collection=made, account=Account.objects.get(username="bo"), role="annotator")
    return made


def picture(told: dict[str, Any], which: str) -> np.ndarray:
    with Image.open(io.BytesIO(base64.b64decode(told[which].partition(",")[2]))) as image:
        assert image.size == (told["width"], told["height"])
        return np.asarray(image.convert("RGB"))


def test_clips_of_real_files_play_in_a_loop_from_their_first_frame_to_their_last(
    real_collection: Collection, log_in: Any
) -> None:
    page = log_in("bo")
    clips = list(Clip.objects.filter(moment__video__collection=real_collection).select_related("moment__video"))
    assert len(clips) == 8
    for clip in clips:
        assert clip.ready, clip.problem
        film = films.real_film(f"{clip.moment.video.name}.mp4")
        source, times = films.seen_by_ffmpeg(film), films.times_of(film)
        told = page.evaluate(PLAY, f"/clips/{clip.public_name}.mp4")
        assert told["duration"] == pytest.approx(clip.duration, abs=0.01)
        assert told["height"] == min(480, source[0].shape[0])
        step = times[1]
        first = min(range(len(times)), key=lambda number: abs(times[number] - clip.moment.start))
        last = min(range(len(times)), key=lambda number: abs(times[number] + step - clip.moment.end))
        assert films.difference(source[first], picture(told, "first")) < 10
        assert films.difference(source[last], picture(told, "last")) < 10


def test_clips_of_the_theatre_play(collection: Collection, log_in: Any) -> None:
    page = log_in("bo")
    clips = list(Clip.objects.order_by("pk"))
    assert all(clip.ready for clip in clips)
    for clip in clips[:4]:
        told = page.evaluate(PLAY, f"/clips/{clip.public_name}.mp4")
        assert told["duration"] == pytest.approx(clip.duration, abs=0.01)
        with default_storage.open(clip.video_file) as file, av.open(io.BytesIO(file.read())) as cut:
            shown = [frame.to_ndarray(format="rgb24") for frame in cut.decode(video=0)]
        assert films.difference(shown[0], picture(told, "first")) < 6
        assert films.difference(shown[-1], picture(told, "last")) < 6


@pytest.fixture
def own_server(server: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The tests' server, for one that starts it in an environment of its own; afterwards it is as it was."""
    yield server
    for name in [name for name in os.environ if name.startswith("QREELS_S3_")]:
        monkeypatch.delenv(name)
    server.stop()
    server.start()


# In this order: the shared clips are cut before S3 is there, and the server starts anew when it is gone.
def test_a_clip_in_s3_plays_by_its_signed_address(
    own_server: Any, collection: Collection, s3: Any, log_in: Any
) -> None:
    own_server.stop()
    own_server.start()
    # The tests share clips that were cut into a folder; these go where this test's storage is.
    Clip.objects.all().delete()
    call_command("cut_clips", "stage", "--candidates")
    page = log_in("bo")
    files = {name for row in Clip.objects.values_list("video_file", "poster_file") for name in row}
    assert files and files <= {stored.key.removeprefix("qreels/") for stored in s3.objects.all()}
    clip = Clip.objects.order_by("pk").first()
    assert clip is not None
    told = page.evaluate(PLAY, f"/clips/{clip.public_name}.mp4")
    assert told["duration"] == pytest.approx(clip.duration, abs=0.01)
