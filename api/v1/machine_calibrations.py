"""Machine judges beside people: how far above them one grades; and judges of our own, fitted on people's grades."""

from datetime import datetime
from typing import Any, Literal

from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from annotation.machine_judges.calibration.figures import calibration_of
from annotation.machine_judges.calibration.tables import in_words
from annotation.machine_judges.similarity.asking import ask_for_similarity_judge
from annotation.models import MachineJudge
from api.frame.answers import Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable
from api.v1.jobs import JobOut
from api.v1.uploads import FileKey, file_or_none

endpoints = Endpoints("Machine judges")
HERE = "/machine-judges"


class CalibrationOfJudge(Out):
    """How far a judge is above people, on the pairs that people graded."""

    as_of: datetime | None = Field(description="Null: not computed yet, ask again.")
    running: bool
    says: str = Field(description="What has to be known before any figure.")
    calibration: dict[str, Any] | None = Field(
        description="pairs, queries, graded, few, unasked, abstained; raw and recalibrated (above, kappa, error, "
        "confusion, by_grade, by_group, curve), sureness (pairs, error, curve), discarded (pairs, counts, "
        "abstained). Estimates are value, low, high; null where there is none."
    )


class NewSimilarityJudge(BaseModel):
    """A judge of our own: proportional odds of caption similarity, rank, and perhaps scores that are brought."""

    family: Storable = Field(
        "", max_length=100, description="Whose the scores are, e.g. CLIP; empty: the encoder's of candidates."
    )
    file: FileKey | Literal[""] = Field("", description="A file of yours: pair_id, score.")


@endpoints.read(f"{HERE}/{{int:judge_id}}/calibration")
def get_machine_calibration(call: Call, judge_id: Id) -> CalibrationOfJudge:
    """By how much a judge grades above people, its kappa and calibration error, raw and recalibrated."""
    judge = get_object_or_404(MachineJudge, collection=call.collection, pk=judge_id)
    result = calibration_of(judge)
    says = in_words(result.value) if result.value else ""
    return CalibrationOfJudge.of(result, says=says, calibration=result.value)


@endpoints.make(f"{HERE}/ours", scope=Scope.PREPARE, status=202, stores=True)
def fit_similarity_judge(call: Call, new: NewSimilarityJudge) -> JobOut:
    """Have a worker fit a judge on the grades that people decided, and judge all pairs. Each fit is a judge of its own.
    409 for too few graded pairs, and while another is fitted."""
    with file_or_none(call, new.file) as upload:
        return JobOut.begun(ask_for_similarity_judge(member=call.member, family=new.family, upload=upload))
