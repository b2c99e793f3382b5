"""Make a release, and write its files."""

import secrets
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.consent.survey_sums import sum_up
from datasets.content.snapshot import one_snapshot
from datasets.content.splits import Splits, refuse_unready
from datasets.content.statistics import texts_to_read
from datasets.content.training import Training
from datasets.formats import FORMATS, Material
from datasets.formats.about import CITATION_FILE, about_of, citation_file
from datasets.formats.spans_csv import write_spans
from datasets.formats.tvr_ranking import TRAINING_DEPTHS
from datasets.models import DRAFT_PREFIX, Release
from datasets.releases import archive as archives
from datasets.releases import manifest
from datasets.releases.adjudicated_csv import write_adjudicated
from datasets.releases.asked import Asked
from datasets.releases.further_files import further_files
from datasets.releases.signing import signature_of
from datasets.releases.webhook_events import note_made
from evaluation.judgments.grade_classes import MOST
from evaluation.releases.manifest import DIGEST, SIGNATURE, digest_of, to_bytes
from evaluation.releases.manifest import content_hash as content_hash_of
from foundation.collections.studies import refuse_study
from foundation.infra.progress import BYTES, Advance, Stage, untold
from foundation.infra.scratch import scratch_folder
from foundation.models import Collection
from foundation.refused import Refused
from queries.retrieval.vector_shards import reading_vectors

DRAFT_DIGITS = 8


def create_release(
    *,
    collection: Collection,
    name: str = "",
    formats: Sequence[str] = (),
    depths: Sequence[int] = (),
    adjudicated: bool = False,
    train_below: float | None = None,
    posteriors: bool = False,
    provenance: bool = False,
    machine_judges: Sequence[str] = (),
    about: Mapping[str, str] = MappingProxyType({}),
    progress: Advance = lambda queries: None,
    stage: Stage = untold,
) -> Release:
    """Freeze a collection's present state under a name. If the name exists, that release is returned unchanged.

    The state is read in one snapshot, so that judging may go on meanwhile.

    Args:
        collection: the collection.
        name: the release's; without one it is made from the content, and equal states get equal names.
        formats: names of formats, by default tvr-ranking; of an existing release, some that it has.
        depths: numbers of moments a query of the training files, by default 1, 20 and 40; of an existing release,
            some that it has.
        adjudicated: whether discarded pairs that the lead has adjudicated have the lead's grade in it.
        train_below: leave pseudo-training queries out whose caption has at least this cosine with a val or test query;
            None leaves those out alone whose caption equals one.
        posteriors: whether it says how likely each grade of a pair is.
        provenance: whether it says of each judgment and caption what it comes from.
        machine_judges: names of the machine judges whose grades it has, in a file of their own; by default none.
        about: what the authors say of it (`datasets.formats.about.FIELDS`); of an existing release, what it says.
        progress: called with the number of queries written since the last call.
        stage: called as each of the other stages begins; what it returns is called as that goes on.

    Raises: Refused for a study, if the name or a format won't do, if nothing is graded or candidates are
        missing, or if a val or test caption is among the pseudo-training queries. RuntimeError inside another
        transaction.
    """
    refuse_study(collection, "can't be released")
    asked = Asked(formats, depths, adjudicated, train_below, posteriors, provenance, machine_judges, about_of(about))
    asked.refuse_impossible()
    if posteriors and collection.top_grade > MOST - 1:
        raise Refused(f"posteriors are of at most {MOST} grades, and this collection's go to {collection.top_grade}")
    existing = Release.objects.filter(collection=collection, name=name).first() if name else None
    if existing is not None:
        return asked.had_by(existing)
    _refuse_bad_name(collection, name)
    now = timezone.now()
    if name:
        refuse_unready(collection)  # a sum is made once: none for a release that there won't be
        sum_up(collection=collection)
    with scratch_folder("release") as scratch:
        folder = scratch / "files"
        folder.mkdir()
        stated = {"release": name or None, "created_at": _to_the_second(now) if name else None}
        content = _write_files(collection, folder, asked, stated, progress, stage)
        release = _keep_release(collection, name, now, content, folder, scratch / "archive.tar.gz", stage)
        return asked.had_by(release)


def _refuse_bad_name(collection: Collection, name: str) -> None:
    if name.startswith(DRAFT_PREFIX):
        raise Refused(f"there is no release {name}, and names that begin with {DRAFT_PREFIX} are given to drafts only")
    if name:
        try:
            Release(collection=collection, name=name).clean_fields(
                exclude={field.name for field in Release._meta.fields} - {"name"}
            )
        except ValidationError as error:
            raise Refused(f"{name!r} can't name a release: {'; '.join(error.messages)}") from error


