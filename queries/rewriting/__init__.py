"""Descriptions rewritten into captions: rewriters, jobs, costs, report."""
