"""A release's page for its leads, its citation, and the owner's decision what of it is public."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from corpus.models import Clip
from datasets.certificates.views import certificate_facts
from datasets.content.splits import SPLITS
from datasets.content.still_judged import still_judged
from datasets.leaderboard.plan_came import promised_and_came
from datasets.leaderboard.rights import may_show, run_of
from datasets.leaderboard.systems_table import systems_table
from datasets.models import Release, ReleasePage
from datasets.presentation.article import (
    ReleasedFile,
    SampleMoment,
    article_of,
    cited,
    clips_of,
    release_before,
    samples_of,
    standings_of,
)
from datasets.presentation.digest import digest_of, digest_or_ask
from datasets.presentation.services import make_public, page_of, set_citation, show_run, why_not_public, withdraw_page
from datasets.releases.access import sharing_of
from datasets.releases.check_jobs import check_of
from datasets.releases.selectors import facts_of, release_of
from datasets.releases.signing import LONGEST, sign_release, withdraw_signature
from evaluation.releases.manifest import SIGNATURE
from evaluation.releases.untrusted_files import RAW
from foundation.access.guards import lead_of_archived, lead_required, member_required
from foundation.access.pages import PageFacts, lead_page, lead_post, render_facts
from foundation.models import Membership
from foundation.refused import Refused


def facts_of_page(member: Membership, release: Release) -> PageFacts:
    """What a release's page shows to its leads."""
    page, result = page_of(release), digest_or_ask(release)
    others = member.collection.releases.exclude(pk=release.pk).order_by("-created_at")
    counts, usual = release.manifest["counts"], cited(release, ReleasePage(release=release))
    sharing = sharing_of(release)
    certificate, certified = certificate_facts(release)
    clips = clips_of(member.collection, result.value)
    article = article_of(
        release,
        page,
        digest=result.value,
        samples=samples_of(result.value, set, _own_address(clips), clips),
        files=[_own_file(member, release, path) for path in sorted(release.files)],
        boards=standings_of(release, public=False),
        before=release_before(release, public=False),
    )
    stated = {name: getattr(page, name) or "" for name in ("title", "authors", "year", "address")}
    return {
        "release": facts_of(release),
        "manifest": release.manifest,
        "article": article,
        "digest": result,
        "citation": stated,
        "public": _public_facts(release, page),
        "files": [{"path": file.path, "size": file.size, "sha256": file.sha256} for file in article["files"]],
        "sharing": {"members": sharing.members, "hide_test": sharing.hide_test},
        "check": check_of(release),
        "key": page.signing_key if page.signed_at else "",
        "signature_address": reverse("release-file", args=[member.collection.name, release.pk, SIGNATURE]),
        "traceable": RAW in release.files,
        "certificate": certificate,
        "systems": systems_table(release),
        "came": promised_and_came(release.collection, [release]),
        **certified,
        "others": others,
        "splits": [split for split in SPLITS if counts[split]["queries"]],
        "owner": member.role == Membership.Role.OWNER,
        "usual": usual,
        "usual_authors": "; ".join(", ".join(filter(None, names)) for names in usual.authors),
        "wrong": {},
    }


def _public_facts(release: Release, page: ReleasePage) -> dict[str, Any]:
    return {
        "since": page.public_since,
        "pictures": page.pictures,
        "files": page.files,
        "indexed": page.indexed,
        "address": reverse("published", args=[release.collection.name, release.name]),
        "still_judged": still_judged(release.collection),
    }


def _own_address(clips: Mapping[tuple[str, float, float], Clip]) -> Any:
    def address(kind: str, moment: SampleMoment) -> str:
        clip = clips[moment.video_name, moment.start, moment.end]
        if kind == "poster" and not clip.poster_file:
            return ""
        return reverse("clip", args=[clip.public_name, "jpg" if kind == "poster" else "mp4"])

    return address


def _own_file(member: Membership, release: Release, path: str) -> ReleasedFile:
    size = release.manifest["files"].get(path, {}).get("size")
    address = reverse("release-file", args=[member.collection.name, release.pk, path])
    return ReleasedFile(path, size, release.files[path], address)


@lead_page("datasets/release.html")
def release(request: HttpRequest, member: Membership, release_id: int) -> PageFacts:
    """One release as a publication: what it holds and how it was made, its files, boards, and what others see of it."""
    return facts_of_page(member, release_of(member, release_id))