def _write_files(
    collection: Collection,
    folder: Path,
    asked: Asked,
    stated: dict[str, Any],
    progress: Advance,
    stage: Stage,
) -> dict[str, Any]:
    """Write every format's files from one snapshot. Returns: the manifest without name and time."""
    # No file of vectors may go that the snapshot knows of.
    with reading_vectors(), one_snapshot():
        collection = Collection.objects.get(pk=collection.pk)
        refuse_unready(collection)
        splits = Splits(collection, adjudicated=asked.adjudicated)
        training = Training(splits, below=asked.train_below, compared=stage("Comparing", None, "captions"))
        further = list(further_files(splits, training, asked, stage))
        reading = stage("Reading texts", texts_to_read(collection), "texts")
        _refuse_too_deep(training, asked.tops)
        content = manifest.describe(splits, training, asked.to_write, asked.tops, reading, asked.about)
        content |= {own.key: own.facts for own in further}
        if (spans := write_spans(splits, folder)) is not None:
            content["spans"] = spans
        material = Material(splits, training, folder, content | stated, asked.tops, progress)
        for own in further:
            own.write(folder)
        if asked.adjudicated:
            write_adjudicated(splits, folder)
        citation = citation_file(material.facts)
        if citation is not None:
            (folder / CITATION_FILE).write_bytes(citation.encode())
        for name in asked.to_write:
            FORMATS[name].write(material)
    content["files"] = {}
    hashing = stage("Hashing", archives.size_of(folder), BYTES)
    for path in archives.files_in(folder):
        with (folder / path).open("rb") as file:
            sha256, size = archives.sha256_of(file, hashing)
        content["files"][path] = {"sha256": sha256, "size": size}
    return content


def _refuse_too_deep(training: Training, depths: tuple[int, ...]) -> None:
    """Refuse a chosen training depth beyond the fetched candidates (the paper's defaults may exceed them)."""
    deepest = max((depth for depth in depths if depth not in TRAINING_DEPTHS), default=0)
    if deepest > training.depth:
        raise Refused(
            f"asked for the top {deepest} for training, but {training.depth} candidates a query are fetched "
            "(batch_size x max_batches of the collection)"
        )


def _keep_release(
    collection: Collection,
    name: str,
    now: datetime,
    content: dict[str, Any],
    folder: Path,
    archive: Path,
    stage: Stage,
) -> Release:
    content_hash = content_hash_of(content)
    draft = not name
    if draft:
        name, existing = _draft_name(collection, content_hash)
        if existing is not None:
            return existing
    stated = content | {"release": name, "created_at": None if draft else _to_the_second(now)}
    stated |= {DIGEST: digest_of(stated)}
    (folder / "manifest.json").write_bytes(to_bytes(stated))
    with (folder / "manifest.json").open("rb") as file:
        manifest_sha256, _ = archives.sha256_of(file)
    archive_sha256 = archives.pack(
        folder, archive, f"{collection.name}-{name}", stage("Packing", archives.size_of(folder), BYTES)
    )
    stored = archives.keep(archive, f"releases/{collection.name}/{name}-{content_hash[:12]}.tar.gz")
    release = Release(
        collection=collection,
        name=name,
        created_at=now,
        formats=content["formats"],
        content_hash=content_hash,
        manifest=stated,
        manifest_sha256=manifest_sha256,
        archive=stored,
        archive_sha256=archive_sha256,
    )
    try:
        with transaction.atomic():
            release.save(force_insert=True)
            note_made(release)
    except IntegrityError:
        # Somebody else released under this name meanwhile: that one stands.
        default_storage.delete(stored)
        return Release.objects.get(collection=collection, name=name)
    return release


def _draft_name(collection: Collection, content_hash: str) -> tuple[str, Release | None]:
    """A draft's name by its hash, longer if two drafts share the short one, and the draft if it exists."""
    for digits in (DRAFT_DIGITS, len(content_hash) // 2):
        name = DRAFT_PREFIX + content_hash[:digits]
        existing = Release.objects.filter(collection=collection, name=name).first()
        if existing is None or existing.content_hash == content_hash:
            break
    return name, existing


def _to_the_second(moment: datetime) -> str:
    return moment.replace(microsecond=0).isoformat()


def write_release(*, release: Release, folder: Path, stage: Stage = untold) -> bool:
    """Write a release's files into a folder that doesn't exist yet, is empty, or holds exactly them already.

    They are written beside it and renamed into place when whole: cut off, it leaves no half release behind. Its
    signature, if it has one now, lies beside the manifest.

    Returns: whether it wrote; False where the folder held the release already.
    Raises: Refused if the folder holds anything else, or the archive is missing or damaged.
    """
    folder = folder.resolve()
    signed = signature_of(release)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        _refuse_other_content(release, folder)
        if signed:
            (folder / SIGNATURE).write_bytes(signed.content)
        return False
    partial = folder.parent / f".{folder.name}.{secrets.token_hex(4)}.partial"
    try:
        partial.mkdir(parents=True)
        size = sum(int(facts["size"]) for facts in release.manifest["files"].values())
        unpacking = stage("Unpacking", size, BYTES)
        archives.unpack(release.archive, release.archive_sha256, release.files, partial, unpacking)
        if signed:
            (partial / SIGNATURE).write_bytes(signed.content)
        partial.rename(folder)
    except archives.DamagedArchive as error:
        raise Refused(f"release {release.name} can't be exported: {error}") from error
    except OSError as error:
        raise Refused(f"release {release.name} can't be written to {folder}: {error.strerror}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return True


def _refuse_other_content(release: Release, folder: Path) -> None:
    refusal = f"{folder} exists and isn't release {release.name}"
    if not folder.is_dir():
        raise Refused(f"{refusal}: it is a file")
    there = set(archives.files_in(folder)) - {SIGNATURE}
    expected = release.files
    if there != set(expected):
        first = sorted(there ^ set(expected))[0]
        reason = f"{first} is there too" if first in there else f"{first} is missing"
        raise Refused(f"{refusal} ({reason}): name a folder that doesn't exist")
    for path, sha256 in expected.items():
        with (folder / path).open("rb") as file:
            if archives.sha256_of(file)[0] != sha256:
                raise Refused(f"{refusal} ({path} differs): name a folder that doesn't exist")
