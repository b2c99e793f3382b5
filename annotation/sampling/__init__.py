"""Sampling designs: which queries or pairs people judge, drawn with known probabilities (docs/sampling.md)."""
