"""The last look before a release leaves: is a person's mail address in it, or their name where a worker id belongs?"""

import csv
from collections.abc import Iterator
from pathlib import Path

from corpus.models import Account, Collection

CHUNK = 1 << 20
RAW = "raw_annotations.csv"


def find_identities(folder: Path, collection: Collection) -> list[str]:
    """Sentences, one a finding, that name the file and never the person.

    Searched for: the mail addresses of the collection's people in every file, letter for letter in any case; and
    their usernames as workers of raw_annotations.csv. A username elsewhere may be a plain word of a query.
    """
    people = Account.objects.filter(memberships__collection=collection)
    mails = [mail.lower().encode() for mail in people.exclude(email="").values_list("email", flat=True)]
    usernames = {name.lower() for name in people.values_list("username", flat=True)}
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if _holds(path, mails):
            found.append(f"{name} holds the mail address of a person of the collection")
        if name == RAW and usernames & set(_workers(path)):
            found.append(f"{name} has a person's username as a worker")
    return found


def _holds(path: Path, words: list[bytes]) -> bool:
    overlap = max(map(len, words), default=1)
    before = b""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            text = before + chunk.lower()
            if any(word in text for word in words):
                return True
            before = text[-overlap:]
    return False


def _workers(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield row["worker"].lower()
