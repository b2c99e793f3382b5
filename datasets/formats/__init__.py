"""The formats of a release, by the name that `export_release --format` takes; `docs/releases.md` has their files.

A format is a function that writes its files: `tvr-ranking` at the top of the release, every other in a subfolder of
its own, all from the same `Material`, so that they say the same.
"""

from collections.abc import Callable
from dataclasses import dataclass

from datasets.formats.beir import write_beir
from datasets.formats.croissant import write_croissant
from datasets.formats.datasheet import write_datasheet
from datasets.formats.material import Material, Progress
from datasets.formats.parquet import write_parquet
from datasets.formats.table_files import write_tables
from datasets.formats.trec import write_trec
from datasets.formats.tvr_ranking import write_tvr_ranking

__all__ = ["DEFAULT_FORMATS", "FORMATS", "Material", "Progress", "ReleaseFormat", "with_needed"]


@dataclass(frozen=True, slots=True)
class ReleaseFormat:
    """A format's writer, and the formats whose files it describes."""

    write: Callable[[Material], None]
    needs: tuple[str, ...] = ()


FORMATS: dict[str, ReleaseFormat] = {
    "tvr-ranking": ReleaseFormat(write_tvr_ranking),
    "trec": ReleaseFormat(write_trec),
    "beir": ReleaseFormat(write_beir),
    "parquet": ReleaseFormat(write_parquet),
    "croissant": ReleaseFormat(write_croissant, needs=("parquet",)),
    "datasheet": ReleaseFormat(write_datasheet),
    "tables": ReleaseFormat(write_tables),
}
"""In the order in which they are written."""

DEFAULT_FORMATS = ("tvr-ranking",)


def with_needed(names: set[str]) -> list[str]:
    """The formats and those they need, in the order of writing."""
    needed = names | {other for name in names for other in FORMATS[name].needs}
    return [name for name in FORMATS if name in needed]
