"""The tables of a paper, in `tables/`: each of the statistics' tables as LaTeX (with booktabs), CSV and Markdown."""

from datasets.formats.material import Material, create
from evaluation.releases.statistics_tables import statistics_tables
from evaluation.releases.tables import WRITTEN, Table

__all__ = ["Table", "statistics_tables", "write_tables"]


def write_tables(material: Material) -> None:
    """Write all files, named by the table's key."""
    folder = material.subfolder("tables")
    for table in statistics_tables(material.facts["statistics"]):
        for ending, (_, write) in WRITTEN.items():
            with create(folder / f"{table.key}.{ending}") as file:
                file.write(write(table))
