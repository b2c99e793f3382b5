"""Annotators: figures, alerts, pay, timesheets, erasure."""
