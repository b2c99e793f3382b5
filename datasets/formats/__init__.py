"""The formats of a release, by the name that `export_release --format` takes; `docs/releases.md` has their files.

A format is a function that writes its files: `tvr-ranking` and `ro-crate` at the top of the release, every other in a
subfolder of its own, all from the same `Material`, so that they say the same.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from datasets.formats.beir import write_beir
from datasets.formats.capsule import write_capsule
from datasets.formats.croissant import write_croissant
from datasets.formats.datasheet import write_datasheet
from datasets.formats.material import Material
from datasets.formats.parquet import write_parquet
from datasets.formats.ro_crate import write_ro_crate
from datasets.formats.table_files import write_tables
from datasets.formats.trec import write_trec
from datasets.formats.tvr_ranking import write_tvr_ranking

__all__ = ["DEFAULT_FORMATS", "FORMATS", "Material", "ReleaseFormat", "with_needed"]


@dataclass(frozen=True, slots=True)
class ReleaseFormat:
    """A format's writer, what it is for, and the formats whose files it describes."""

    write: Callable[[Material], None]
    purpose: str | Promise
    needs: tuple[str, ...] = ()


FORMATS: dict[str, ReleaseFormat] = {
    "tvr-ranking": ReleaseFormat(write_tvr_ranking, gettext_lazy("Training and scoring, as TVR-Ranking is published")),
    "trec": ReleaseFormat(write_trec, gettext_lazy("Topics and qrels for trec_eval and ir_measures")),
    "beir": ReleaseFormat(write_beir, gettext_lazy("Text retrieval toolkits that read BEIR")),
    "parquet": ReleaseFormat(write_parquet, gettext_lazy("Parquet tables for pandas and Hugging Face")),
    "croissant": ReleaseFormat(
        write_croissant, gettext_lazy("Croissant metadata, so that dataset searches find it"), needs=("parquet",)
    ),
    "datasheet": ReleaseFormat(write_datasheet, gettext_lazy("A datasheet that says how it was made")),
    "tables": ReleaseFormat(write_tables, gettext_lazy("Tables of statistics for a paper")),
    "capsule": ReleaseFormat(
        write_capsule, gettext_lazy("One command that counts all tables anew"), needs=("tvr-ranking",)
    ),
    "ro-crate": ReleaseFormat(write_ro_crate, gettext_lazy("RO-Crate and DataCite metadata, for archives")),
}
"""In the order in which they are written; ro-crate lists the files of the others."""

DEFAULT_FORMATS = ("tvr-ranking",)


def with_needed(names: set[str]) -> list[str]:
    """The formats and those they need, in the order of writing."""
    needed = names | {other for name in names for other in FORMATS[name].needs}
    return [name for name in FORMATS if name in needed]