@lead_post
def citation(request: HttpRequest, member: Membership, release_id: int) -> HttpResponse:
    """Set title, authors, year and address of a release's citation; owners and leads only."""
    release = release_of(member, release_id)
    try:
        set_citation(release=release, said=request.POST.dict())
    except Refused as refusal:
        typed = {name: request.POST.get(name, "") for name in ("title", "authors", "year", "address")}
        facts = facts_of_page(member, release) | {"citation": typed, "wrong": refusal.wrong}
        return render_facts(request, member, "datasets/release.html", facts, status=400)
    messages.success(request, _("The citation is saved."))
    return redirect("release", member.collection.name, release.pk)


@lead_post
def sign(request: HttpRequest, member: Membership, release_id: int) -> HttpResponse:
    """Take on the signature of a release's manifest; owners and leads only."""
    release, sent = release_of(member, release_id), request.FILES.get("signature")
    try:
        content = sent.read(LONGEST + 1) if sent else b""
        signed = sign_release(release=release, signature=content, key=request.POST.get("key", ""))
    except Refused as refusal:
        facts = facts_of_page(member, release) | {"key": request.POST.get("key", ""), "wrong": refusal.wrong}
        return render_facts(request, member, "datasets/release.html", facts, status=400)
    messages.success(request, _("The release is signed by the key %(key)s.") % {"key": signed.identity})
    return redirect("release", member.collection.name, release.pk)


@lead_post
def unsign(request: HttpRequest, member: Membership, release_id: int) -> HttpResponse:
    """Give a release's signature out no more; owners and leads only."""
    release = release_of(member, release_id)
    withdraw_signature(release=release)
    messages.success(request, _("The signature is withdrawn."))
    return redirect("release", member.collection.name, release.pk)


def _release_of_owner(member: Membership, release_id: int) -> Release:
    if why := why_not_public(member):
        raise PermissionDenied(why)
    return release_of(member, release_id)


@require_http_methods(["GET", "HEAD", "POST"])
@lead_required
def public(request: HttpRequest, member: Membership, release_id: int) -> HttpResponse:
    """What would become visible to everybody, and the form that makes it so; owners only."""
    release = _release_of_owner(member, release_id)
    wrong: dict[str, str] = {}
    if request.method == "POST":
        try:
            if "agreed" not in request.POST:
                raise Refused(_("Confirm this first."), "agreed")
            make_public(
                member=member,
                release=release,
                pictures=request.POST.get("pictures", ""),
                files=request.POST.get("files", ""),
                indexed="indexed" in request.POST,
            )
        except Refused as refusal:
            wrong = refusal.wrong
        else:
            messages.success(request, _("Release %(name)s is public.") % {"name": release.name})
            return redirect("release", member.collection.name, release.pk)
    digest_or_ask(release)
    page, digest = page_of(release), digest_of(release)
    chosen = request.POST if wrong else {"pictures": page.pictures, "files": page.files}
    facts = {
        "release": release,
        "public": _public_facts(release, page),
        "absolute": request.build_absolute_uri(reverse("published", args=[release.collection.name, release.name])),
        "pictures": ReleasePage.Pictures.choices,
        "files": ReleasePage.Files.choices,
        "chosen": chosen,
        "indexed": "indexed" in request.POST if wrong else page.indexed,
        "digest": digest,
        "runs": sum(len(board.rows) for board in standings_of(release, public=True)),
        "wrong": wrong,
    }
    return render_facts(request, member, "datasets/release_public.html", facts, status=400 if wrong else 200)


@require_POST
@lead_of_archived
def off(request: HttpRequest, member: Membership, release_id: int) -> HttpResponse:
    """Let nobody read the public page any more; owners only, in an archived collection too."""
    release = _release_of_owner(member, release_id)
    withdraw_page(member=member, release=release)
    messages.success(request, _("Release %(name)s is no longer public.") % {"name": release.name})
    return redirect("release", member.collection.name, release.pk)


@require_POST
@member_required
def show(request: HttpRequest, member: Membership, run_id: int) -> HttpResponse:
    """Whether a release's public page lists a run: decided by whoever uploaded it, of a run by a command by leads."""
    run = run_of(member, run_id)
    if not may_show(member, run):
        raise Http404("no such run")
    show_run(run=run, shown="shown" in request.POST)
    run.refresh_from_db()
    sentence = (
        _("%(run)s is listed where the release is public.") if run.public else _("%(run)s is listed on no public page.")
    )
    messages.success(request, sentence % {"run": run})
    return redirect("run", member.collection.name, run.pk)
