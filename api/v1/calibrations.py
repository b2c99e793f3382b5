"""The checks' calibrations: error rates by threshold for the encoder in use, and thresholds to adopt."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id
from api.frame.lists import AskedPage, Page, page_of
from api.v1.jobs import JobOut
from queries.calibration.calibrate import MOST, NEEDED, USUAL, adopt
from queries.calibration.jobs import ask_for_calibration
from queries.models import CheckCalibration

endpoints = Endpoints("Calibration")
HERE = "/calibrations"
ONE = f"{HERE}/{{int:calibration_id}}"


class NewCalibration(BaseModel):
    """How to calibrate."""

    captions: int = Field(USUAL, ge=NEEDED, le=MOST, description="Right captions to take at most.")
    seed: int = Field(1, ge=0, le=2**31 - 1, description="By which they are drawn.")


class CalibrationOut(JobOut):
    """A calibration: what the checks let pass of right captions and of wrong ones made of them."""

    calibration: int = From("pk")
    style: str
    encoder: str = Field(description="The model's name, and its pooling where that isn't its own.")
    identity: str = Field(description="The encoder with the fingerprint of its weights.")
    similarity: float | None = Field(description="The proposed threshold.")
    kept: float | None = Field(description="The proposed threshold of words kept.")
    found: dict[str, Any] = Field(
        description="captions by kind; by_similarity and by_kept (rows of threshold, right, wrong by kind); today "
        "and proposed (similarity, kept, errors by kind). Of right captions the share that waits, of wrong ones "
        "that passes."
    )
    adopted_at: datetime | None


def _calibrations(call: Call) -> QuerySet[CheckCalibration]:
    return call.collection.check_calibrations.select_related("member", "collection")


@endpoints.make(HERE, scope=Scope.PREPARE, status=202)
def calibrate_checks(call: Call, new: NewCalibration) -> CalibrationOut:
    """Have a worker calibrate the checks. While one does, that job is the answer. 409 for too few right captions."""
    job = ask_for_calibration(member=call.member, captions=new.captions, seed=new.seed)
    return CalibrationOut.begun(job)


@endpoints.read(HERE)
def list_calibrations(call: Call, asked: AskedPage) -> Page[CalibrationOut]:
    """Calibrations of the checks, the newest first."""
    return page_of(_calibrations(call), asked, CalibrationOut.of_job, newest_first=True)


@endpoints.read(ONE)
def get_calibration(call: Call, calibration_id: Id) -> CalibrationOut:
    """A calibration: how far it is, or its error rates and the thresholds that it proposes."""
    return CalibrationOut.of_job(get_object_or_404(_calibrations(call), pk=calibration_id))


@endpoints.act(f"{ONE}/adopt", scope=Scope.PREPARE)
def adopt_calibration(call: Call, calibration_id: Id) -> CalibrationOut:
    """Make the proposed thresholds the collection's settings. 409 for one of another encoder or style."""
    calibration = get_object_or_404(_calibrations(call), pk=calibration_id)
    adopt(calibration=calibration)
    return CalibrationOut.of_job(calibration)
