"""A run from outside, on a leaderboard, in a campaign and in a pool alike: nobody knows what is in its file.

While it arrives its names are cleaned, its bytes counted and hashed. A worker copies it from the storage once, hashed
on the way (`fetch_run`), and parses it once (`read_received`).

A run that names videos by index comes with a second file, which says the indices. The two are kept as one
(`run_with_videos`): one name in the storage, one hash, one file to download.

A run that is uploaded twice: the same file under the same name is the run that is there, and nothing changes. Another
file under its name isn't taken before it is said what becomes of the first: a board replaces it or keeps both as
versions, a campaign replaces it, a pool's must be removed, since pairs may have come of it. The same file under another
name would count twice in a pool or a campaign, so they refuse it; a board lists both, and keeps the file once.
"""

import gzip
import hashlib
import re
import zlib
from collections.abc import Container, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404
from django.utils.translation import gettext

from evaluation.errors import EvaluationError, InputError
from evaluation.moments.run import Run
from evaluation.reading.json_stream import json_members
from evaluation.reading.runs import read_run, recognised
from evaluation.reading.tvr import read_video_indices
from foundation.infra.scratch import scratch_folder
from foundation.refused import FileRefused
from foundation.text import UNSTORABLE, composed, is_seen

MAX_BYTES = 1 << 29
"""The largest file: 512 MiB."""
MAX_UNPACKED = 1 << 29
"""The largest unpacked file: 512 MiB."""
LONGEST_LINE = 1 << 24
"""The longest line in formats with one query per line: 16 MiB, about 200,000 predictions."""
MOST_PREDICTIONS = 5_000_000
"""The most predictions of a run: 1,800 for each of the paper's 2,781 test queries."""
VIDEOS_HELP = "the videos' indices, where the run has them: video_name_duration_id.json, tvr_video2dur_idx.json"
CHUNK = 1 << 20
STEM = "run"
"""The file's name while a run is read, left out of messages."""
VIDEOS = "videos"
"""That of its videos' indices."""
_NAME = re.compile(r"[^\x00-\x1f/\\]{1,80}")


class RunUnreadable(FileRefused):
    """The file can't be taken as a run; the message is a sentence that says why."""


def clean_name(typed: str) -> str:
    """A run's, team's or system's name with white space collapsed; "" if it has no 1 to 80 characters without slashes.

    >>> clean_name(" Paper  lab "), clean_name("a/b")
    ('Paper lab', '')
    """
    name = " ".join(composed(UNSTORABLE.sub("", typed)).split())
    return name if is_seen(name) and _NAME.fullmatch(name) else ""


def clean_run_name(typed: str) -> str:
    """A run's name as `clean_name` leaves it. Raises: FileRefused if nothing is left of it."""
    name = clean_name(typed)
    if not name:
        raise FileRefused(
            gettext("Found %(name)s as the run's name, expected 1 to 80 characters without slashes.")
            % {"name": repr(typed)},
            field="run_name",
        )
    return name


def clean_file_name(path: str) -> str:
    r"""What people call a file, without its folders.

    >>> clean_file_name("C:\\runs\\2D-TAN.jsonl.gz")
    '2D-TAN.jsonl.gz'
    """
    return re.split(r"[/\\]", UNSTORABLE.sub("", path))[-1][-200:] or "run"


def sha256_and_size(file: IO[bytes], copy: IO[bytes] | None = None) -> tuple[str, int]:
    """A file's SHA-256, hexadecimal, and its size in bytes; copied meanwhile if there is a place for the copy.

    Raises: RunUnreadable if it is empty or too large.
    """
    digest, size = hashlib.sha256(), 0
    file.seek(0)
    while chunk := file.read(CHUNK):
        digest.update(chunk)
        size += len(chunk)
        if size > MAX_BYTES:
            raise RunUnreadable(
                gettext("The file is larger than %(value)s MiB: compress it, or keep fewer predictions.")
                % {"value": MAX_BYTES >> 20}
            )
        if copy is not None:
            copy.write(chunk)
    if not size:
        raise RunUnreadable(gettext("The file is empty."))
    file.seek(0)
    return digest.hexdigest(), size


@contextmanager
def run_with_videos(run: IO[bytes], videos: IO[bytes] | None) -> Iterator[IO[bytes]]:
    """Context with a run's file as it is kept: the file itself, or a zip file of the run and its videos' indices.

    The same two files make the same bytes. Raises: RunUnreadable if one of the two is empty or too large.
    """
    if videos is None:
        yield run
        return
    with scratch_folder("run-with-videos") as folder:
        with ZipFile(folder / STEM, "w") as both:
            with both.open(ZipInfo(STEM), "w") as target:
                sha256_and_size(run, target)
            with both.open(ZipInfo(VIDEOS), "w") as target:
                try:
                    sha256_and_size(videos, target)
                except RunUnreadable as error:
                    sentence = gettext("The videos' indices: %(problem)s") % {"problem": error}
                    raise RunUnreadable(sentence, field=VIDEOS) from error
        with (folder / STEM).open("rb") as file:
            yield file


@contextmanager
def run_here(path: Path, videos: Path | None) -> Iterator[Path]:
    """Context with the file that `run_with_videos` makes of two on this machine. Raises: RunUnreadable."""
    if videos is None:
        yield path
        return
    with ExitStack() as stack:
        try:
            run, indices = (stack.enter_context(each.open("rb")) for each in (path, videos))
        except OSError as error:
            raise RunUnreadable(f"{error.filename}: {error.strerror}.") from error
        yield Path(stack.enter_context(run_with_videos(run, indices)).name)


