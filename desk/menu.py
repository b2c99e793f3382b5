"""The menu of leads' pages: overview, four groups in the order of the work, and what concerns the whole collection."""

from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from corpus.models import Collection


@dataclass(frozen=True, slots=True)
class Entry:
    """A page of the menu by its URL name; `label` is English, `of` are beginnings of the URL names of other pages that
    belong to it; `icon` is a heroicon, "" inside a group."""

    label: str
    page: str
    of: tuple[str, ...] = ()
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    label: str
    icon: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """An entry as it is shown: `here` on the page that it leads to and on those that belong to it."""

    label: str
    address: str
    icon: str
    here: bool


@dataclass(frozen=True, slots=True)
class Stage:
    """A group as it is shown: `here` if one of its links is."""

    label: str
    icon: str
    links: list[Link]

    @property
    def here(self) -> bool:
        return any(link.here for link in self.links)


@dataclass(frozen=True, slots=True)
class Menu:
    """What a collection's menu shows: pages that the site doesn't have are left out. `label` names it for a screen
    reader."""

    label: str
    first: list[Link]
    stages: list[Stage]
    last: list[Link]


OVERVIEW = Entry(_("Overview"), "overview", icon="home")
GROUPS = (
    Group(
        _("Prepare"),
        "film",
        (
            Entry(_("Descriptions"), "imports", ("import",)),
            Entry(_("Videos"), "videos", ("video",)),
            Entry(_("Clips"), "clips"),
            Entry(_("Cast"), "cast"),
            Entry(_("Rewriting"), "rewriting", ("rewriting",)),
            Entry(_("Captions"), "captions", ("caption",)),
            Entry(_("Queries"), "draw"),
            Entry(_("Candidates"), "pool", ("pool",)),
            Entry(_("Open judging"), "opening"),
        ),
    ),
    Group(
        _("Judge"),
        "play-circle",
        (
            Entry(_("Guideline"), "guideline-edit", ("guideline",)),
            Entry(_("Training and exam"), "prepare", ("prepare",)),
            Entry(_("Invitations"), "invitations"),
            Entry(_("Applicants"), "candidates", ("candidate", "exam-close")),
            Entry(_("People"), "people", ("person",)),
            Entry(_("Progress"), "work", ("work",)),
            Entry(_("Flags"), "flags"),
            Entry(_("Notices"), "notices"),
            Entry(_("Time and pay"), "time"),
            Entry(_("Studies"), "studies"),
        ),
    ),
    Group(
        _("Review"),
        "clipboard-document-check",
        (
            Entry(_("Batches"), "review", ("review-batch",)),
            Entry(_("Decisions"), "review-decisions"),
            Entry(_("Discarded pairs"), "disputes"),
            Entry(_("Agreement"), "partners", ("model-view",)),
            Entry(_("Compare rules"), "replay"),
        ),
    ),
    Group(
        _("Release"),
        "archive-box",
        (
            Entry(_("Statistics"), "statistics"),
            Entry(_("Figures"), "figures", ("figure",)),
            Entry(_("Releases"), "releases", ("release", "publi", "run", "board", "shared-releases")),
            Entry(_("Imported judgments"), "judgment-imports", ("judgment-import",)),
            Entry(_("Check a release"), "release-check", ("release-check",)),
        ),
    ),
)
LAST = (
    Entry(_("Members"), "members", icon="users"),
    Entry(_("Jobs"), "jobs", ("job",), icon="queue-list"),
    Entry(_("Settings"), "settings", ("settings", "llm", "collection-delete"), icon="cog-6-tooth"),
)
OF_A_STUDY = {"people", "work", "flags", "notices", "time", "disputes", "figures", "overview"}
"""What a study has of these; the rest is its collection's."""


def menu_of(collection: Collection, here: str) -> Menu:
    """The menu on the page whose URL name is `here`. No SQL query, but for a study the one for its collection."""
    study = collection.is_study
    place = _place(here)

    def links(entries: tuple[Entry, ...]) -> list[Link]:
        found = []
        for entry in entries:
            address = "" if study and entry.page not in OF_A_STUDY else _address(entry.page, collection.name)
            if address:
                found.append(Link(gettext(entry.label), address, entry.icon, entry is place))
        return found

    groups = [Stage(gettext(group.label), group.icon, links(group.entries)) for group in GROUPS]
    last = links(LAST)
    if study and collection.study_of is not None:
        last = [
            Link(gettext("All studies"), reverse("studies", args=[collection.study_of.name]), "arrow-uturn-left", False)
        ]
    label = gettext("Study") if study else gettext("Collection")
    return Menu(label, links((OVERVIEW,)), [one for one in groups if one.links], last)


def _place(here: str) -> Entry | None:
    """The entry of a page: the one with its name, or the first with a beginning of it."""
    entries = [OVERVIEW, *(entry for group in GROUPS for entry in group.entries), *LAST]
    own = [entry for entry in entries if entry.page == here]
    return next(iter(own or [entry for entry in entries if here.startswith(entry.of)]), None)


def _address(page: str, name: str) -> str:
    """The page's address in a collection, or of the site; "" where there is no such page."""
    for arguments in ([name], []):
        try:
            return reverse(page, args=arguments)
        except NoReverseMatch:
            continue
    return ""
