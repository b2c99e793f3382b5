"""Staging tables of an import: rows copied in, checked against each other, stored set by set."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from corpus.description_formats import BadRow, DescriptionRow
from corpus.description_formats.fields import DERIVED
from corpus.description_import.change_hooks import held_descriptions
from corpus.description_import.staged_moment_ids import WITH_MOMENT, WITH_MOMENT_IF_ANY, StagedMomentIds
from corpus.description_import.staged_rows import Refuse
from corpus.models import Description, Moment, Video
from foundation.models import Collection
from foundation.text import normalise

SAME_DURATION = 0.5
"""Seconds by which rows may differ about one video's duration."""
_COLUMNS = "line, entry, source_id, derived, text, normalised, kind, language, video, duration, starts, ends, moment_id"


class Staging(StagedMomentIds):
    """The rows of one file on their way into a collection; use it within one transaction, in the order below.

    `refuse` is called for each row that contradicts another or what is there; the row is then left out.
    """

    def __init__(self, collection: Collection, *, times: str, refuse: Refuse) -> None:
        super().__init__(refuse)
        self.collection = collection
        self._times = times

    @contextmanager
    def copying(self) -> Iterator[Callable[[DescriptionRow, str | None], None]]:
        """Yield `put(row, raw)`, which copies a row in; the connection can do nothing else meanwhile."""
        # psycopg's cursor, past Django's wrapper, which knows no COPY.
        with self._cursor.cursor.copy(f"COPY incoming ({_COLUMNS}, raw) FROM STDIN") as copy:
            write = copy.write_row

            def put(row: DescriptionRow, raw: str | None) -> None:
                line, entry, source_id, derived, text, kind, language, video, duration, start, end, moment_id = row
                shape = (line, entry, source_id, derived, text, normalise(text), kind, language, video)
                write((*shape, duration, start, end, moment_id, raw))

            yield put
        self._run("ANALYZE incoming")

    # --- checking ---

    def drop_repeats(self) -> int:
        """Keep the first of rows with one id; refuse those that say something else. Returns how many said the same."""
        same = """(i.text, i.kind, i.language, i.video, i.starts, i.ends, i.moment_id)
            IS NOT DISTINCT FROM (f.text, f.kind, f.language, f.video, f.starts, f.ends, f.moment_id)"""
        repeats = """FROM incoming i
            JOIN (SELECT source_id, min(n) AS n FROM incoming GROUP BY source_id HAVING count(*) > 1) r
                ON r.source_id = i.source_id AND r.n <> i.n
            JOIN incoming f ON f.n = r.n"""
        self._refuse_where(
            f"SELECT i.n, i.source_id, f.line {repeats} WHERE NOT {same}",
            lambda source_id, line: BadRow.saying(
                "id", f"{source_id!r} with other content", f"an id of its own (line {line} has it too)"
            ),
        )
        return self._run(f"DELETE FROM incoming WHERE n IN (SELECT i.n {repeats})")

    def check_videos(self) -> None:
        """Refuse rows that disagree on a video's duration, or whose moment ends after it; stored moments count too."""
        self._gather_videos()
        slack = self.collection.end_slack
        self._refuse_where(
            """SELECT i.n, i.duration, v.stated, i.video FROM incoming i JOIN incoming_video v ON v.name = i.video
               WHERE abs(i.duration - v.stated) > %(same)s""",
            lambda found, stated, video: BadRow.saying(
                "duration", f"{found:g} s", f"{stated:g} s, as another row says of {video}"
            ),
            same=SAME_DURATION,
        )
        self._refuse_where(
            """SELECT i.n, i.starts, i.ends, coalesce(v.stated, v.known)
               FROM incoming i JOIN incoming_video v ON v.name = i.video
               WHERE i.duration IS NULL AND i.ends > coalesce(v.stated, v.known) + %(slack)s""",
            lambda start, end, duration: BadRow.saying(
                self._times,
                f"[{start:g}, {end:g}]",
                f"an end within the video's {duration:g} s (slack {slack:g} s)",
            ),
            slack=slack,
        )

    def _gather_videos(self) -> None:
        self._run(
            """
            CREATE TEMPORARY TABLE incoming_video ON COMMIT DROP AS
            SELECT name, stated.duration AS stated, v.id, v.duration AS known
            FROM (SELECT DISTINCT video AS name FROM incoming) named
            LEFT JOIN (SELECT DISTINCT ON (video) video AS name, duration FROM incoming
                       WHERE duration IS NOT NULL ORDER BY video, n) stated USING (name)
            LEFT JOIN (SELECT * FROM corpus_video WHERE collection_id = %(collection)s) v USING (name)
            """,
            collection=self.collection.pk,
        )
        self._run("ANALYZE incoming_video")

    def _gather_again(self) -> None:
        if self._anything_refused:  # a row left out has no say in a video's duration
            self._run("DROP TABLE pg_temp.incoming_video")
            self._gather_videos()

    def match(self) -> None:
        """Find the descriptions that rows are about: by id, or by content where a corrected file has no ids."""
        self._run(
            """
            CREATE TEMPORARY TABLE incoming_known ON COMMIT DROP AS
            SELECT i.n, d.id FROM incoming i
            JOIN corpus_description d ON d.collection_id = %(collection)s AND d.source_id = i.source_id
            """,
            collection=self.collection.pk,
        )
        self._run("ANALYZE incoming_known")
        derived, known = self._row(
            """SELECT count(*), count(k.n) FROM incoming i LEFT JOIN incoming_known k USING (n) WHERE i.derived"""
        )
        # At least half of it is there already: the same file corrected, and not another one about the same videos.
        if 0 < derived - known <= known:
            self._match_corrected("o.starts = i.starts AND o.ends = i.ends")
            self._match_corrected("o.normalised = i.normalised")

    def _match_corrected(self, alike: str) -> None:
        self._run(
            f"""
            WITH fresh AS (
                SELECT * FROM incoming i
                WHERE derived AND NOT EXISTS (SELECT FROM incoming_known k WHERE k.n = i.n)
            ), left_over AS (
                SELECT d.id, v.name AS video, m.start AS starts, m."end" AS ends, d.normalised
                FROM corpus_video v JOIN corpus_moment m ON m.video_id = v.id
                JOIN corpus_description d ON d.moment_id = m.id
                WHERE v.collection_id = %(collection)s AND v.name IN (SELECT video FROM fresh)
                AND d.source_id LIKE '{DERIVED}%%'
                AND NOT EXISTS (SELECT FROM incoming_known k WHERE k.id = d.id)
            ), paired AS (
                SELECT i.n, o.id,
                    count(*) OVER (PARTITION BY i.n) AS others, count(*) OVER (PARTITION BY o.id) AS rivals
                FROM fresh i JOIN left_over o ON o.video = i.video AND {alike}
            )
            INSERT INTO incoming_known (n, id) SELECT n, id FROM paired WHERE others = 1 AND rivals = 1
            """,
            collection=self.collection.pk,
        )

    def compare(self) -> None:
        """Find what would change, and refuse it where another room holds the description."""
        self._run(
            """
            CREATE TEMPORARY TABLE incoming_changed ON COMMIT DROP AS
            SELECT * FROM (
                SELECT i.n, d.id, d.moment_id, d.text <> i.text AND normalize(d.text, NFC) <> i.text AS reworded,
                    (v.name, m.start, m."end") <> (i.video, i.starts, i.ends) AS moved,
                    coalesce(i.kind <> d.kind, false) OR coalesce(i.language <> d.language, false) AS relabelled
                FROM incoming_known k JOIN incoming i USING (n) JOIN corpus_description d ON d.id = k.id
                JOIN corpus_moment m ON m.id = d.moment_id JOIN corpus_video v ON v.id = m.video_id
            ) compared WHERE reworded OR moved OR relabelled
            """
        )
        held: list[tuple[int, str]] = []
        for page in self._pages("SELECT n, id FROM incoming_changed"):
            numbers = {pk: n for n, pk in page}
            reasons = held_descriptions(self.collection, list(numbers))
            held += [(numbers[pk], reason) for pk, reason in reasons.items()]
        if held:
            self._run("CREATE TEMPORARY TABLE incoming_held (n bigint, reason text) ON COMMIT DROP")
            self._cursor.executemany("INSERT INTO incoming_held VALUES (%s, %s)", held)
            self._refuse_where(
                "SELECT n, i.source_id, h.reason FROM incoming_held h JOIN incoming i USING (n)",
                lambda source_id, reason: BadRow.saying(
                    "id", f"{source_id!r} with other content", f"the content that is there: {reason}"
                ),
            )
            self._run("DROP TABLE pg_temp.incoming_held")

    def check_durations(self) -> None:
        """Refuse a new duration that moments would end past which this file says nothing about."""
        slack = self.collection.end_slack
        self._refuse_where(
            """
            WITH retimed AS (
                SELECT * FROM incoming_video WHERE id IS NOT NULL AND stated IS DISTINCT FROM known
            ), late AS (
                SELECT m.video_id, max(m."end") AS ends
                FROM corpus_moment m JOIN corpus_description d ON d.moment_id = m.id
                WHERE m.video_id IN (SELECT id FROM retimed)
                AND NOT EXISTS (SELECT FROM incoming_known k WHERE k.id = d.id)
                GROUP BY m.video_id
            )
            SELECT i.n, i.duration, v.name, late.ends
            FROM retimed v JOIN late ON late.video_id = v.id AND late.ends > v.stated + %(slack)s
            JOIN incoming i ON i.video = v.name AND i.duration IS NOT NULL
            """,
            lambda duration, video, end: BadRow.saying(
                "duration", f"{duration:g} s", f"a duration that reaches the moment of {video} that ends at {end:g} s"
            ),
            slack=slack,
        )

    # --- looking, without storing ---

    def first_rows(self, number: int) -> list[dict[str, Any]]:
        """The first rows left to store, for JSON: line, video, start, end, text, id, kind, duration, language."""
        self._run(
            """SELECT line, video, starts, ends, text, CASE WHEN derived THEN NULL ELSE source_id END, kind, duration,
                      language FROM incoming ORDER BY n LIMIT %(number)s""",
            number=number,
        )
        names = ("line", "video", "start", "end", "text", "id", "kind", "duration", "language")
        return [dict(zip(names, row, strict=True)) for row in self._cursor.fetchall()]

    def counts(self) -> dict[str, int]:
        """What storing would do: rows, added, changed; videos and moments that are new."""
        counts = self._row(
            f"""
            SELECT count(*), count(*) FILTER (WHERE k.n IS NULL), count(c.n),
                   count(DISTINCT i.video) FILTER (WHERE v.id IS NULL),
                   count(DISTINCT (i.video, i.starts, i.ends)) FILTER (WHERE m.id IS NULL AND (k.n IS NULL OR c.moved))
            FROM incoming i
            LEFT JOIN incoming_known k ON k.n = i.n
            LEFT JOIN incoming_changed c ON c.n = i.n
            {WITH_MOMENT_IF_ANY}
            """,
            collection=self.collection.pk,
        )
        return dict(zip(("rows", "added", "changed", "videos", "moments"), counts, strict=True))

    def moments_to_leave(self) -> int:
        """How many moments storing would leave without a description."""
        row = self._row(
            f"""
            SELECT count(*) FROM (SELECT DISTINCT moment_id FROM incoming_changed WHERE moved) left_by
            WHERE NOT EXISTS (
                SELECT FROM corpus_description d WHERE d.moment_id = left_by.moment_id
                AND NOT EXISTS (SELECT FROM incoming_changed c WHERE c.id = d.id AND c.moved))
            AND NOT EXISTS (
                SELECT {WITH_MOMENT} WHERE m.id = left_by.moment_id
                AND (NOT EXISTS (SELECT FROM incoming_known k WHERE k.n = i.n)
                     OR EXISTS (SELECT FROM incoming_changed c WHERE c.n = i.n AND c.moved)))
            """,
            collection=self.collection.pk,
        )
        return int(row[0])

    def videos_to_retime(self) -> int:
        """How many videos storing would give another duration."""
        self._gather_again()
        return int(
            self._row(
                """SELECT count(*) FROM incoming_video
                   WHERE id IS NOT NULL AND stated IS NOT NULL AND stated IS DISTINCT FROM known"""
            )[0]
        )

    # --- storing ---

    def store_videos(self) -> tuple[int, int]:
        """Add new videos and update durations. Returns how many were added, how many changed."""
        self._gather_again()
        added = self._insert(
            Video,
            {"collection_id": "%(collection)s", "name": "w.name", "duration": "w.stated"},
            "FROM incoming_video w WHERE w.id IS NULL ORDER BY w.name",
            collection=self.collection.pk,
        )
        changed = self._run(
            """UPDATE corpus_video v SET duration = w.stated FROM incoming_video w
               WHERE v.id = w.id AND w.stated IS NOT NULL AND w.stated IS DISTINCT FROM w.known"""
        )
        return added, changed

    def store_moments(self) -> int:
        """Add the moments that new and moved descriptions need. Returns how many were added."""
        return self._insert(
            Moment,
            {"video_id": "v.id", "start": "i.starts", "end": "i.ends"},
            """FROM incoming i JOIN corpus_video v ON v.collection_id = %(collection)s AND v.name = i.video
               WHERE NOT EXISTS (SELECT FROM incoming_known k WHERE k.n = i.n)
               OR EXISTS (SELECT FROM incoming_changed c WHERE c.n = i.n AND c.moved)
               GROUP BY 1, 2, 3 ORDER BY min(i.n) ON CONFLICT DO NOTHING""",
            collection=self.collection.pk,
        )

    def store_descriptions(self) -> int:
        """Add the descriptions that are new. Returns how many."""
        return self._insert(
            Description,
            {
                "collection_id": "%(collection)s",
                "moment_id": "m.id",
                "source_id": "i.source_id",
                "text": "i.text",
                "normalised": "i.normalised",
                "kind": "coalesce(i.kind, 'v')",
                "language": "coalesce(i.language, '')",
            },
            f"""{WITH_MOMENT}
                WHERE NOT EXISTS (SELECT FROM incoming_known k WHERE k.n = i.n) ORDER BY i.n""",
            collection=self.collection.pk,
        )

    def record(self) -> dict[str, list[Any]]:
        """What was stored, and what `change_descriptions` is about to change, as it is: by this it can be taken back.

        Returns: "added": descriptions, "videos": new ones, "retimed": (video, duration before, now), "changed":
        (description, source_id, text, kind, language, video's name, start, end), "named": (video's name, start, end,
        the moment's id elsewhere before, now).
        """
        queries = {
            "added": """SELECT d.id FROM incoming i
                JOIN corpus_description d ON d.collection_id = %(collection)s AND d.source_id = i.source_id
                WHERE NOT EXISTS (SELECT FROM incoming_known k WHERE k.n = i.n)""",
            "videos": """SELECT v.id FROM incoming_video w
                JOIN corpus_video v ON v.collection_id = %(collection)s AND v.name = w.name WHERE w.id IS NULL""",
            "retimed": """SELECT id, known, stated FROM incoming_video
                WHERE id IS NOT NULL AND stated IS NOT NULL AND stated IS DISTINCT FROM known""",
            "changed": """SELECT d.id, d.source_id, d.text, d.kind, d.language, v.name, m.start, m."end"
                FROM incoming_changed c JOIN corpus_description d ON d.id = c.id
                JOIN corpus_moment m ON m.id = d.moment_id JOIN corpus_video v ON v.id = m.video_id""",
            "named": "SELECT video, starts, ends, known, stated FROM incoming_named",
        }
        record: dict[str, list[Any]] = {}
        for name, sql in queries.items():
            self._run(f"{sql} ORDER BY 1", collection=self.collection.pk)
            rows = self._cursor.fetchall()
            record[name] = [pk for (pk,) in rows] if name in ("added", "videos") else rows
        return record

    def change_descriptions(self) -> int:
        """Update descriptions that differ in the file. Returns how many."""
        return self._run(
            f"""
            UPDATE corpus_description d SET moment_id = new.moment_id, source_id = new.source_id, text = new.text,
                normalised = new.normalised, kind = coalesce(new.kind, d.kind),
                language = coalesce(new.language, d.language)
            FROM (SELECT c.id, m.id AS moment_id, i.source_id, i.text, i.normalised, i.kind, i.language
                  {WITH_MOMENT} JOIN incoming_changed c ON c.n = i.n) new
            WHERE d.id = new.id
            """,
            collection=self.collection.pk,
        )

    def changed(self) -> tuple[list[int], list[int]]:
        """The ids of changed descriptions, and of those among them with another text."""
        self._run("SELECT id, reworded FROM incoming_changed ORDER BY id")
        rows = self._cursor.fetchall()
        return [pk for pk, _ in rows], [pk for pk, reworded in rows if reworded]

    def moments_left(self) -> list[int]:
        """The ids of moments whose last description has moved elsewhere."""
        self._run(
            """SELECT DISTINCT moment_id FROM incoming_changed c WHERE moved
               AND NOT EXISTS (SELECT FROM corpus_description d WHERE d.moment_id = c.moment_id) ORDER BY 1"""
        )
        return [pk for (pk,) in self._cursor.fetchall()]

    def rows(self) -> int:
        """How many rows are left to store."""
        return int(self._row("SELECT count(*) FROM incoming")[0])
