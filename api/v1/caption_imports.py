"""Captions that were made elsewhere: files of them looked at, imported, taken back."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.v1.imports import Charset, RemovalOut, Separator
from api.v1.jobs import JobOut
from api.v1.uploads import FileKey
from corpus.description_import.row_files import RowChoices
from foundation.uploads.files import use_file
from queries.caption_import.caption_rows import CAPTIONS, LONGEST_MAKER
from queries.caption_import.jobs import discard, import_looked_at, keep_captions
from queries.caption_import.taking_back import ask_to_take_back, removal_of_captions
from queries.models import CaptionImport

endpoints = Endpoints("Captions made elsewhere")
HERE = "/caption-imports"
ONE = f"{HERE}/{{int:caption_import_id}}"


class NewCaptionFile(BaseModel):
    """A file of captions that was sent, and how to read it."""

    file: FileKey
    made_by: Storable = Field(
        "", max_length=LONGEST_MAKER, description="The model or person who made the captions that don't say it."
    )
    format: str = Field("", pattern=f"^({'|'.join(CAPTIONS.formats)})?$", description="Empty: detected.")
    charset: Charset = ""
    separator: Separator = ""
    look: bool = Field(False, description="Only say what it would change; import it by another request.")


class CaptionImportOut(JobOut):
    """A file of captions that a worker looks at, imports or takes back, or has done so with."""

    caption_import: int = From("pk")
    file_name: str
    made_by: str
    doing: str = Field(description="look, import or back.")
    found: dict[str, Any] = Field(
        description="counts (read, new, replaced), the first rows, remarks, problem_count, problems (line, entry, "
        "field, found, expected)."
    )
    said: str
    taken_back_at: datetime | None


def _imports(call: Call) -> QuerySet[CaptionImport]:
    return call.collection.caption_imports.select_related("member", "collection")


def _import(call: Call, caption_import_id: int) -> CaptionImport:
    return get_object_or_404(_imports(call), pk=caption_import_id)


@endpoints.make(HERE, scope=Scope.PREPARE, status=202, stores=True)
def import_captions(call: Call, new: NewCaptionFile) -> CaptionImportOut:
    """Have a worker look at a file of captions or import it: CSV or JSON Lines of id, caption, made_by. They pass the
    checks of all captions. A file with problems changes nothing. 409 while another is under way."""
    choices = RowChoices(new.format, new.charset, new.separator)
    doing = CaptionImport.Doing.LOOK if new.look else CaptionImport.Doing.IMPORT
    with use_file(member=call.member, key=new.file) as upload:
        job = keep_captions(member=call.member, upload=upload, choices=choices, made_by=new.made_by, doing=doing)
        return CaptionImportOut.begun(job)


@endpoints.read(HERE)
def list_caption_imports(call: Call, asked: AskedPage) -> Page[CaptionImportOut]:
    """Imports of captions, the newest first."""
    return page_of(_imports(call), asked, CaptionImportOut.of_job, newest_first=True)


@endpoints.read(ONE)
def get_caption_import(call: Call, caption_import_id: Id) -> CaptionImportOut:
    """An import of captions: how far it is, what was understood of the file, what came of it."""
    return CaptionImportOut.of_job(_import(call, caption_import_id))


@endpoints.act(f"{ONE}/import", scope=Scope.PREPARE)
def import_captions_looked_at(call: Call, caption_import_id: Id) -> CaptionImportOut:
    """Have a worker import a file that was looked at. 409 for another."""
    job = _import(call, caption_import_id)
    import_looked_at(job=job)
    return CaptionImportOut.begun(job)


@endpoints.remove(ONE, scope=Scope.PREPARE)
def discard_caption_file(call: Call, caption_import_id: Id) -> None:
    """Discard a file that was looked at. 409 for one that was imported."""
    discard(job=_import(call, caption_import_id))


@endpoints.read(f"{ONE}/take-back")
def get_cost_of_taking_captions_back(call: Call, caption_import_id: Id) -> RemovalOut:
    """What taking an import of captions back would cost, and what depends on it."""
    return RemovalOut.of(removal_of_captions(_import(call, caption_import_id)))


@endpoints.act(f"{ONE}/take-back", scope=Scope.PREPARE)
def take_captions_back(call: Call, caption_import_id: Id) -> CaptionImportOut:
    """Have a worker put back what stood before the import. 409 if something depends on it."""
    job = _import(call, caption_import_id)
    ask_to_take_back(job=job)
    return CaptionImportOut.begun(job)
