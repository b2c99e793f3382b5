"""Factors: questions beside the grade, declared, retired, and what they tell."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from annotation.factors.declared import declare_factors, factors_of, retire_factor
from annotation.factors.figures import NAME
from annotation.factors.tables import in_words
from annotation.factors.texts import DeclaredFactor, declared, factor_row
from annotation.precomputed import computed_or_ask
from api.frame.answers import Out
from api.frame.calls import Call, Scope, Who, found_or_404
from api.frame.endpoints import Endpoints, Name, Storable, Text
from api.frame.problems import Problem
from corpus.description_formats import BadRow
from foundation.models import Collection, FactorsAsked

endpoints = Endpoints("Factors")
HERE = "/factors"
FactorKey = Annotated[Text, Field(max_length=30, examples=["action"])]


class FactorWords(BaseModel):
    """A factor's words in a language."""

    name: Storable = Field(max_length=60)
    question: Storable = Field(max_length=200)
    answers: list[Text] = Field(
        max_length=10, description="Of the values 0, 1, ...: two to five.", examples=[["no", "yes"]]
    )


class NewFactor(FactorWords):
    """A factor to be declared."""

    key: FactorKey
    may_skip: bool = Field(False, description="Whether null, can't say, is an answer.")
    languages: dict[str, FactorWords] = Field({}, max_length=50, description="Its words by language.")


class FactorOut(Out):
    """A factor as it was declared."""

    key: str
    name: str
    question: str
    answers: list[str]
    may_skip: bool
    languages: dict[str, FactorWords]
    retired_at: datetime | None = Field(description="Since when it isn't asked any more.")


class Factors(BaseModel):
    """A collection's factors, in the order in which they are asked."""

    asked: FactorsAsked = Field(description="never, every (grade), between (the lowest and the highest).")
    factors: list[FactorOut]


class NewFactors(BaseModel):
    """The factors in the place of those that there are."""

    factors: list[NewFactor] = Field(max_length=100)
    asked: FactorsAsked | None = Field(None, description="Null: as set; after every grade, where none was.")


class FactorFigures(Out):
    """What factors tell."""

    as_of: datetime | None = Field(description="Null: not computed yet, ask again.")
    running: bool
    says: str
    figures: dict[str, Any] | None = Field(
        description="judgments, pairs, queries; factors (counts, skipped, alpha, kappa, partners, again, by_grade, "
        "grade_by_value); explained (with, without, factors), null where too little is answered."
    )


@endpoints.read(HERE, scope=(Scope.READ, Scope.JUDGE), who=Who.MEMBER, of_studies=True)
def get_factors(call: Call) -> Factors:
    """A collection's factors: what is answered beside a grade, and after which grades."""
    here = Collection.objects.get(pk=call.member.collection_id)
    return Factors(
        asked=FactorsAsked(here.factors_asked), factors=[FactorOut.of(factor) for factor in factors_of(here)]
    )


@endpoints.act(HERE, scope=Scope.PREPARE)
def declare_the_factors(call: Call, new: NewFactors) -> Factors:
    """Declare factors in the place of those that there are. 409 once something is judged."""
    declare_factors(collection=call.collection, factors=_declared(new.factors), asked=new.asked)
    return get_factors(call)


def _declared(sent: list[NewFactor]) -> list[DeclaredFactor]:
    rows = []
    for place, factor in enumerate(sent):
        for language, words in {"": factor, **factor.languages}.items():
            try:
                rows.append(factor_row({**factor.model_dump(), **words.model_dump(), "language": language}))
            except BadRow as bad:
                raise Problem(422, str(bad), field=f"body.factors.{place}.{bad.field}") from bad
    try:
        return declared(rows)
    except BadRow as bad:
        raise Problem(422, str(bad), field="body.factors") from bad


@endpoints.act(f"{HERE}/{{slug:factor}}/retire", scope=Scope.PREPARE)
def retire_a_factor(call: Call, factor: Name) -> Factors:
    """Ask a factor no more, for good. What was answered stays."""
    found_or_404(next((one for one in factors_of(call.collection) if one.key == factor), None))
    retire_factor(collection=call.collection, key=factor)
    return get_factors(call)


@endpoints.read(f"{HERE}/figures")
def get_factor_figures(call: Call) -> FactorFigures:
    """Agreement by factor, answers by grade, and how factors explain grades."""
    result = computed_or_ask(collection=call.collection, name=NAME)
    says = in_words(result.value) if result.value else ""
    return FactorFigures.of(result, says=says, figures=result.value)
