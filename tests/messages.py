"""Gather the sentences marked for translation into `locale/`, and compile its catalogs (docs/translating.md).

    script/messages            # after a sentence was added, changed or translated
    script/messages --add fr   # a new language

Django's own `makemessages` and `compilemessages` call GNU gettext, which isn't everywhere: here Django rewrites the
templates and Babel reads them, as it reads Python and JavaScript. Compiled catalogs are committed, since a site that
only runs has no Babel.
"""

import argparse
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "locale"
DOMAINS = ("django", "djangojs")
ROOMS = (
    "annotation",
    "campaigns",
    "config",
    "corpus",
    "datasets",
    "demo",
    "desk",
    "foundation",
    "operation",
    "queries",
    "templates",
)
KEYWORDS: dict[str, Any] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
MARKS = ("_(", "gettext", "translate ", "trans ")
"""One of them stands in every file with a message: the others aren't parsed."""

# Dates would change with every run, and say nothing that the repository doesn't.
_NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
_LEFT_OUT = ('"POT-', '"PO-', '"Last-', '"Language-Team', '"Report-', '"Project-', '"Generated')

LEADS = """
    campaigns/organising/ campaigns/planning/ campaigns/scoring/ campaigns/deletion_losses.py
    campaigns/results/opening.py
    campaigns/models/campaign.py campaigns/teams/teams.py campaigns/topics/freeze.py
    templates/campaigns/campaign templates/campaigns/fields.html templates/campaigns/runs_table.html
    templates/campaigns/submission.html templates/campaigns/team.html templates/campaigns/teams.html
    templates/campaigns/phase.html templates/campaigns/standings.html templates/campaigns/pool.html
    templates/campaigns/export.html campaigns/pooled/ campaigns/archive/ campaigns/comparison/
    campaigns/models/results.py
    desk/ operation/backup/ operation/management/ operation/metrics/ operation/models.py operation/retention/
    operation/system/ queries/
    demo/ datasets/content/ datasets/formats/ datasets/judgment_import/ datasets/management/ datasets/models/
    datasets/presentation/digest.py datasets/presentation/services.py
    datasets/presentation/views.py datasets/publishing/
    datasets/certificates/jobs.py datasets/guarantees/ templates/datasets/board_estimates.html
    datasets/certificates/systems.py datasets/certificates/views.py templates/datasets/certificate_state
    datasets/releases/ datasets/stopping/ templates/datasets/stopping.html
    templates/desk/ templates/operation/ templates/datasets/differences.html templates/datasets/judgment_import
    templates/datasets/publication.html templates/datasets/publish.html templates/datasets/release.html
    templates/datasets/release_check.html templates/datasets/release_public.html templates/datasets/releases.html
    templates/datasets/statistics.html templates/queries/
    corpus/browse/ corpus/clips/ corpus/deletion_losses.py foundation/collections/ foundation/deletion/
    corpus/description_formats/ corpus/description_import/ foundation/infra/ foundation/jobs/ corpus/management/
    foundation/management/ foundation/uploads/ corpus/video_import/
    foundation/webhooks/ foundation/models/webhooks.py templates/foundation/webhooks.html
    foundation/models/deletions.py foundation/models/jobs.py corpus/models/material.py corpus/models/video_imports.py
    foundation/audit/sentences.py foundation/accounts/powers.py templates/corpus/removal.html
    foundation/accounts/first_owner.py foundation/accounts/site_accounts.py foundation/accounts/site_views.py
    foundation/accounts/welcome_views.py foundation/access/form_input.py templates/owners_menu.html
    templates/foundation/accounts.html templates/foundation/audit templates/corpus/clips.html
    templates/foundation/collection_
    templates/foundation/site_audit.html
    templates/foundation/field_errors.html templates/corpus/import templates/foundation/job.html
    templates/foundation/jobs.html templates/foundation/member
    templates/foundation/pager.html templates/foundation/password_link_made.html templates/corpus/video
    templates/foundation/welcome.html templates/leads_menu.html templates/empty.html templates/pill.html
    templates/foundation/factor_take.html
    annotation/agreement/ annotation/batches/ annotation/review/ annotation/settings/ annotation/studies/
    annotation/machine_judges/ annotation/sampling/ templates/annotation/machine_ templates/annotation/sampling.html
    datasets/planning/ templates/datasets/plan
    annotation/management/ annotation/assignment/ annotation/precomputed annotation/people/alerts.py
    annotation/people/annotator_model annotation/people/deletion_losses.py annotation/people/terms
    annotation/people/people_figures.py annotation/people/views.py annotation/people/charts.py
    annotation/people/pay.py annotation/people/status.py annotation/people/timesheet.py
    annotation/models/ annotation/judging/flag_views.py annotation/judging/notice_views.py
    annotation/qualification/exam_results.py annotation/qualification/exam_sampling.py
    annotation/recruiting/views.py annotation/recruiting/approval.py templates/annotation/recruit
    annotation/recruiting/recruitments.py annotation/recruiting/typed.py
    annotation/qualification/applicant_views.py annotation/templatetags/review_words.py
    templates/annotation/agreement_tabs.html templates/annotation/training_tabs.html
    templates/annotation/as_of.html templates/annotation/applicants.html templates/annotation/discarded_pairs.html
    templates/annotation/exam_close.html templates/annotation/flags.html templates/annotation/guideline_edit.html
    templates/annotation/spans.html
    templates/annotation/invitations.html templates/annotation/model_view.html templates/annotation/notices.html
    templates/annotation/partners.html templates/annotation/people templates/annotation/person.html
    templates/annotation/policy_waiting.html templates/annotation/prepare.html templates/annotation/quer
    templates/annotation/replay.html templates/annotation/review templates/annotation/settings.html
    templates/annotation/studies.html templates/annotation/time.html
    templates/annotation/grade_shares.html templates/annotation/clip_button.html
    static/js/ask.js static/js/captions.js static/js/discarded_pairs.js static/js/overview.js static/js/review
    static/js/run_query.js static/js/tables.js static/js/uploading/ static/js/videos static/js/posters.js
    static/js/menu.js
    annotation/consent/lead_views.py templates/annotation/consent_edit.html templates/annotation/survey_edit.html
    annotation/factors/tables.py annotation/factors/views.py annotation/figure_tables.py
    templates/annotation/factor annotation/gold/ templates/annotation/gold.html templates/annotation/person_gold.html
    annotation/judging/evidence_figures.py templates/annotation/evidence_use.html corpus/content/
    templates/annotation/grade_classes.html templates/annotation/near_grades.html templates/annotation/scale.html
""".split()
"""Beginnings of the paths whose sentences only leads and owners of a site read: those may be untranslated."""


