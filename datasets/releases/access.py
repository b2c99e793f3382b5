"""Who may see which files of a release."""

from datasets.content.still_judged import still_judged
from datasets.formats.further_files import FURTHER_TABLES
from datasets.models import Board, Release, Sharing
from foundation.models import Membership

WITHOUT_TEST = {
    *("val.json", "video_corpus.json", "trec/topics.val.tsv", "trec/topics.test.tsv", "trec/moments.tsv"),
    FURTHER_TABLES["moment_ids"].file,
}
"""Files that hold no ground truth of test, beside the training files: its queries without it, for instance, which a
system has to be given. Whatever else there is may hold some."""
OF_MACHINES = {FURTHER_TABLES[key].file for key in ("machine_judgments", "sampling")}
"""Files that tell what a machine says of moments which people may yet judge; strata may be by a machine's grades."""


def share_release(*, release: Release, members: bool, hide_test: bool) -> Sharing:
    """Set what members see of a release."""
    sharing, _ = Sharing.objects.update_or_create(
        release=release, defaults={"members": members, "hide_test": hide_test}
    )
    return sharing


def sharing_of(release: Release) -> Sharing:
    """The sharing of a release; nothing is shared by default."""
    return Sharing.objects.filter(release=release).first() or Sharing(release=release)


def takes_part(member: Membership) -> bool:
    """Whether releases are shared with the member at all: never with barred or removed ones."""
    return member.leads or member.status != Membership.Status.BARRED


def may_see_release(member: Membership, release: Release) -> bool:
    """Whether the member may see the release's page and boards."""
    return member.leads or (takes_part(member) and sharing_of(release).members)


def may_see_truth(member: Membership, board: Board) -> bool:
    """Whether the member may see grades of the board's queries."""
    if member.leads:
        return True
    sharing = sharing_of(board.release)
    return takes_part(member) and sharing.members and not (sharing.hide_test and board.split == "test")


def files_for(member: Membership, release: Release) -> list[str]:
    """The files of a release that the member may download, sorted."""
    files = sorted(release.files)
    if member.leads:
        return files
    sharing = sharing_of(release)
    if not sharing.members or not takes_part(member):
        return []
    if sharing.hide_test:
        return files_without_test(release)
    held_back = OF_MACHINES.intersection(files) if still_judged(release.collection) else set()
    return [path for path in files if path not in held_back]


def files_without_test(release: Release) -> list[str]:
    """The files of a release that hold no ground truth of test, sorted."""
    files = sorted(release.files)
    training = {path for path in files if path.startswith("train_top") and path.endswith(".json")}
    return [path for path in files if path in WITHOUT_TEST | training]
