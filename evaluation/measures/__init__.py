"""The measures: one small value object a measure, parsed from the name people write."""

from evaluation.measures.measure import Measure
from evaluation.measures.names import parse_measure

__all__ = ["Measure", "parse_measure"]
