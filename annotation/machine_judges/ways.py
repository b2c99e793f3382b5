"""How each kind of machine judge comes to its grades: a sub-room registers its own when Django starts."""

from collections.abc import Callable

from annotation.models import MachineJudging
from foundation.infra.jobs import JobProgress

Way = Callable[[MachineJudging, JobProgress], float | None]
"""Does a job's work, as `run_job` has it: None when all is done, or after how many seconds it wants to go on."""
_ways: dict[str, Way] = {}


def register(kind: str, way: Way) -> None:
    """Have jobs of judges of this kind (`MachineJudge.Kind`) done so."""
    _ways[kind] = way


def way_of(kind: str) -> Way:
    """How judges of this kind judge. Raises: KeyError where no sub-room has registered it."""
    return _ways[kind]
