"""Files of descriptions, topics and judgments: looked at, read in another way, imported."""

from contextlib import ExitStack
from typing import Annotated, Any, Literal

from django.core.files.storage import default_storage
from django.db.models import QuerySet
from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, found_or_404
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.frame.problems import Problem
from api.v1.jobs import JobOut
from api.v1.uploads import FileKey
from corpus.description_formats import CHARSETS, FORMATS, SEPARATORS, FileChoices
from corpus.description_formats.csv_dialects import FIELDS
from corpus.description_import.jobs import keep_upload
from corpus.description_import.previews import (
    choices_from,
    discard_preview,
    import_previewed,
    keep_for_preview,
    read_anew,
)
from corpus.description_import.removing import ask_to_take_back, removal_of_import
from corpus.models import Import, ImportPreview
from datasets.judgment_import.formats import FORMATS as JUDGMENT_FORMATS
from datasets.judgment_import.jobs import LONGEST_MAP, keep_judgments
from datasets.models import JudgmentImport
from foundation.uploads.files import use_file
from queries.topics.jobs import ask_for_topic_import
from queries.topics.readers import FORMATS as TOPIC_FORMATS
from queries.topics.readers import TopicFileChoices

endpoints = Endpoints("Imports")


def _one_of(*offered: str) -> str:
    """The pattern of an empty text or one of those that are offered."""
    return f"^({'|'.join(offered)})?$"


Charset = Annotated[str, Field(pattern=_one_of(*CHARSETS), description="Empty: detected.")]
Separator = Annotated[str, Field(pattern=_one_of(*SEPARATORS), description="Of CSV. Empty: detected.")]
Header = Annotated[Storable, Field(max_length=200)]


class Reading(BaseModel):
    """How a file of descriptions is to be read; what is empty is detected."""

    format: str = Field("", pattern=_one_of(*FORMATS), description="Empty: detected.")
    charset: Charset = ""
    separator: Separator = ""
    columns: dict[str, Header] = Field(
        {}, max_length=len(FIELDS), description=f"Of CSV, field to header: {', '.join(FIELDS)}; - leaves one out."
    )
    skip_bad: bool = Field(False, description="Import the good rows where others are bad.")


class NewDescriptions(Reading):
    """A file of descriptions that was sent, and how to read it."""

    file: FileKey


class ImportOfPreview(BaseModel):
    """How a file is to be imported that was looked at."""

    skip_bad: bool = Field(False, description="Import the good rows where others are bad.")


class PreviewOut(JobOut):
    """A file of descriptions that a worker reads, or has read: what was understood. Nothing of it is imported."""

    preview: int = From("pk")
    file_name: str
    size: int
    skip_bad: bool
    found: dict[str, Any] = Field(
        description="format, charset, separator, headers, columns, remarks, the first rows, counts, problem_count, "
        "problems (line, entry, field, found, expected, and the choice that would settle it)."
    )


class DescriptionImport(JobOut):
    """An import of a file of descriptions."""

    file_name: str
    format: str
    counts: dict[str, int] = Field(description="added, changed, unchanged, rejected and so on.")
    problem_count: int
    problems: list[dict[str, Any]] = Field(description="The first of them: line, entry, field, found, expected.")


class RemovalOut(Out):
    """What a removal would cost, in words, and what depends on what it removes: while anything does, it is refused."""

    losses: list[str]
    obstacles: list[str]


class NewTopicFile(BaseModel):
    """A file of topics that was sent, and how to read it."""

    file: FileKey
    split: Literal["val", "test"] = Field("test", description="Of topics that state none.")
    format: str = Field("", pattern=_one_of(*TOPIC_FORMATS), description="Empty: detected.")
    charset: Charset = ""
    separator: Separator = ""


class NewJudgments(BaseModel):
    """A file of judgments that was sent, and how to read it."""

    file: FileKey
    split: Literal["val", "test"] = Field("test", description="Of new queries.")
    format: str = Field("", pattern=_one_of(*JUDGMENT_FORMATS), description="Empty: detected.")
    ratings: Literal["1-5", "0-4"] = Field("1-5", description="Label Studio's: of 1-5 the first star is grade 0.")
    map_grades: str = Field(
        "",
        max_length=LONGEST_MAP,
        description="What the file's grades are on the collection's scale, such as `0=0,1=2,2=4`; empty: the same.",
    )
    pairs: list[FileKey] = Field(
        [], max_length=10, description="What the pairs are about, if the file says their ids alone: JSON or CSV."
    )
    repeated_ids: Literal["refuse", "as-published", "first", "last"] = Field(
        "refuse", description="What becomes of a worker's id that stands more than once at a pair."
    )


