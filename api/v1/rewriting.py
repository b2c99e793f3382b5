"""How captions are written: cast and names, a collection's LLM, previews with their estimates, jobs, figures."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.v1.jobs import JobOut, Progress, begin
from foundation.collections.cast import BadCast, CastGender, parse_cast
from foundation.collections.members import LONGEST_CONTEXT, set_cast
from foundation.infra.figure_cache import kept
from foundation.infra.job_progress import progress_of
from foundation.infra.jobs import ask
from queries.calibration.calibrate import warn_uncalibrated
from queries.models import LlmChoice, LlmServer, LlmTrial, NameCount, RewritePreview
from queries.retrieval.encoder import load_encoder
from queries.rewriting.llm_settings import llm_settings
from queries.rewriting.llm_terms import as_form, save_choice
from queries.rewriting.llm_trial import ask_for_trial
from queries.rewriting.name_counts import ask_for_names, names_missing
from queries.rewriting.preview import ask_for_preview
from queries.rewriting.report import rewriting_report
from queries.rewriting.start import start_rewriting

endpoints = Endpoints("Rewriting")
Amount = Annotated[str, Field(pattern="^[0-9.,]{0,20}$")]


class CastName(BaseModel):
    """Somebody who occurs in the videos."""

    name: str = Field(pattern="^[^\\x00\\r\\n]*$", min_length=1, max_length=100, examples=["Rachel"])
    gender: CastGender = Field(description="? where it isn't known.")


class MissingName(Out):
    """A name that descriptions have and the cast hasn't."""

    name: str
    times: int
    gender: CastGender = Field(description="As pronouns, titles or first names tell it.")


class Cast(BaseModel):
    """Who occurs in the videos, and what a rewriter should know besides."""

    cast: list[CastName]
    context: str
    missing: list[MissingName] = Field(description="The most frequent first, once they are counted.")


class CastChange(BaseModel):
    """A change of the cast list, the context, or both. A field that isn't sent stays; a list replaces the list."""

    cast: list[CastName] | None = Field(None, max_length=5000)
    context: Storable | None = Field(None, max_length=LONGEST_CONTEXT)


class NewRewriting(BaseModel):
    """How captions are to be written."""

    rewriter: Literal["rules", "llm", "as-they-are"] = Field(
        description="Rules know English alone; as-they-are uses descriptions that name nobody in any language."
    )
    limit: str = Field("", pattern="^[0-9.,]{0,12}$", description="What it may cost; empty: the limit of the settings.")


class NewRewritingPreview(BaseModel):
    """Which descriptions are to be tried, and how."""

    rewriter: Literal["rules", "llm"]
    seed: int = Field(1, ge=0, lt=10**9, description="By which ten are drawn.")


class RewritingPreviewOut(JobOut):
    """Ten descriptions rewritten to be looked at, and what all that are left would take."""

    preview: int = From("pk")
    rewriter: str
    seed: int
    rows: list[dict[str, Any]] = Field(description="description, caption, passed, verdicts.")
    estimate: dict[str, Any] = Field(
        description="descriptions, seconds; of an LLM also texts, tokens, cost, model, server."
    )


class RewritingOut(Out):
    """How far the rewriting of a collection is, and what the checks say. Shares are 0 to 1."""

    at: datetime
    descriptions: int
    accepted: int
    review: int
    refused: int
    pending: int = Field(description="Without a caption.")
    passed_at_once: float | None
    asked_again: int
    words_replaced: float | None
    similarity_mean: float | None
    by: Literal["rules", "llm"] = Field(description="What the settings say.")
    encoder: str = Field(description="That checks captions, with its pooling where that isn't its own.")
    warning: str = Field(description="That thresholds aren't calibrated for the encoder; empty: they are.")


class LlmValue(BaseModel):
    """A value of the LLM's settings, and where it comes from."""

    value: str
    origin: str = Field(description="environment, installation, collection, usual.")


class LlmServerOut(Out):
    """A server that the site's owners allow."""

    server: int = From("pk")
    name: str
    is_default: bool


class LlmOut(Out):
    """Which LLM rewrites a collection. Keys are never told, nor set here."""

    by_rules: bool = Field(description="The collection wants rules, whatever LLM there is.")
    remote: bool = From("is_remote", description="An LLM can be asked.")
    problem: str
    holds: dict[str, LlmValue] = Field(description="address, model, price_in, price_out, limit.")
    own: dict[str, str] = Field(description="The collection's own: model, price_in, price_out, limit.")
    own_server: int | None = Field(description="null: the site's default.")
    has_own_key: bool
    servers: list[LlmServerOut]
    trial: Progress | None = Field(description="Of the last test.")


class LlmChange(BaseModel):
    """A change of a collection's own settings. A field that isn't sent stays; an empty one goes."""

    rewriter: Literal["", "rules"] | None = Field(None, description="Empty: the LLM if there is one.")
    server: int | None = Field(None, ge=0, le=2**63 - 1, description="0: the site's default.")
    model: Storable | None = Field(None, max_length=200)
    price_in: Amount | None = Field(None, description="Of a million tokens.")
    price_out: Amount | None = Field(None, description="Of a million tokens.")
    limit: Amount | None = Field(None, description="What a job may cost at most.")
    forget_key: bool = Field(False, description="Remove the collection's own key.")


def _preview(preview: RewritePreview) -> RewritingPreviewOut:
    return RewritingPreviewOut.of_job(
        preview, rows=preview.found.get("rows", []), estimate=preview.found.get("estimate", {})
    )


