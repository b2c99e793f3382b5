"""Figures as SVG: no frames, axes labelled with units, direct labels, the grade ramp, n stated."""
