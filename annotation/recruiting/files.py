"""The files of a recruitment: all figures of its sessions, and what its platform takes."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.recruiting.approval import APPROVALS, HEADINGS, SessionRow, bonus_lines
from foundation.infra.csv_escape import safe_row

FILES = ("sessions", "approve", "bonus")


@dataclass(frozen=True, slots=True)
class MadeFile:
    """A file's ending, and its lines with the headings, where it has any."""

    ending: str
    lines: list[Sequence[object]]

    def write(self, file: Any, *, line_end: str = "\r\n") -> None:
        """Write it to a file or a response, with tabs or commas as its ending says."""
        delimiter = "\t" if self.ending == "tsv" else ","
        csv.writer(file, delimiter=delimiter, lineterminator=line_end).writerows(self.lines)


def file_of(what: str, platform: str, rows: Sequence[SessionRow]) -> MadeFile:
    """One of FILES: every session's figures; those to approve as the platform takes them; ids with their bonus."""
    if what == "sessions":
        return MadeFile("csv", [HEADINGS, *(safe_row(row.as_cells()) for row in rows)])
    if what == "bonus":
        return MadeFile("csv", [*bonus_lines(rows)])
    form = APPROVALS[platform]
    return MadeFile(form.ending, [*([form.headings] if form.headings else []), *form.lines(rows)])
