"""Alerts: faults that owners of the site are told about, on their pages and by mail."""
