"""The ids that moments have elsewhere, as an import's rows state them: checked, and given to the moments."""

from corpus.description_formats import BadRow
from corpus.description_import.staged_rows import StagedRows
from foundation.models import Collection

WITH_MOMENT = """FROM incoming i
    JOIN corpus_video v ON v.collection_id = %(collection)s AND v.name = i.video
    JOIN corpus_moment m ON m.video_id = v.id AND m.start = i.starts AND m."end" = i.ends"""
WITH_MOMENT_IF_ANY = WITH_MOMENT.removeprefix("FROM incoming i").replace("JOIN", "LEFT JOIN")


class StagedMomentIds(StagedRows):
    """What the rows of `incoming` say of moments' ids."""

    collection: Collection

    def check_moment_ids(self) -> None:
        """Refuse a second id of a moment, and an id that another moment has; then find which moments get another."""
        first = "SELECT DISTINCT ON ({0}) * FROM incoming WHERE moment_id IS NOT NULL ORDER BY {0}, n"
        place, column = "video, starts, ends", "columns"
        self._refuse_where(
            f"""SELECT i.n, i.moment_id, f.moment_id AS first, f.line FROM incoming i
                JOIN ({first.format(place)}) f USING ({place}) WHERE i.moment_id <> f.moment_id""",
            lambda found, first, line: BadRow(
                "moment_id", found, f"{first!r}, as line {line} says of this moment"
            ).settled_by(column),
        )
        self._refuse_where(
            f"""SELECT i.n, i.moment_id, f.line FROM incoming i
                JOIN ({first.format("moment_id")}) f USING (moment_id)
                WHERE (i.video, i.starts, i.ends) <> (f.video, f.starts, f.ends)""",
            lambda found, line: BadRow(
                "moment_id", found, f"an id of its own (line {line} has it for another moment)"
            ).settled_by(column),
        )
        # A moment that loses its last description by this file, or is called otherwise by it, gives its id free.
        others = """FROM incoming i JOIN corpus_video v ON v.collection_id = %(collection)s
            JOIN corpus_moment m ON m.video_id = v.id AND m.external_id = i.moment_id
            AND (v.name, m.start, m."end") <> (i.video, i.starts, i.ends)"""
        self._refuse_where(
            f"""SELECT DISTINCT i.n, i.moment_id, v.name, m.start, m."end" {others}
                WHERE EXISTS (SELECT FROM corpus_description d WHERE d.moment_id = m.id
                    AND NOT EXISTS (SELECT FROM incoming_changed c WHERE c.id = d.id AND c.moved))
                AND NOT EXISTS (SELECT FROM incoming o WHERE o.moment_id IS NOT NULL
                    AND (o.video, o.starts, o.ends) = (v.name, m.start, m."end"))""",
            lambda found, video, start, end: BadRow(
                "moment_id", found, f"an id of its own ({video}, {start:g}-{end:g} s has it)"
            ).settled_by(column),
            collection=self.collection.pk,
        )
        self._run(
            f"""
            CREATE TEMPORARY TABLE incoming_named ON COMMIT DROP AS
            SELECT DISTINCT i.video, i.starts, i.ends, coalesce(m.external_id, '') AS known, i.moment_id AS stated
            FROM incoming i {WITH_MOMENT_IF_ANY}
            WHERE i.moment_id IS NOT NULL AND i.moment_id IS DISTINCT FROM m.external_id
            UNION SELECT v.name, m.start, m."end", m.external_id, '' {others}
                WHERE NOT EXISTS (SELECT FROM incoming o WHERE o.moment_id IS NOT NULL
                    AND (o.video, o.starts, o.ends) = (v.name, m.start, m."end"))
            """,
            collection=self.collection.pk,
        )

    def moments_to_name(self) -> int:
        """How many moments storing would give another id from elsewhere."""
        return int(self._row("SELECT count(*) FROM incoming_named WHERE stated <> ''")[0])

    def name_moments(self) -> int:
        """Give moments the ids that they have elsewhere. Returns how many have another now."""
        self._run(
            """UPDATE corpus_moment m SET external_id = w.stated FROM incoming_named w
               JOIN corpus_video v ON v.collection_id = %(collection)s AND v.name = w.video
               WHERE m.video_id = v.id AND m.start = w.starts AND m."end" = w.ends""",
            collection=self.collection.pk,
        )
        return self.moments_to_name()
