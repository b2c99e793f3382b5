"""CSV files as responses."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse

LINES_AT_ONCE = 500


def csv_download(
    name: str, headings: Sequence[str], rows: Iterable[Iterable[Any]], *, streamed: bool = False, line_end: str = "\r\n"
) -> HttpResponseBase:
    """A response that a browser saves as NAME.csv.

    Args:
        rows: as they are written; texts of people go through `csv_escape` first.
        streamed: send blocks of lines while rows are read, for files too large to be held.
    """
    kind = StreamingHttpResponse if streamed else HttpResponse
    response = kind(_blocks(headings, rows, line_end), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


class _Lines(list[str]):
    """A file for the csv module that keeps its lines: sending them one by one takes longer than making them."""

    write = list.append


def _blocks(headings: Sequence[str], rows: Iterable[Iterable[Any]], line_end: str) -> Iterator[str]:
    lines = _Lines()
    writer = csv.writer(lines, lineterminator=line_end)
    writer.writerow(headings)
    for row in rows:
        writer.writerow(row)
        if len(lines) >= LINES_AT_ONCE:
            yield "".join(lines)
            lines.clear()
    yield "".join(lines)
