"""`manage.py fetch_candidates COLLECTION`."""

from typing import Any

from foundation.collections.command import CollectionCommand
from foundation.counted import counted
from queries.pooling.candidates import fetch_candidates
from queries.pooling.encoder_languages import warn_of_languages
from queries.pooling.selectors import search_in_words


class Command(CollectionCommand):
    help = "Fetch every query's most similar moments. Queries with an opened batch keep the candidates they have."

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        if warning := warn_of_languages(collection):
            self.stderr.write(self.style.WARNING(warning))
        with (
            self.bar(total=None, unit="captions", title="Encoding") as encoding,
            self.bar(total=None, unit="queries", title="Ranking") as ranking,
        ):
            fetched = fetch_candidates(collection=collection, encoding=encoding.update, ranking=ranking.update)
        self.stdout.write(
            f"{counted(fetched.queries, 'query got its', 'queries got their')} top {collection.depth}, "
            f"{counted(fetched.training, 'description was', 'descriptions were')} ranked for training, out of "
            f"{counted(fetched.moments, 'moment')} by {counted(fetched.captions, 'distinct caption')}. "
            f"Encoder: {fetched.encoder}."
        )
        if fetched.search:
            sentence = search_in_words(fetched.search)
            self.stdout.write(f"{sentence[:1].upper()}{sentence[1:]}.")
        elif collection.least_recall is not None:
            self.stdout.write("The search was exact: there are too few captions for an index.")
        if fetched.reranked:
            self.stdout.write(
                f"{counted(fetched.reranked, 'query was', 'queries were')} ranked again, without an opened batch."
            )
        if fetched.kept:
            keeping = counted(fetched.kept, "query keeps its", "queries keep their")
            self.stdout.write(
                f"{keeping} candidates because their batches are opened; "
                f"{fetched.outdated:,} of them would be ranked differently today."
            )