@dataclass(frozen=True)
class Found:
    """A message in a source file."""

    message: str | tuple[str, ...]
    context: str | None
    file: str


def files_of(domain: str) -> Iterator[Path]:
    """The source files that may hold messages of a domain: templates and Python, or scripts."""
    if domain == "djangojs":
        yield from sorted((ROOT / "static" / "js").rglob("*.js"))
        return
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in (".py", ".html", ".js", ".txt") and "migrations" not in path.parts:
                yield path


def messages_in(path: Path) -> Iterator[Found]:
    """The messages of a source file."""
    text = path.read_text()
    if not any(mark in text for mark in MARKS):
        return
    name = path.relative_to(ROOT).as_posix()
    method = "javascript" if name.startswith("static/") else "python"
    if name.startswith("templates/"):
        # What is left of a template isn't Python, but for its messages; without indentation it can be read as such.
        text = "\n".join(line.lstrip() for line in templatize(text, origin=name).splitlines())
    for _, message, _, context in extract(method, io.BytesIO(text.encode()), KEYWORDS):
        yield Found(message, context, name)


def gathered(domain: str) -> Catalog:
    """A catalog of all messages of the sources, untranslated."""
    catalog = _catalog(Catalog())
    for path in files_of(domain):
        for one in messages_in(path):
            catalog.add(one.message, locations=[(one.file, 0)], context=one.context)
    return catalog


