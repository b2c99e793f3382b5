"""Judges fitted on people's grades: asked for one at a time, each fit a judge of its own."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.machine_judges.judges import declare_judge
from annotation.models import MachineJudge, MachineJudging, Pair
from corpus.description_import.jobs import refuse_larger, stored_upload
from foundation.infra.storage import delete_file
from foundation.models import Collection, Membership
from foundation.refused import Refused
from queries.models import Query

NEEDED_PAIRS, NEEDED_QUERIES = 100, 10
"""Pairs that people graded, and queries of these, that a fit takes at least."""
LARGEST = 200 << 20
"""Bytes of a file of scores: 200 MiB, millions of pairs."""
SIMILARITY, RANK, SCORE = "caption similarity", "logarithm of rank", "score"


def graded_pairs(collection: Collection) -> tuple[int, int]:
    """How many pairs people have graded, and of how many queries."""
    pairs = Pair.objects.filter(batch__collection=collection, status=Pair.Status.CONSENSUS).order_by()
    return pairs.count(), pairs.values("batch__query").distinct().count()


def refuse_too_few(pairs: int, queries: int) -> None:
    """Raises: Refused where people have graded too little to fit a judge on."""
    if pairs < NEEDED_PAIRS or queries < NEEDED_QUERIES:
        found = {"pairs": f"{pairs:,}", "queries": f"{queries:,}"}
        needed = {"needed_pairs": NEEDED_PAIRS, "needed_queries": NEEDED_QUERIES}
        raise Refused(
            _(
                "Found %(pairs)s graded pairs of %(queries)s queries, expected at least %(needed_pairs)s pairs of "
                "%(needed_queries)s queries to fit a judge on: judge on, then ask again."
            )
            % (found | needed)
        )


def encoders_of(collection: Collection) -> str:
    """The models that ranked the candidates, without their fingerprints: the family of what follows from captions."""
    labels = Query.objects.filter(collection=collection).exclude(ranked_by="").order_by("ranked_by")
    names = {label.partition("@")[0] for label in labels.values_list("ranked_by", flat=True).distinct()}
    return ", ".join(sorted(names))[:100]


def ask_for_similarity_judge(
    *, member: Membership, family: str = "", upload: UploadedFile[Any] | None = None
) -> MachineJudging:
    """Declare a judge on similarity, and record the job that fits it and has it judge; the caller sends the task.

    A fit on other grades says other things, and a judge never changes its word: so each fit is a judge, numbered.

    Args: family: what its model shares with systems; "": the encoder's that ranked the candidates. upload: scores of
        pairs by a model of that family: CSV or JSON Lines of pair_id and score.
    Raises: StoringError; Refused for too few graded pairs, while another is being fitted, or for scores of no family.
    """
    here = member.collection
    refuse_too_few(*graded_pairs(here))
    if upload is not None and not family:
        raise Refused(_("Say whose scores these are, e.g. CLIP: systems of that family are told apart."), "family")
    if upload is not None:
        refuse_larger(upload.size or 0, LARGEST)
    another = Refused(_("Another judge is being fitted. Ask again when that has ended."))
    ours = MachineJudge.objects.filter(collection=here, kind=MachineJudge.Kind.SIMILARITY)
    if MachineJudging.to_do().filter(judge__in=ours).exists():
        raise another
    about = {} if upload is None else stored_upload("machine-scores", upload)
    try:
        with transaction.atomic():
            # One at a time: who comes second finds the first one's judge.
            Collection.objects.select_for_update(no_key=True).get(pk=here.pk)
            if MachineJudging.to_do().filter(judge__in=ours).exists():
                raise another
            facts: dict[str, Any] = {
                "kind": MachineJudge.Kind.SIMILARITY,
                "model": "proportional odds",
                "family": family or encoders_of(here) or "captions",
                "parameters": {"features": [SIMILARITY, RANK, *([SCORE] if about else [])]},
            }
            # What a refused job left unfitted has said nothing, and is taken again.
            unfitted = ours.filter(version="", retired_at=None, **facts).first()
            judge = unfitted or declare_judge(collection=here, member=member, name=_free_name(here), **facts)
            return MachineJudging.objects.create(judge=judge, member=member, **about)
    except Refused:
        if about:
            delete_file(about["stored_file"])
        raise


def _free_name(collection: Collection) -> str:
    """The first of "similarity 1", "similarity 2" ... that no judge has."""
    taken = set(MachineJudge.objects.filter(collection=collection).values_list("name", flat=True))
    return next(name for number in range(1, len(taken) + 2) if (name := f"similarity {number}") not in taken)