class JudgmentImportOut(JobOut):
    """An import of judgments, and what is wrong with its file, by line."""

    judgment_import: int = From("pk")
    file_name: str
    format: str
    split: str
    repeated_ids: str
    grade_table: dict[str, int] | None = Field(
        description="By `map_grades`: grades by the file's words; null: the same."
    )
    counts: dict[str, Any]
    problem_count: int
    problems: list[dict[str, Any]] = Field(description="The first of them: line, entry, field, found, expected.")


def _choices(new: Reading) -> FileChoices:
    unknown = sorted(set(new.columns) - set(FIELDS))
    if unknown:
        fault = f"Found {', '.join(unknown)[:200]}, expected of {', '.join(FIELDS)}."
        raise Problem(422, fault, field="body.columns")
    chosen = {f"column-{field}": header for field, header in new.columns.items()}
    return choices_from({"format": new.format, "charset": new.charset, "separator": new.separator, **chosen})


def _previews(call: Call) -> QuerySet[ImportPreview]:
    return call.collection.import_previews.select_related("member", "collection")


def _imports(call: Call) -> QuerySet[Import]:
    return call.collection.imports.select_related("member", "collection")


# --- descriptions ---


@endpoints.make("/previews", scope=Scope.PREPARE, status=202, stores=True)
def preview_descriptions(call: Call, new: NewDescriptions) -> PreviewOut:
    """Have a worker read a file of descriptions and say what it understands; nothing is imported."""
    choices = _choices(new)
    with use_file(member=call.member, key=new.file) as upload:
        preview = keep_for_preview(member=call.member, upload=upload, choices=choices, skip_bad=new.skip_bad)
        return PreviewOut.begun(preview)


@endpoints.read("/previews")
def list_previews(call: Call, asked: AskedPage) -> Page[PreviewOut]:
    """Files of descriptions that wait in a preview, the newest first."""
    return page_of(_previews(call), asked, PreviewOut.of_job, newest_first=True)


@endpoints.read("/previews/{int:preview_id}")
def get_preview(call: Call, preview_id: Id) -> PreviewOut:
    """What was understood of a file: format, columns, first rows, counts, problems by line; or how far it is read."""
    return PreviewOut.of_job(get_object_or_404(_previews(call), pk=preview_id))


@endpoints.act("/previews/{int:preview_id}/read", scope=Scope.PREPARE)
def read_preview_anew(call: Call, preview_id: Id, new: Reading) -> PreviewOut:
    """Have a worker read the file in another way."""
    get_object_or_404(_previews(call), pk=preview_id)
    preview = read_anew(preview_id=preview_id, member=call.member, choices=_choices(new), skip_bad=new.skip_bad)
    return PreviewOut.begun(preview)


@endpoints.make("/previews/{int:preview_id}/import", scope=Scope.PREPARE, status=202)
def import_preview(call: Call, preview_id: Id, new: ImportOfPreview) -> DescriptionImport:
    """Have a worker import the file as it was read; the preview is gone then."""
    get_object_or_404(_previews(call), pk=preview_id)
    job = import_previewed(preview_id=preview_id, member=call.member, skip_bad=new.skip_bad)
    return DescriptionImport.begun(job)


@endpoints.remove("/previews/{int:preview_id}", scope=Scope.PREPARE)
def discard_a_preview(call: Call, preview_id: Id) -> None:
    """Discard a file that was looked at. While a worker reads it, 409."""
    get_object_or_404(_previews(call), pk=preview_id)
    discard_preview(preview_id=preview_id, member=call.member)


@endpoints.make("/imports", scope=Scope.PREPARE, status=202, stores=True)
def import_descriptions(call: Call, new: NewDescriptions) -> DescriptionImport:
    """Have a worker import a file of descriptions without a look at it before.

    A file with problems changes nothing, unless `skip_bad`.
    """
    choices = _choices(new)
    with use_file(member=call.member, key=new.file) as upload:
        job = keep_upload(member=call.member, upload=upload, skip_bad=new.skip_bad, choices=choices)
        return DescriptionImport.begun(job)


