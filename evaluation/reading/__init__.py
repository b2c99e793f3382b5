"""Reading ground truths and runs from the files of the field."""

from ..reading.ground_truths import read_ground_truth
from ..reading.runs import RUN_FORMATS, read_run, run_name

__all__ = ["RUN_FORMATS", "read_ground_truth", "read_run", "run_name"]
