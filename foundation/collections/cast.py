"""A collection's cast list: one name and gender per line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from foundation.text import UNSTORABLE, composed

CastGender = Literal["f", "m", "?"]
GENDERS: tuple[CastGender, ...] = ("f", "m", "?")
LONGEST_NAME = 100
SHOWN = 10


@dataclass(frozen=True, slots=True)
class CastMember:
    """Somebody who occurs in the videos; the gender is "?" where it isn't known."""

    name: str
    gender: CastGender


class BadCast(ValueError):
    """A cast list that can't be read; says each bad line (the first ten) with what was found and expected.

    `lines` has the same as (line, problem), without the list's name.
    """

    def __init__(self, lines: list[tuple[int, str]], *, source: str) -> None:
        self.lines = lines[:SHOWN]
        more = f"\nand {len(lines) - SHOWN:,} more" if len(lines) > SHOWN else ""
        super().__init__("\n".join(f"{source}, line {number}: {problem}" for number, problem in self.lines) + more)


def parse_cast(text: str, *, source: str = "cast") -> list[CastMember]:
    """The members of a cast list, in its order.

    Args:
        text: a line "Name, f", "Name, m" or "Name, ?" each; empty lines and lines that begin with # are passed over.
        source: what the error calls the list, e.g. its file.

    Returns: one member a name; a line said twice counts once.
    Raises: BadCast for a line without a name or a gender, and for a name with two genders.
    """
    members: dict[str, CastMember] = {}
    problems: list[tuple[int, str]] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        problem = _add(line, members)
        if problem:
            problems.append((number, problem))
    if problems:
        raise BadCast(problems, source=source)
    return list(members.values())


def _add(line: str, members: dict[str, CastMember]) -> str:
    """Puts a line's member among the others. Returns what is wrong with the line, "" if nothing."""
    before, comma, after = composed(line).rpartition(",")
    name, gender = " ".join(before.split()), after.strip().casefold()
    if UNSTORABLE.search(line):
        return "found a character that can't be stored (NUL, or half of a surrogate pair), expected text"
    if not comma or gender not in GENDERS:
        return f'found "{line.strip()[:80]}", expected "Name, f", "Name, m" or "Name, ?"'
    if not any(sign.isalnum() for sign in name):
        return f'found no name in "{line.strip()[:80]}", expected "Name, {gender}"'
    if len(name) > LONGEST_NAME:
        return f"found a name of {len(name)} characters, expected at most {LONGEST_NAME}"
    known = members.get(name.casefold())
    if known is not None and known.gender != gender:
        return f'found "{name}" as {gender}, which stands above as {known.gender}; expected one gender a name'
    members.setdefault(name.casefold(), CastMember(name, GENDERS[GENDERS.index(gender)]))
    return ""


def write_cast(members: list[CastMember]) -> str:
    """The list as text again, a line a member; `parse_cast` reads the same members from it."""
    return "\n".join(f"{member.name}, {member.gender}" for member in members)
