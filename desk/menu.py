"""The menu of leads' pages: overview, four groups in the order of the work, and what concerns the whole collection."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.models import Recruitment, SamplingDesign
from datasets.models import StoppingGoal
from foundation.models import Collection
from queries.models import PoolPlan, PoolRun, Query


@dataclass(frozen=True, slots=True)
class Entry:
    """A page of the menu by its URL name. `of`: prefixes of the URL names of other pages that belong to it; `icon`: a
    heroicon, "" inside a group."""

    label: str | Promise
    page: str
    of: tuple[str, ...] = ()
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    key: str
    label: str | Promise
    icon: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """An entry as it is shown: `here` on the page that it leads to and on those that belong to it."""

    label: str | Promise
    address: str
    icon: str
    here: bool


@dataclass(frozen=True, slots=True)
class Stage:
    """A group as it is shown."""

    key: str
    label: str | Promise
    icon: str
    links: list[Link]
    more: list[Link]
    """What the collection doesn't use, folded away."""

    @property
    def here(self) -> Link | None:
        """Its link that is the current page."""
        return next((link for link in [*self.links, *self.more] if link.here), None)


@dataclass(frozen=True, slots=True)
class Menu:
    """What a collection's menu shows: pages that the site doesn't have are left out. `label` names it for a screen
    reader."""

    label: str | Promise
    first: list[Link]
    stages: list[Stage]
    last: list[Link]


OVERVIEW = Entry(gettext_lazy("Overview"), "overview", icon="home")
GROUPS = (
    Group(
        "Prepare",
        gettext_lazy("Prepare"),
        "film",
        (
            Entry(gettext_lazy("Descriptions"), "imports", ("import",)),
            Entry(gettext_lazy("Videos"), "videos", ("video",)),
            Entry(gettext_lazy("Clips"), "clips"),
            Entry(gettext_lazy("Cast"), "cast"),
            Entry(gettext_lazy("Rewriting"), "rewriting", ("rewriting", "calibration")),
            Entry(gettext_lazy("Captions"), "captions", ("caption",)),
            Entry(gettext_lazy("Queries"), "draw"),
            Entry(gettext_lazy("Topics"), "topics", ("topic",)),
            Entry(gettext_lazy("Runs"), "pool-runs", ("pool-run",)),
            Entry(gettext_lazy("Recipe"), "pool-recipe", ("pool-recipe", "pool-make")),
            Entry(gettext_lazy("Candidates"), "pool", ("pool",)),
            Entry(gettext_lazy("Sample"), "sampling"),
            Entry(pgettext_lazy("of queries and cost", "Plan"), "plans", ("plan",)),
            Entry(gettext_lazy("Open judging"), "opening"),
        ),
    ),
    Group(
        "Judge",
        gettext_lazy("Judge"),
        "play-circle",
        (
            Entry(gettext_lazy("Guideline"), "guideline-edit", ("guideline",)),
            Entry(gettext_lazy("Training and exam"), "prepare", ("prepare",)),
            Entry(gettext_lazy("Consent"), "consent-edit", ("consent",)),
            Entry(gettext_lazy("Survey"), "survey-edit", ("survey",)),
            Entry(gettext_lazy("Invitations"), "invitations"),
            Entry(gettext_lazy("Recruiting"), "recruiting", ("recruit",)),
            Entry(gettext_lazy("Applicants"), "applicants", ("applicant", "exam-close")),
            Entry(gettext_lazy("People"), "people", ("person",)),
            Entry(gettext_lazy("Gold"), "gold"),
            Entry(gettext_lazy("Progress"), "work", ("work",)),
            Entry(gettext_lazy("Stopping"), "stopping", ("stopping",)),
            Entry(gettext_lazy("Flags"), "flags"),
            Entry(gettext_lazy("Notices"), "notices"),
            Entry(gettext_lazy("Time and pay"), "time"),
            Entry(gettext_lazy("Studies"), "studies"),
        ),
    ),
    Group(
        "Review",
        gettext_lazy("Review"),
        "clipboard-document-check",
        (
            Entry(gettext_lazy("Batches"), "review", ("review-batch",)),
            Entry(gettext_lazy("Decisions"), "review-decisions"),
            Entry(gettext_lazy("Discarded pairs"), "discarded"),
            Entry(gettext_lazy("Agreement"), "partners", ("model-view", "spans", "evidence-use", "factor-figures")),
            Entry(gettext_lazy("Compare rules"), "replay"),
            Entry(gettext_lazy("Machine judges"), "machine-judges", ("machine-",)),
        ),
    ),
    Group(
        "Release",
        gettext_lazy("Release"),
        "archive-box",
        (
            Entry(gettext_lazy("Statistics"), "statistics"),
            Entry(pgettext_lazy("of test queries into training", "Leakage"), "leakage"),
            Entry(gettext_lazy("Figures"), "figures", ("figure",)),
            Entry(gettext_lazy("Releases"), "releases", ("release", "publi", "run", "board", "shared-releases")),
            Entry(gettext_lazy("Campaigns"), "campaigns", ("campaign",)),
            Entry(gettext_lazy("Import judgments"), "judgment-imports", ("judgment-import",)),
            Entry(gettext_lazy("Check a release"), "release-check", ("release-check",)),
        ),
    ),
)
LAST = (
    Entry(gettext_lazy("Members"), "members", icon="users"),
    Entry(gettext_lazy("Jobs"), "jobs", ("job",), icon="queue-list"),
    Entry(gettext_lazy("Webhooks"), "webhooks", icon="bolt"),
    Entry(gettext_lazy("Changes"), "audit", icon="clock"),
    Entry(
        gettext_lazy("Settings"), "settings", ("settings", "llm", "factors", "collection-delete"), icon="cog-6-tooth"
    ),
)
OF_A_STUDY = {"people", "work", "flags", "notices", "time", "discarded", "partners", "figures", "overview"}
"""What a study has of these; the rest is its collection's."""
SELDOM = {"videos", "clips", "cast", "topics", "pool-runs", "pool-recipe", "sampling", "stopping"} | {
    *("recruiting", "consent-edit", "survey-edit"),
}
"""Pages that a collection may do without."""