def _previews(call: Call) -> QuerySet[RewritePreview]:
    return call.collection.rewrite_previews.select_related("member", "collection")


# --- cast and names ---


@endpoints.read("/cast")
def get_cast(call: Call) -> Cast:
    """The cast list, the context, and names in the descriptions that the list lacks."""
    here = call.collection
    here.refresh_from_db(fields=["cast", "context"])
    count = NameCount.objects.filter(collection=here).first()
    missing = names_missing(here, count if count is not None and count.finished else None)
    return Cast(
        cast=[CastName(name=person.name, gender=person.gender) for person in parse_cast(here.cast)],
        context=here.context,
        missing=[MissingName.of(name) for name in missing],
    )


@endpoints.change("/cast", scope=Scope.PREPARE)
def change_cast(call: Call, new: CastChange) -> Cast:
    """Set the cast list, the context, or both."""
    lines = None if new.cast is None else "\n".join(f"{person.name}, {person.gender}" for person in new.cast)
    try:
        set_cast(collection=call.collection, cast=lines, context=new.context)
    except BadCast as bad:
        raise ValidationError({"cast": [f"Name {number}: {why}." for number, why in bad.lines]}) from bad
    except ValueError as bad:
        raise ValidationError({"context": str(bad)}) from bad
    return get_cast(call)


@endpoints.make("/cast/names", scope=Scope.PREPARE, status=202)
def count_names(call: Call) -> JobOut:
    """Have a worker count the names in the descriptions. While one does, that job is the answer."""
    count = ask_for_names(member=call.member)
    if count is None:
        return JobOut.of_job(NameCount.objects.get(collection=call.collection))
    return JobOut.begun(count)


# --- rewriting ---


@endpoints.read("/rewriting")
def get_rewriting(call: Call) -> RewritingOut:
    """How many descriptions have captions, how many pass the checks. Figures may be a minute old."""
    here = call.collection
    return RewritingOut.of(
        kept("rewriting", here, rewriting_report),
        by="llm" if llm_settings(here).is_remote else "rules",
        encoder=load_encoder().label,
        warning=warn_uncalibrated(here),
    )


@endpoints.make("/rewriting", scope=Scope.PREPARE, status=202)
def rewrite_captions(call: Call, new: NewRewriting) -> JobOut:
    """Have a worker write captions, by rules or the LLM of the settings, or use descriptions as they are; a job that
    was stopped goes on."""
    return JobOut.begun(start_rewriting(member=call.member, rewriter=new.rewriter, limit=new.limit))


@endpoints.make("/rewriting/previews", scope=Scope.PREPARE, status=202)
def preview_rewriting(call: Call, new: NewRewritingPreview) -> RewritingPreviewOut:
    """Have a worker rewrite ten descriptions to be looked at, and estimate what all take. Nothing is kept as a caption.

    409 while another preview is made.
    """
    preview = ask_for_preview(member=call.member, rewriter=new.rewriter, seed=new.seed)
    begin(preview)
    return _preview(preview)


@endpoints.read("/rewriting/previews")
def list_rewriting_previews(call: Call, asked: AskedPage) -> Page[RewritingPreviewOut]:
    """Previews of rewriting, the newest first."""
    return page_of(_previews(call), asked, _preview, newest_first=True)


@endpoints.read("/rewriting/previews/{int:rewriting_preview_id}")
def get_rewriting_preview(call: Call, rewriting_preview_id: Id) -> RewritingPreviewOut:
    """A preview of rewriting: how far it is, or the captions with their verdicts, and the estimate."""
    return _preview(get_object_or_404(_previews(call), pk=rewriting_preview_id))


# --- the LLM ---


@endpoints.read("/llm")
def get_llm(call: Call) -> LlmOut:
    """Which LLM rewrites this collection, and where each value comes from."""
    here = call.collection
    settings = llm_settings(here)
    choice = LlmChoice.objects.filter(collection=here).first() or LlmChoice()
    own = as_form(choice)
    trial = LlmTrial.objects.filter(collection=here).first()
    return LlmOut.of(
        settings,
        holds={
            name: LlmValue(value=setting["value"], origin=setting["origin"])
            for name, setting in settings.shown.items()
            if name != "key"
        },
        own={name: own[name] for name in ("model", "price_in", "price_out", "limit")},
        own_server=choice.server_id,
        has_own_key=bool(choice.key),
        servers=[LlmServerOut.of(server) for server in LlmServer.objects.order_by("name")],
        trial=Progress.model_validate(progress_of(trial, share=50, words=trial.said)) if trial else None,
    )


@endpoints.change("/llm", scope=Scope.ADMIN, who=Who.OWNER)
def change_llm(call: Call, new: LlmChange) -> LlmOut:
    """Set the collection's own settings. Servers come from the site's owners, and keys from the page alone."""
    choice = LlmChoice.objects.filter(collection=call.collection).first() or LlmChoice()
    fields = {"rewriter": choice.rewriter, "server": str(choice.server_id or ""), **as_form(choice)}
    fields |= new.model_dump(exclude_none=True, exclude={"server", "forget_key"})
    if new.server is not None:
        fields["server"] = str(new.server or "")
    fields |= {"key": "", "forget_key": "1" if new.forget_key else ""}
    save_choice(member=call.member, typed=fields)
    return get_llm(call)


@endpoints.act("/llm/try", scope=Scope.PREPARE, status=202)
def try_llm(call: Call) -> LlmOut:
    """Have a worker make one small request as the settings have it; `trial` says what came."""
    trial = ask_for_trial(collection=call.collection)
    transaction.on_commit(lambda: ask(trial))
    return get_llm(call)
