"""Progress of a publication, for its page."""

from collections import Counter
from typing import Any

from django.db.models import QuerySet

from datasets.models import Publication, Release
from foundation.infra.job_progress import pace_of, progress_of, tells

State = Publication.State


@tells(Publication)
def progress_of_publication(publication: Publication) -> dict[str, Any]:
    """A publication's progress, as `progress_of`."""
    done, total = _bytes(publication)
    return {
        **progress_of(publication, words=_words(publication)),
        "share": 100.0 if publication.state == State.DONE else round(100 * done / total, 1) if total else 0.0,
    }


def counts_of(publication: Publication) -> dict[str, int]:
    """The plan in numbers: files, new, same, differs, bytes to send."""
    states = Counter(file["state"] for file in publication.plan)
    return {
        "files": len(publication.plan),
        **{state: states[state] for state in ("new", "same", "differs")},
        "bytes": sum(file["size"] for file in _to_send(publication)),
    }


def history_of(release: Release) -> QuerySet[Publication]:
    """A release's publications that were confirmed or made by command, newest first."""
    return release.publications.exclude(confirmed_at=None).select_related("member").order_by("-confirmed_at", "-pk")


def _to_send(publication: Publication) -> list[dict[str, Any]]:
    return [file for file in publication.plan if file["state"] != "same"]


def _bytes(publication: Publication) -> tuple[int, int]:
    files = _to_send(publication)
    sent = set(publication.sent)
    return sum(file["size"] for file in files if file["goes_to"] in sent), sum(file["size"] for file in files)


def _words(publication: Publication) -> str:
    if publication.state != State.SENDING:
        return {
            State.LOOKING: "Looking what is there.",
            State.PLANNED: "Looked at.",
            State.STOPPED: "Stopped.",
            State.DONE: "Published.",
        }.get(State(publication.state), "")
    files = _to_send(publication)
    arrived = sum(file["goes_to"] in set(publication.sent) for file in files)
    if arrived >= len(files):
        return "All files sent; finishing."
    done, total = _bytes(publication)
    return (
        f"{arrived:,} of {len(files):,} files sent, {_megabytes(done)} of {_megabytes(total)} MB"
        f"{pace_of(publication, done / total if total else 0, count=done / 1e6, unit='MB')}."
    )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f}"