@endpoints.read("/imports/{int:import_id}/rejected", content="application/jsonl")
def download_rejected_rows(call: Call, import_id: Id) -> FileResponse:
    """The rejected rows of an import as JSON Lines, to be mended and imported."""
    job = get_object_or_404(call.collection.imports, pk=import_id)
    if not job.rejected_file or not default_storage.exists(job.rejected_file):
        raise Http404("no rejected rows")
    return FileResponse(default_storage.open(job.rejected_file), content_type="application/jsonl")


@endpoints.read("/imports")
def list_imports(call: Call, asked: AskedPage) -> Page[DescriptionImport]:
    """Imports of descriptions, the newest first."""
    return page_of(_imports(call), asked, DescriptionImport.of_job, newest_first=True)


@endpoints.read("/imports/{int:import_id}")
def get_import(call: Call, import_id: Id) -> DescriptionImport:
    """An import of descriptions: how far it is, or what came of it."""
    return DescriptionImport.of_job(get_object_or_404(_imports(call), pk=import_id))


@endpoints.read("/imports/{int:import_id}/take-back")
def get_cost_of_taking_back(call: Call, import_id: Id) -> RemovalOut:
    """What taking an import back would cost, and what depends on it. 404 for one that can't be taken back."""
    return RemovalOut.of(removal_of_import(_to_take_back(call, import_id)))


@endpoints.act("/imports/{int:import_id}/take-back", scope=Scope.PREPARE)
def take_back_an_import(call: Call, import_id: Id) -> DescriptionImport:
    """Have a worker remove what an import added and change back what it changed. 409 if something depends on it."""
    job = _to_take_back(call, import_id)
    ask_to_take_back(job=job)
    return DescriptionImport.begun(job)


def _to_take_back(call: Call, import_id: int) -> Import:
    job = get_object_or_404(_imports(call), pk=import_id)
    return found_or_404(job if job.can_be_taken_back else None)


# --- topics ---


@endpoints.make("/topic-imports", scope=Scope.PREPARE, status=202, stores=True)
def import_topics(call: Call, new: NewTopicFile) -> JobOut:
    """Have a worker import a file of topics. What is wrong in it is the job's problem, with its line."""
    choices = TopicFileChoices(new.format, new.charset, new.separator, new.split)
    with use_file(member=call.member, key=new.file) as upload:
        return JobOut.begun(ask_for_topic_import(member=call.member, upload=upload, choices=choices, another=False))


# --- judgments ---


def _judgment_imports(call: Call) -> QuerySet[JudgmentImport]:
    return call.collection.judgment_imports.select_related("member", "collection")


@endpoints.make("/judgment-imports", scope=Scope.PREPARE, status=202, stores=True)
def import_judgments(call: Call, new: NewJudgments) -> JudgmentImportOut:
    """Have a worker import a file of judgments: TVR-Ranking's annotations, Label Studio's export, TREC qrels."""
    with ExitStack() as used:
        upload, *pairs = (used.enter_context(use_file(member=call.member, key=key)) for key in (new.file, *new.pairs))
        job = keep_judgments(
            member=call.member,
            upload=upload,
            format_name=new.format,
            split=new.split,
            ratings=new.ratings,
            map_grades=new.map_grades,
            repeated_ids=new.repeated_ids,
            pairs=pairs,
        )
        return JudgmentImportOut.begun(job)


@endpoints.read("/judgment-imports")
def list_judgment_imports(call: Call, asked: AskedPage) -> Page[JudgmentImportOut]:
    """Imports of judgments, the newest first."""
    return page_of(_judgment_imports(call), asked, JudgmentImportOut.of_job, newest_first=True)


@endpoints.read("/judgment-imports/{int:judgment_import_id}")
def get_judgment_import(call: Call, judgment_import_id: Id) -> JudgmentImportOut:
    """An import of judgments: how far it is, what came of it, or the problems of its file by line."""
    return JudgmentImportOut.of_job(get_object_or_404(_judgment_imports(call), pk=judgment_import_id))
