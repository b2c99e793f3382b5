"""The preview of an import: what was understood of an uploaded file, corrections, and the import itself."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from corpus.description_formats import CHARSETS, FORMATS, FileChoices
from corpus.description_formats.csv_dialects import FIELDS, LEFT_OUT
from corpus.description_formats.templates import TEMPLATES
from corpus.description_import.jobs import choices_of
from corpus.description_import.previews import (
    choices_from,
    discard_preview,
    import_previewed,
    keep_for_preview,
    progress_of_preview,
    read_anew,
)
from corpus.description_import.views import UploadForm, imports_page
from corpus.models import ImportPreview
from foundation.access.guards import takes_uploads
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post
from foundation.infra.job_pages import ask_on_page
from foundation.infra.storage import StoringError
from foundation.models import Membership
from foundation.refused import Refused

SEPARATOR_WORDS = {
    "comma": gettext_noop("commas"),
    "semicolon": gettext_noop("semicolons"),
    "tab": gettext_noop("tabs"),
}


@takes_uploads("leads")
@lead_post
def look(request: HttpRequest, member: Membership) -> HttpResponse:
    """Keep an uploaded file and have a worker read it for the preview; nothing is imported. Owners and leads only."""
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return imports_page(request, member, form)
    try:
        choices = choices_from(request.POST.dict())
        preview = keep_for_preview(member=member, upload=form.cleaned_data["file"], choices=choices)
    except (ValueError, StoringError) as fault:
        messages.error(request, str(fault))
        return redirect("imports", member.collection.name)
    ask_on_page(request, preview)
    return redirect("import-preview", member.collection.name, preview.pk)


def _preview_of(member: Membership, preview_id: int) -> ImportPreview:
    return get_object_or_404(ImportPreview, collection=member.collection, pk=preview_id)


@lead_page("corpus/import_preview.html")
def preview(request: HttpRequest, member: Membership, preview_id: int) -> PageFacts:
    """What was understood of an uploaded file: format, columns, first rows, counts, problems; or how far it is read."""
    job = _preview_of(member, preview_id)
    understood, chosen = job.found, choices_of(job)
    settled_by = {problem["choice"] for problem in understood.get("problems", []) if problem.get("choice")}
    faults = {
        problem["choice"]: _("Found %(found)s, expected %(expected)s.") % problem
        for problem in reversed(understood.get("problems", []))
        if problem.get("choice")
    }
    return {
        "job": job,
        "found": understood,
        "progress": progress_of_preview(job),
        "readings": _readings(understood, chosen, faults),
        "columns": _columns(understood, chosen, faults) if understood.get("headers") else [],
        "faults": faults,
        "understood": not settled_by and bool(understood.get("counts")),
    }


def _readings(understood: dict[str, Any], chosen: FileChoices, faults: dict[str, str]) -> list[dict[str, Any]]:
    """The fields that say how a file is read: what is detected comes first, then what can be chosen."""
    separators = {name: _(words) for name, words in SEPARATOR_WORDS.items()}
    offered: list[tuple[str, str, str, dict[str, str]]] = [
        ("format", _("Format"), _("Detect format"), {name: format.title for name, format in FORMATS.items()}),
        ("charset", _("Charset"), _("Detect charset"), dict(CHARSETS)),
    ]
    if understood.get("format") == "csv":
        offered.append(("separator", _("Cells are separated by"), _("Detect separator"), separators))
    readings = []
    for name, label, detect, choices in offered:
        value, detected = getattr(chosen, name), understood.get(name, "")
        usual = detect
        if detected and not value:
            usual = _("Detected: %(found)s") % {
                "found": detected if name == "format" else choices.get(detected, detected)
            }
        readings.append(
            {
                "name": name,
                "label": label,
                "value": value,
                "choices": [("", usual), *choices.items()],
                "errors": " ".join([faults[name], _("Choose it here.")]) if name in faults else "",
            }
        )
    return readings


def _columns(understood: dict[str, Any], chosen: FileChoices, faults: dict[str, str]) -> list[dict[str, Any]]:
    """The fields that say which column of a CSV file is what."""
    headers = [(header, header) for header in understood["headers"] if header]
    columns = []
    for field in FIELDS:
        needed, detected = field in FIELDS[:4], understood.get("columns", {}).get(field, "")
        value = chosen.columns.get(field, "")
        usual = _("Choose a column") if needed else _("None detected")
        if detected and not value:
            usual = _("Detected: %(found)s") % {"found": detected}
        missing = bool(faults.get("columns")) and needed and not (value or detected)
        columns.append(
            {
                "name": f"column-{field}",
                "label": field if needed else _("%(field)s (optional)") % {"field": field},
                "value": value,
                "choices": [("", usual), *([] if needed else [(LEFT_OUT, _("Leave out"))]), *headers],
                "errors": _("Choose a column.") if missing else "",
            }
        )
    return columns


@lead_post
def decide(request: HttpRequest, member: Membership, preview_id: int) -> HttpResponse:
    """Import the file, read it in another way, or discard it, as `do` says. A correction is shown first."""
    _preview_of(member, preview_id)
    do, skip_bad = request.POST.get("do", ""), bool(request.POST.get("skip_bad"))
    try:
        if do == "discard":
            discard_preview(preview_id=preview_id, member=member)
            messages.info(request, _("The file is discarded. Nothing was imported."))
            return redirect("imports", member.collection.name)
        choices = choices_from(request.POST.dict())
        corrected = choices != choices_of(_preview_of(member, preview_id))
        if do == "import" and not corrected:
            job = import_previewed(preview_id=preview_id, member=member, skip_bad=skip_bad)
            ask_on_page(request, job)
            return redirect("import-report", member.collection.name, job.pk)
        if do == "import":
            messages.info(request, _("You changed how the file is read. Check the preview before you import."))
        read = read_anew(preview_id=preview_id, member=member, choices=choices, skip_bad=skip_bad)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("imports", member.collection.name)
    except ValueError as fault:
        messages.error(request, str(fault))
        return redirect("import-preview", member.collection.name, preview_id)
    ask_on_page(request, read)
    return redirect("import-preview", member.collection.name, read.pk)


@lead_get
def template(request: HttpRequest, member: Membership) -> HttpResponse:
    """A file to begin with, of `?format=` (CSV by default), as a download."""
    name = request.GET.get("format", "csv")
    if name not in TEMPLATES:
        raise Http404("no such format")
    file_name, text = TEMPLATES[name]
    kind = "text/csv" if name == "csv" else "text/plain"
    return HttpResponse(
        text,
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file_name}"'},
    )
