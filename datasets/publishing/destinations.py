"""Check that a publishing target lies below a root that the administrator allows.

A root is a text of the setting PUBLISH_ROOTS (`config/values.py`): a folder, `s3://BUCKET[/PREFIX]`, `hf://OWNER`,
`hf://OWNER/NAME`, which is one repository, or `invenio://HOST`, where each release gets a record or a version of one;
the last two have nothing below.
"""

import re
from pathlib import Path

from django.conf import settings

from foundation.refused import Refused

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}\Z")
LONGEST = 200
"""The longest path below a root, in characters."""


def kind_of(root: str) -> str:
    """What a root is: "folder", "bucket", "hub account", "hub repository" or "archive"."""
    scheme, separator, rest = root.partition("://")
    if not separator:
        return "folder"
    if scheme == "s3":
        return "bucket"
    if scheme == "invenio":
        return "archive"
    return "hub repository" if "/" in rest else "hub account"


def usual_below(root: str, *, collection: str, release: str) -> str:
    """A release's default place below a root: a folder per release, a repository per collection."""
    usual = {"hub account": collection, "hub repository": "", "archive": ""}
    return usual.get(kind_of(root), f"{collection}/{release}")


def place_below(root: str, below: str) -> str:
    """A place below an allowed root, as `target_of` takes it. Raises: Refused for any other."""
    if root not in settings.PUBLISH_ROOTS:
        raise Refused("This server doesn't publish there: choose one of the places that it allows.")
    kind, parts = kind_of(root), below.split("/") if below else []
    if kind in ("hub repository", "archive"):
        if parts:
            raise Refused(f"Found {below!r}, expected nothing: {root} has nothing below.")
        return root
    if len(below) > LONGEST or not parts or not all(map(_NAME.match, parts)):
        raise Refused(
            f"Found {below!r} below {root}, expected names of letters, digits, dots, hyphens and underscores, each "
            "beginning with a letter or digit, with slashes between them."
        )
    if kind == "hub account" and len(parts) > 1:
        raise Refused(f"Found {below!r}, expected one name: that of a repository of {root}.")
    if kind == "folder":
        # Not resolved before it is compared: what the administrator named may itself be a link.
        folder = Path(root).resolve()
        if not (folder / below).resolve().is_relative_to(folder):
            raise Refused(f"{below!r} leads out of {root} by a link.")
    return f"{root}/{below}"


def overlap(place: str, other: str) -> bool:
    """Whether one place is the other or lies in it. Never in an archive, where no record is in another's way.

    >>> overlap("/srv/a", "/srv/a/b"), overlap("/srv/a", "/srv/ab")
    (True, False)
    """
    if kind_of(place) == "archive":
        return False
    return f"{place}/".startswith(f"{other}/") or f"{other}/".startswith(f"{place}/")