def pages_in_use(collection: Collection, beside: Mapping[str, QuerySet[Any]] = MappingProxyType({})) -> set[str]:
    """Those of `SELDOM` that the collection has something for. One SQL query.

    Args: beside: what else the query asks for, name -> rows; the names of those that have a row are returned as well.
    """
    own = OuterRef("pk")
    rows = {
        "topics": Query.objects.filter(collection=own, description=None),
        "pool-runs": PoolRun.objects.filter(collection=own),
        "pool-recipe": PoolPlan.objects.filter(collection=own),
        "sampling": SamplingDesign.objects.filter(collection=own),
        "stopping": StoppingGoal.objects.filter(collection=own),
        "recruiting": Recruitment.objects.filter(collection=own),
        **beside,
    }
    has_rows = Collection.objects.filter(pk=collection.pk).values_list(*map(Exists, rows.values())).get()
    used = {page for page, exists in zip(rows, has_rows, strict=True) if exists}
    used |= {"consent-edit", "survey-edit"} if collection.consent_version else set()
    return used | ({"videos", "clips"} if collection.has_clips else set()) | ({"cast"} if collection.cast else set())


def menu_of(collection: Collection, here: str, *, used: set[str]) -> Menu:
    """The menu on the page whose URL name is `here`, with the pages `used` of `SELDOM`. No SQL query, but for a study
    the one for its collection."""
    study = collection.is_study
    place = _place(here)

    def links(entries: tuple[Entry, ...]) -> list[Link]:
        shown = []
        for entry in entries:
            address = "" if study and entry.page not in OF_A_STUDY else _address(entry.page, collection.name)
            if address:
                shown.append(Link(entry.label, address, entry.icon, entry is place))
        return shown

    folded = SELDOM - used
    groups = [
        Stage(
            group.key,
            group.label,
            group.icon,
            links(tuple(entry for entry in group.entries if entry.page not in folded)),
            links(tuple(entry for entry in group.entries if entry.page in folded)),
        )
        for group in GROUPS
    ]
    last = links(LAST)
    if study and collection.study_of is not None:
        studies = reverse("studies", args=[collection.study_of.name])
        last = [Link(gettext_lazy("All studies"), studies, "arrow-uturn-left", False)]
    label = gettext_lazy("Study") if study else gettext_lazy("Collection")
    return Menu(label, links((OVERVIEW,)), [stage for stage in groups if stage.links or stage.more], last)


def _place(here: str) -> Entry | None:
    """The entry of a page: the one with its name, or the first one with a prefix of it."""
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