@contextmanager
def opened_run(path: Path) -> Iterator[tuple[Path, Path | None]]:
    """Context with the run that is kept in a file, and its videos' indices if they are, each a file of its own.

    Raises: RunUnreadable if what `run_with_videos` made is damaged.
    """
    try:
        if not _has_videos(path):
            yield path, None
            return
        with scratch_folder("run-unpacked") as folder:
            with ZipFile(path) as both:
                both.extractall(folder, [STEM, VIDEOS])
            yield folder / STEM, folder / VIDEOS
    except (BadZipFile, EOFError) as error:
        raise RunUnreadable(gettext("The file is damaged: upload it again.")) from error


def _has_videos(path: Path) -> bool:
    with path.open("rb") as file:
        if file.read(4) != b"PK\x03\x04":
            return False
    try:
        with ZipFile(path) as both:
            members = both.infolist()
    except (BadZipFile, NotImplementedError, ValueError):
        return False  # some other zip file, as its reader will say
    plain = all(member.compress_type == ZIP_STORED and not member.flag_bits & 1 for member in members)
    return plain and [member.filename for member in members] == [STEM, VIDEOS]


def videos_unused(path: Path) -> bool:
    """Whether the videos' indices are kept beside a run that names its videos itself. Raises: EvaluationError."""
    with opened_run(path) as (run, beside):
        if beside is None:
            return False
        form = recognised(run)
        if form == "tvr":
            return any(key == "video2idx" for _place, key, _value in json_members(run))
        return form != "tvr-ranking-list"


def fetch_run(stored_file: str, folder: Path, *, sha256: str = "") -> Path:
    """Copy a run from the storage to disk, reading it once.

    Args: sha256: the hash that it was stored with; a file of another is damaged, and removed.
    Raises: RunUnreadable if it is missing or damaged.
    """
    if not stored_file or not default_storage.exists(stored_file):
        raise RunUnreadable("The run's file is no longer in the storage: upload it again.")
    path = folder / STEM
    with default_storage.open(stored_file, "rb") as stored, path.open("wb") as copy:
        try:
            actual, _size = sha256_and_size(stored, copy)
        except RunUnreadable:
            actual = ""  # empty, or larger than any that was taken
    if not actual or sha256 not in ("", actual):
        default_storage.delete(stored_file)  # no other run is to find it under its hash
        raise RunUnreadable("The run's file in the storage is damaged: upload it again.")
    return path


def run_attached(stored_file: str, file_name: str) -> FileResponse:
    """A run's file as an attachment, with its videos' indices as a zip file; 404 if it isn't kept."""
    if not stored_file or not default_storage.exists(stored_file):
        raise Http404("no such file")
    opened = default_storage.open(stored_file, "rb")
    if opened.read(2) == b"PK":
        file_name += ".zip"
    opened.seek(0)
    return FileResponse(opened, as_attachment=True, filename=file_name, content_type="application/octet-stream")


def refuse_overlong(path: Path) -> None:
    """Read through a file, gzipped or not, in bounded memory.

    Raises: RunUnreadable if what is in it is more than a worker may hold.
    """
    size = longest = line = predictions = 0
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        source: Any = gzip.GzipFile(fileobj=file) if packed else file
        try:
            while chunk := source.read(CHUNK):
                size += len(chunk)
                if size > MAX_UNPACKED:
                    raise RunUnreadable(
                        gettext("The run is larger than %(value)s MiB unpacked: keep fewer predictions.")
                        % {"value": MAX_UNPACKED >> 20}
                    )
                predictions += chunk.count(b'"timestamp"')
                if predictions > MOST_PREDICTIONS:
                    raise RunUnreadable(
                        gettext("The run has more than %(value)s predictions: keep fewer.")
                        % {"value": f"{MOST_PREDICTIONS:,}"}
                    )
                for number, part in enumerate(chunk.split(b"\n")):
                    line = len(part) + (line if number == 0 else 0)
                    longest = max(longest, line)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise RunUnreadable(
                gettext("The file begins like gzip and can't be unpacked: %(error)s.") % {"error": error}
            ) from error
    if longest <= LONGEST_LINE:
        return
    try:
        has_lines = recognised(path) in ("qreels", "qvhighlights", "trec")
    except EvaluationError:
        return  # of what looks like no format, its reader tells
    if has_lines:
        raise RunUnreadable(
            gettext("A line of the run has more than %(most)s MiB: keep fewer predictions a query.")
            % {"most": LONGEST_LINE >> 20}
        )


def read_received(path: Path, *, file_name: str, queries: Container[str], videos: Container[str]) -> Run:
    """Parse a run on disk, once it was found within bounds.

    Args: queries, videos: as `evaluation.reading.read_run`. file_name: what people call it.
    Raises: RunUnreadable: a fault a line, with its place.
    """
    with opened_run(path) as (run, beside):
        refuse_overlong(run)
        try:
            return read_run(run, queries=queries, videos=videos, video_indices=_indices(beside))
        except EvaluationError as error:
            raise RunUnreadable(in_words(error, file_name)) from error


def _indices(path: Path | None) -> dict[str, int] | None:
    if path is None:
        return None
    refuse_overlong(path)
    try:
        return read_video_indices(path)
    except InputError as error:
        raise RunUnreadable(error.in_words(gettext("The file of the videos' indices"), "."), field=VIDEOS) from error


def in_words(error: EvaluationError, file_name: str) -> str:
    """What is wrong with a run, in sentences that call its file as people do."""
    if isinstance(error, InputError):
        return error.in_words(file_name, ".")
    message = str(error).removeprefix(f"{STEM}:").strip()
    return f"{file_name}: {message}{'' if message.endswith('?') else '.'}"