def languages() -> list[str]:
    """The locales that have a folder, such as zh_Hans."""
    return sorted(path.name for path in LOCALE.iterdir() if (path / "LC_MESSAGES").is_dir())


def po_path(locale: str, domain: str) -> Path:
    return LOCALE / locale / "LC_MESSAGES" / f"{domain}.po"


def read_catalog(locale: str, domain: str) -> Catalog:
    """The catalog of a language, empty where there is no file yet."""
    path = po_path(locale, domain)
    if not path.exists():
        return _catalog(Catalog(locale=locale))
    with path.open("rb") as file:
        return _catalog(read_po(file, locale=locale))


def _catalog(catalog: Catalog) -> Catalog:
    catalog.header_comment = ""
    catalog.creation_date = catalog.revision_date = _NO_DATE
    catalog.project, catalog.version = "Qreels", ""
    catalog.fuzzy = False
    return catalog


def updated(locale: str, domain: str, template: Catalog) -> Catalog:
    """A language's catalog with exactly the messages of the sources; what is gone from them is dropped."""
    catalog = read_catalog(locale, domain)
    catalog.update(template, no_fuzzy_matching=True)
    return _catalog(catalog)


def po_bytes(catalog: Catalog) -> bytes:
    """A catalog as it is written: by file, without dates, line numbers and what is obsolete."""
    file = io.BytesIO()
    write_po(file, catalog, width=120, sort_by_file=True, ignore_obsolete=True, include_lineno=False)
    lines = file.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(_LEFT_OUT)).lstrip().encode()


def mo_bytes(catalog: Catalog) -> bytes:
    """A catalog compiled; what is fuzzy or untranslated is left out, and English is shown for it."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def for_leads_alone(files: list[str]) -> bool:
    """Whether only leads and owners of a site read what stands in these source files."""
    return all(file.startswith(tuple(LEADS)) for file in files)


def left_to_translate(catalog: Catalog) -> list[Any]:
    """The messages without a translation, or with a fuzzy one."""
    found = []
    for message in catalog:
        said = message.string if isinstance(message.string, (tuple, list)) else (message.string,)
        if message.id and (message.fuzzy or not all(said)):
            found.append(message)
    return found


def write(domain: str) -> list[str]:
    """Bring all languages' catalogs of a domain up to date and compile them; a line to tell for each."""
    template, told = gathered(domain), []
    for locale in languages():
        catalog = updated(locale, domain, template)
        path = po_path(locale, domain)
        path.write_bytes(po_bytes(catalog))
        # As it reads: a plural without a translation has as many forms there as the language has.
        catalog = read_catalog(locale, domain)
        path.with_suffix(".mo").write_bytes(mo_bytes(catalog))
        left = left_to_translate(catalog)
        needed = [one for one in left if not for_leads_alone([file for file, _ in one.locations])]
        told.append(
            f"{locale} {domain}: {len(catalog)} messages, {len(left)} untranslated, {len(needed)} of them needed"
        )
    return told


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Gather the sentences to translate into locale/ and compile them.")
    parser.add_argument("--add", metavar="LOCALE", help="begin a language, such as fr or pt_BR")
    asked = parser.parse_args(arguments)
    if asked.add:
        try:
            Catalog(locale=asked.add)
        except Exception as fault:
            print(f"found the language {asked.add!r}, expected one such as fr or pt_BR: {fault}", file=sys.stderr)
            return 2
        (LOCALE / asked.add / "LC_MESSAGES").mkdir(parents=True, exist_ok=True)
    for domain in DOMAINS:
        print("\n".join(write(domain)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
