"""What writes to the corpus: collections, members, video files. Descriptions: `importing.py`."""

from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from corpus.models import Account, Collection, Membership, Video


def get_or_create_collection(*, name: str, title: str = "", has_clips: bool = True) -> Collection:
    """The collection of this short name, made with the given title at the first call.

    Raises: ValidationError if the name is not made of lower-case letters, digits and hyphens.
    """
    existing = Collection.objects.filter(name=name).first()
    if existing is not None:
        return existing
    collection = Collection(name=name, title=title or name, has_clips=has_clips)
    collection.full_clean(validate_unique=False)
    return Collection.objects.get_or_create(name=name, defaults={"title": title or name, "has_clips": has_clips})[0]


@transaction.atomic
def add_member(*, collection: Collection, account: Account, role: str, worker: str = "") -> Membership:
    """The account's membership, made if it had none; without a worker id it gets the next free one (w01, w02 ...).

    An existing membership keeps its worker id and takes the role.
    """
    Collection.objects.select_for_update().get(pk=collection.pk)
    member = Membership.objects.filter(collection=collection, account=account).first()
    if member is None:
        member = Membership(collection=collection, account=account, worker=worker or _next_worker(collection))
    member.role = role
    member.full_clean()
    member.save()
    return member


def _next_worker(collection: Collection) -> str:
    taken = set(collection.memberships.values_list("worker", flat=True))
    number = len(taken) + 1
    while f"w{number:02d}" in taken:
        number += 1
    return f"w{number:02d}"


@dataclass(frozen=True, slots=True)
class VideoReport:
    """What `import_videos` found: names without the other half, durations that differ (stated, real; s)."""

    matched: int
    without_file: list[str]
    without_video: list[str]
    other_duration: list[tuple[str, float, float]]
    unreadable: list[str]


VIDEO_SUFFIXES = frozenset({".mp4", ".mkv", ".webm", ".avi", ".mov", ".m4v", ".mpg", ".mpeg", ".ts"})


def import_videos(*, collection: Collection, folder: Path) -> VideoReport:
    """Tell each video its file in `folder` (by name without suffix) and fill in durations not known.

    Raises: NotADirectoryError if there is no such folder.
    """
    from corpus.film import FilmError, probe_duration

    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    files = {file.stem: file for file in sorted(folder.iterdir()) if file.suffix.lower() in VIDEO_SUFFIXES}
    videos = list(collection.videos.order_by("name"))
    matched, other, unreadable = [], [], []
    for video in videos:
        file = files.get(video.name)
        if file is None:
            continue
        try:
            real = probe_duration(file)
        except FilmError as error:
            unreadable.append(str(error))
            continue
        if video.duration is None:
            video.duration = real or None  # a file cut off while it was written states 0
        elif real is not None and abs(video.duration - real) > 0.5:
            other.append((video.name, video.duration, real))
        video.path = str(file.resolve())
        matched.append(video)
    Video.objects.bulk_update(matched, ["path", "duration"], batch_size=500)
    names = {video.name for video in videos}
    return VideoReport(
        matched=len(matched),
        without_file=[video.name for video in videos if video.name not in files],
        without_video=[name for name in files if name not in names],
        other_duration=other,
        unreadable=unreadable,
    )
