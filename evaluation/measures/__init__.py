"""The measures: one small value object a measure, parsed from the name people write."""

from ..measures.measure import Measure
from ..measures.names import parse_measure

__all__ = ["Measure", "parse_measure"]
