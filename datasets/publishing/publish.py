"""Publish a release to a folder, an S3 bucket, a Hugging Face repository or an archive: safe to repeat.

What is there already isn't sent again, what is there otherwise is never overwritten unasked, and the manifest goes
last, so that whoever finds it finds all of the release.
"""

import tempfile
from collections.abc import Callable, Container
from pathlib import Path

from datasets.formats.card import CARD
from datasets.formats.ro_crate import CRATE, DATACITE
from datasets.models import Release
from datasets.publishing.deposit import DepositTarget
from datasets.publishing.folder import FolderTarget
from datasets.publishing.hugging_face import HuggingFaceTarget
from datasets.publishing.identities import find_identities
from datasets.publishing.s3 import S3Target
from datasets.publishing.targets import MANIFEST, InTheWay, Item, Planned, Target
from datasets.releases.make_release import write_release
from datasets.releases.signing import signature_of
from evaluation.releases.manifest import SIGNATURE
from foundation.refused import Refused

TARGETS = "a folder, s3://BUCKET/PREFIX, hf://OWNER/NAME or invenio://HOST"


def target_of(text: str, *, final: bool = False, new_record: bool = False) -> Target:
    """The target of an address: `s3://bucket/prefix`, `hf://owner/name`, `invenio://host`, else a folder.

    Args:
        final: whether a record is published, for good.
        new_record: whether it is never a new version of an earlier release's; both say nothing elsewhere.

    Raises: Refused.
    """
    scheme, separator, rest = text.partition("://")
    if not separator:
        return FolderTarget(Path(text))
    if scheme == "s3" and rest.strip("/"):
        bucket, _, prefix = rest.partition("/")
        return S3Target(bucket, prefix.strip("/"))
    if scheme == "hf" and rest.removeprefix("datasets/").strip("/").count("/") == 1:
        return HuggingFaceTarget(rest.removeprefix("datasets/").strip("/"))
    if scheme == "invenio" and rest.strip("/") and "/" not in rest.strip("/"):
        return DepositTarget(rest.strip("/"), final=final, new_record=new_record)
    raise Refused(f"Found the target {text!r}, expected {TARGETS}.")


def items_of(release: Release, format_name: str = "", target: Target | None = None) -> list[Item]:
    """The files to publish, the manifest last: all of them, or one format's at the top, as the target takes them.

    Raises: Refused if the release hasn't the format, or the target takes none alone.
    """
    if format_name and format_name not in release.formats:
        raise Refused(f"Release {release.name} has no {format_name}: it has {', '.join(release.formats)}.")
    crate = {CRATE, DATACITE}
    of_others = crate | ({CARD} if "parquet" in release.formats else set())
    at_the_top = {"ro-crate": crate, "tvr-ranking": {path for path in release.files if "/" not in path} - of_others}
    items = []
    for path, facts in sorted(release.manifest["files"].items()):
        folder, slash, rest = path.partition("/")
        if not format_name or path in at_the_top.get(format_name, ()):
            items.append(Item(path, path, facts["sha256"], facts["size"]))
        elif slash and folder == format_name:
            items.append(Item(path, rest, facts["sha256"], facts["size"]))
    if signed := signature_of(release):
        items.append(Item(SIGNATURE, SIGNATURE, signed.sha256, len(signed.content)))
    items.append(Item(MANIFEST, MANIFEST, release.manifest_sha256, -1))
    return target.arranged(release, items, format_name) if target else items


def plan(release: Release, target: Target, items: list[Item]) -> list[Planned]:
    """Plan what sending would do to every file; sends nothing. Raises: Refused."""
    target.refuse_unready()
    states = target.states(items, release)
    return [Planned(item, target.address(item), states[item.goes_to]) for item in items]


def publish(
    *,
    release: Release,
    target: Target,
    format_name: str = "",
    replace: Container[str] = (),
    arrived: Callable[[Item], None] = lambda item: None,
) -> list[Planned]:
    """Send the files that aren't there yet. Repeating it after an interruption sends what is missing.

    Args:
        replace: which files (`goes_to`) to send also where they are there otherwise.
        arrived: called with every file that has arrived.

    Returns: what was planned, so that it can be told.
    Raises: Refused, also if the release's archive can't be read.
    """
    planned = plan(release, target, items_of(release, format_name, target))
    differing = [file.address for file in planned if file.state == "differs" and file.item.goes_to not in replace]
    if differing:
        raise InTheWay(
            f"{differing[0]} is there and isn't release {release.name}'s"
            f"{f' (and {len(differing) - 1} more)' if len(differing) > 1 else ''}. Nothing was sent: choose another "
            "target, or say --replace."
        )
    missing = [file.item for file in planned if file.state != "same"]
    if missing:
        with tempfile.TemporaryDirectory(prefix="qreels-publish-") as scratch:
            folder = Path(scratch) / "release"
            write_release(release=release, folder=folder)  # every hash is compared on the way
            identities = find_identities(folder, release.collection)
            if identities:
                raise Refused(f"Nothing was sent, since {identities[0]}. Make the release anew without it.")
            target.send(missing, folder, release, arrived)
    target.finish(release)
    return planned
