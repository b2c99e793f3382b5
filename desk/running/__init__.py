"""Run to open: one job that starts what remains of preparing a collection, step by step."""
