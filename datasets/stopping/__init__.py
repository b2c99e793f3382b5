"""Judging stops when it is settled: a lead's goal, looks at how far it is, and the next queries opened for it."""
