"""The preview of an import: what was understood of an uploaded file, corrections, and the import itself."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from corpus.access.guards import lead_required, takes_uploads
from corpus.access.pages import PageFacts, lead_page
from corpus.description_formats import CHARSETS, FORMATS, SEPARATORS
from corpus.description_formats.csv_dialects import FIELDS, LEFT_OUT
from corpus.description_formats.templates import TEMPLATES
from corpus.description_import.previews import (
    PreviewGone,
    choices_from,
    choices_of,
    discard_preview,
    import_previewed,
    keep_for_preview,
    progress_of_preview,
    read_anew,
)
from corpus.infra.job_pages import ask_on_page
from corpus.infra.storage import StoringError
from corpus.models import ImportPreview, Membership


@takes_uploads("leads")
@require_POST
@lead_required
def look(request: HttpRequest, member: Membership) -> HttpResponse:
    """Keep an uploaded file and have a worker read it for the preview; nothing is imported. Owners and leads only."""
    upload = request.FILES.get("file")
    try:
        if upload is None or not upload.size:
            raise ValueError("Choose a file." if upload is None else "The file is empty.")
        preview = keep_for_preview(member=member, upload=upload, choices=choices_from(request.POST.dict()))
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
    found, chosen = job.found, choices_of(job)
    settled_by = {problem["choice"] for problem in found.get("problems", []) if problem.get("choice")}
    faults = {
        problem["choice"]: f"Found {problem['found']}, expected {problem['expected']}."
        for problem in reversed(found.get("problems", []))
        if problem.get("choice")
    }
    columns = [
        {
            "field": field,
            "needed": field in FIELDS[:4],
            "header": chosen.columns.get(field) or found.get("columns", {}).get(field, ""),
            "chosen": field in chosen.columns,
        }
        for field in FIELDS
    ]
    return PageFacts(
        {"preview": {"file": job.file_name, "bytes": job.size, "skip_bad": job.skip_bad, **found}},
        only_shown={
            "job": job,
            "found": found,
            "progress": progress_of_preview(job),
            "chosen": chosen,
            "columns": columns,
            "faults": faults,
            "understood": not settled_by and bool(found.get("counts")),
            "formats": [(name, format.title) for name, format in FORMATS.items()],
            "charsets": CHARSETS,
            "separators": SEPARATORS,
            "left_out": LEFT_OUT,
        },
    )


@require_POST
@lead_required
def decide(request: HttpRequest, member: Membership, preview_id: int) -> HttpResponse:
    """Import the file, read it in another way, or discard it, as `do` says. A correction is shown first."""
    _preview_of(member, preview_id)
    do, skip_bad = request.POST.get("do", ""), bool(request.POST.get("skip_bad"))
    try:
        if do == "discard":
            discard_preview(preview_id=preview_id, member=member)
            messages.info(request, "The file is removed; nothing was imported.")
            return redirect("imports", member.collection.name)
        choices = choices_from(request.POST.dict())
        corrected = choices != choices_of(_preview_of(member, preview_id))
        if do == "import" and not corrected:
            job = import_previewed(preview_id=preview_id, member=member, skip_bad=skip_bad)
            ask_on_page(request, job)
            return redirect("import-report", member.collection.name, job.pk)
        if do == "import":
            messages.info(request, "You corrected how the file is read: look at it once more before you import it.")
        read = read_anew(preview_id=preview_id, member=member, choices=choices, skip_bad=skip_bad)
    except PreviewGone as refusal:
        messages.error(request, str(refusal))
        return redirect("imports", member.collection.name)
    except ValueError as fault:
        messages.error(request, str(fault))
        return redirect("import-preview", member.collection.name, preview_id)
    ask_on_page(request, read)
    return redirect("import-preview", member.collection.name, read.pk)


@require_safe
@lead_required
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
