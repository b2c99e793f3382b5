"""From descriptions to captions: rewrite, check, rewrite again, leave to a person (rule 2)."""

from collections.abc import Mapping, Sequence

from corpus.models import Description
from foundation.models import Collection
from queries.checks.run_checks import collection_lexicon, generalises
from queries.language.name_tagger import load_tagger
from queries.language.spoken import languages_of
from queries.rewriting.attempts import UncheckedAttempt, check_and_store, made_by, without_caption
from queries.rewriting.decoding import seed_of, temperature_of
from queries.rewriting.llm_settings import llm_settings
from queries.rewriting.rewriters.as_they_are import AsTheyAre
from queries.rewriting.rewriters.interface import Rewriter, SourceDescription
from queries.rewriting.rewriters.rules import RulesRewriter


def rewrite_descriptions(*, collection: Collection, description_ids: Sequence[int]) -> int:
    """Caption the descriptions among these that have none. Returns how many captions were made.

    With rules they are rewritten here, attempt by attempt; with an LLM a job of their own asks for them. Work that is
    cut off goes on with the next attempt, and a second worker on the same ids adds nothing.

    Raises: RewriterError when the rewriter can't go on at all (wrong key, unknown model); Busy while another
        process has the LLM asked for this collection.
    """
    if llm_settings(collection).is_remote:
        # The job's parts import the openai client's neighbours: only where there is one to be asked.
        from queries.rewriting.run_job import rewrite_remotely

        return rewrite_remotely(collection=collection, description_ids=description_ids)
    return rewrite_by_rules(collection=collection, description_ids=description_ids)


def rewrite_by_rules(*, collection: Collection, description_ids: Sequence[int], as_they_are: bool = False) -> int:
    """Caption the descriptions among these that have none, by rules or as they are, in this process. Returns how many
    captions."""
    captioned = 0
    rewriter: Rewriter | None = AsTheyAre() if as_they_are else None
    for _ in range(collection.max_attempts):
        by_number = without_caption(collection, description_ids)
        if not by_number:
            break
        lexicon = collection_lexicon(collection)
        rewriter = rewriter or rules_rewriter(collection)
        for number, descriptions in by_number.items():
            unchecked = rewrite_here(rewriter, languages_of(descriptions), number)
            captioned += check_and_store(collection, lexicon, descriptions, number, unchecked)
    return captioned


def rewrite_once(*, collection: Collection, description: Description, number: int) -> UncheckedAttempt:
    """One more attempt at a description, for a person who waits, by whatever rewriter there is; not checked yet.

    May cost money, which is counted like any other. Raises: RewriterError when the rewriter can't be used at all.
    """
    if llm_settings(collection).is_remote:
        from queries.rewriting.run_job import ask_once

        answer = ask_once(collection=collection, text=description.text, number=number)
        return made_by(answer, answer.exchange.job)
    return rewrite_here(rules_rewriter(collection), languages_of([description]), number)[description.text]


def rules_rewriter(collection: Collection) -> Rewriter:
    """The rules, with the collection's lexicon and style."""
    return RulesRewriter(load_tagger(), collection_lexicon(collection), diverse=generalises(collection))


def rewrite_here(rewriter: Rewriter, texts: Mapping[str, str], number: int) -> dict[str, UncheckedAttempt]:
    """Attempts by text, of texts with their languages. Identical descriptions are rewritten once; each keeps its own
    attempt."""
    sources = [SourceDescription(str(place), text, texts[text]) for place, text in enumerate(texts)]
    temperature, seed = temperature_of(number), seed_of(number)
    answers = rewriter.rewrite(sources, temperature=temperature, seed=seed)
    return {
        source.text: UncheckedAttempt(
            answer.text or "",
            answer.error,
            rewriter.name,
            rewriter.model,
            rewriter.prompt_version,
            temperature,
            seed,
        )
        for source, answer in zip(sources, answers, strict=True)
    }
