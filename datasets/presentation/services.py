"""A release's page changed: its citation, what is public of it, and which runs it shows."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from datasets.formats.about import about_of
from datasets.models import Release, ReleasePage, Run
from datasets.presentation.citation import DOI
from datasets.presentation.digest import digest_of
from foundation.models import Membership
from foundation.refused import FieldsRefused, Refused
from foundation.text import UNSTORABLE

CITATION_FIELDS = ("title", "authors", "year", "address")


def page_of(release: Release) -> ReleasePage:
    """The release's page; one that isn't stored yet says nothing and isn't public."""
    return ReleasePage.objects.filter(release=release).first() or ReleasePage(release=release)


def set_citation(*, release: Release, said: Mapping[str, str]) -> ReleasePage:
    """Set title, authors, year and address of a release's citation; an empty one is the release's own again.

    Raises: Refused with what is wrong, by field.
    """
    found = {name: UNSTORABLE.sub("", said.get(name, "")).strip() for name in CITATION_FIELDS}
    wrong = {}
    if len(found["title"]) > 300:
        wrong["title"] = _("Found %(count)s characters, expected at most 300.") % {"count": len(found["title"])}
    try:
        about_of({"authors": found["authors"]})
    except Refused as refusal:
        wrong["authors"] = str(refusal)
    if found["year"] and not (
        found["year"].isascii() and found["year"].isdigit() and 1900 <= int(found["year"]) <= 2999
    ):
        wrong["year"] = _("Found %(found)s, expected a year from 1900 to 2999.") % {"found": repr(found["year"][:20])}
    if found["address"] and not _is_address(found["address"]):
        wrong["address"] = _(
            "Found %(found)s, expected a DOI such as 10.5555/12345, or an address that begins with https://."
        ) % {"found": repr(found["address"][:60])}
    if wrong:
        raise FieldsRefused(wrong)
    values = {**found, "year": int(found["year"]) if found["year"] else None}
    return ReleasePage.objects.update_or_create(release=release, defaults=values)[0]


def _is_address(text: str) -> bool:
    if len(text) > 500 or any(sign.isspace() for sign in text):
        return False
    if DOI.fullmatch(text):
        return True
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


@transaction.atomic
def make_public(*, member: Membership, release: Release, pictures: str, files: str, indexed: bool) -> ReleasePage:
    """Let anybody read a release's page, with these pictures and files; again with others changes these.

    Raises: Refused for who isn't an owner of the collection, for an unknown choice, and for files that name people.
    """
    _refuse_others(member)
    wrong = {}
    if pictures not in ReleasePage.Pictures.values:
        wrong["pictures"] = _not_one_of(pictures, ReleasePage.Pictures.values)
    if files not in ReleasePage.Files.values:
        wrong["files"] = _not_one_of(files, ReleasePage.Files.values)
    elif files != ReleasePage.Files.NONE:
        wrong |= _wrong_files(release)
    if wrong:
        raise FieldsRefused(wrong)
    page = ReleasePage.objects.get_or_create(release=release)[0]
    page.pictures, page.files, page.indexed, page.changed_by = pictures, files, indexed, member
    page.public_since = page.public_since or timezone.now()
    page.save(update_fields=["pictures", "files", "indexed", "changed_by", "public_since"])
    return page


def _not_one_of(found: str, expected: Sequence[str]) -> str:
    return _("Found %(found)s, expected one of %(expected)s.") % {
        "found": repr(found[:20]),
        "expected": ", ".join(expected),
    }


def _wrong_files(release: Release) -> dict[str, str]:
    digest = digest_of(release)
    if digest is None:
        return {"files": _("The files are still being searched for names and mail addresses. Try again in a minute.")}
    if digest["identities"]:
        problems = "; ".join(digest["identities"])
        return {"files": _("%(problems)s: so none can be downloaded by everybody.") % {"problems": problems}}
    return {}


@transaction.atomic
def withdraw_page(*, member: Membership, release: Release) -> None:
    """Let nobody read it without a login any more, from now on. Repeating it changes nothing.

    Raises: Refused for who isn't an owner.
    """
    _refuse_others(member)
    ReleasePage.objects.filter(release=release, public_since__isnull=False).update(public_since=None, changed_by=member)


def why_not_public(member: Membership) -> str:
    """Why a member can't decide what is public, in words; "" for an owner."""
    if member.role == Membership.Role.OWNER:
        return ""
    return _("An owner makes a release public. You are %(role)s here.") % {"role": member.get_role_display()}


def _refuse_others(member: Membership) -> None:
    if why := why_not_public(member):
        raise Refused(why)


def show_run(*, run: Run, shown: bool) -> None:
    """Set whether the release's public page lists the run."""
    Run.objects.filter(pk=run.pk).update(public=shown)
